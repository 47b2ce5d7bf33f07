#include "flops_growth.hpp"

#include <algorithm>

namespace sparsedyn {
namespace {

/// The counts of one account by n.
struct CountSeries {
  std::string algorithm, who;
  std::vector<double> n, mul, add;
};

/// The series of that name, made where it is new.
CountSeries& series_of(std::vector<CountSeries>& all, const std::string& algorithm, const std::string& who) {
  for (CountSeries& s : all)
    if (s.algorithm == algorithm && s.who == who) return s;
  all.push_back({algorithm, who, {}, {}, {}});
  return all.back();
}

void add_count(CountSeries& s, int n, long mul, long add) {
  s.n.push_back(n), s.mul.push_back(static_cast<double>(mul)), s.add.push_back(static_cast<double>(add));
}

}  // namespace

std::vector<GrowthLine> flops_growth(const FlopsReport& report) {
  std::vector<CountSeries> all;
  for (const FlopsEntry& entry : report.entries) {
    const int n = entry.n;
    if (n > 0 && entry.algorithm == "program" && entry.of == "rnea" && entry.folded)
      add_count(series_of(all, "rnea", "generated program"), n, entry.folded->mul, entry.folded->add);
    if (n == 0 || !entry.of.empty()) continue;
    add_count(series_of(all, entry.algorithm, "raw"), n, entry.raw.mul, entry.raw.add);
    if (entry.folded) add_count(series_of(all, entry.algorithm, "folded"), n, entry.folded->mul, entry.folded->add);
    for (const PublishedCount& formula : entry.published)
      add_count(series_of(all, entry.algorithm, formula.source), n, formula.mul, formula.add);
  }
  std::vector<GrowthLine> lines;
  for (const CountSeries& s : all) {
    const int degree = growth_degree(s.algorithm);
    if (static_cast<int>(s.n.size()) < degree + 2) continue;
    lines.push_back({s.algorithm, s.who, fit_growth(s.n, s.mul, degree), fit_growth(s.n, s.add, degree)});
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const GrowthLine& a, const GrowthLine& b) { return a.algorithm < b.algorithm; });
  return lines;
}

}  // namespace sparsedyn
