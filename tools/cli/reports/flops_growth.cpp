#include "flops_growth.hpp"

#include <algorithm>

#include "report/figure.hpp"

namespace sparsedyn::cli {
namespace {

/// The counts of one account by n.
struct Series {
  std::string algorithm, who;
  std::vector<double> n, mul, add;
};

/// The series of that name, made where it is new.
Series& series_of(std::vector<Series>& all, const std::string& algorithm, const std::string& who) {
  for (Series& s : all)
    if (s.algorithm == algorithm && s.who == who) return s;
  all.push_back({algorithm, who, {}, {}, {}});
  return all.back();
}

void take(Series& s, int n, long mul, long add) {
  s.n.push_back(n), s.mul.push_back(static_cast<double>(mul)), s.add.push_back(static_cast<double>(add));
}

}  // namespace

const char* const who_counts_what =
    "raw: every multiplication and addition that the template executes for one state, those with zeros of the first joint "
    "included; folded: the same run with constants folded and equal values shared. Published formulas are of texts "
    "rewritten by hand for revolute chains on a fixed base, gravity entering as its acceleration, and count the divisions of "
    "LTDL as multiplications. Sines and cosines (two a joint) are in none of them.";

std::vector<GrowthLine> flops_growth(const FlopsReport& report) {
  std::vector<Series> all;
  for (const FlopsEntry& entry : report.entries) {
    const int n = entry.n;
    if (n > 0 && entry.algorithm == "program" && entry.of == "rnea" && entry.folded)
      take(series_of(all, "rnea", "generated program"), n, entry.folded->mul, entry.folded->add);
    if (n == 0 || !entry.of.empty()) continue;
    take(series_of(all, entry.algorithm, "raw"), n, entry.raw.mul, entry.raw.add);
    if (entry.folded) take(series_of(all, entry.algorithm, "folded"), n, entry.folded->mul, entry.folded->add);
    for (const PublishedCount& formula : entry.published)
      take(series_of(all, entry.algorithm, formula.source), n, formula.mul, formula.add);
  }
  std::vector<GrowthLine> lines;
  for (const Series& s : all) {
    const int degree = growth_degree(s.algorithm);
    if (static_cast<int>(s.n.size()) < degree + 2) continue;
    lines.push_back({s.algorithm, s.who, fit_growth(s.n, s.mul, degree), fit_growth(s.n, s.add, degree)});
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const GrowthLine& a, const GrowthLine& b) { return a.algorithm < b.algorithm; });
  return lines;
}

std::vector<std::vector<std::string>> growth_rows(const std::vector<GrowthLine>& lines) {
  if (lines.empty()) return {};
  std::vector<std::vector<std::string>> rows{{"algorithm", "who counts", "multiplications", "additions", "largest residual"}};
  for (const GrowthLine& line : lines)
    rows.push_back({line.algorithm, line.who, growth_text(line.mul), growth_text(line.add),
                    report::short_number(std::max(line.mul.largest_residual, line.add.largest_residual))});
  return rows;
}

}  // namespace sparsedyn::cli
