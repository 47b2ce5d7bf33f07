// Every entry of a report of operation counts as text: in wide lines, or as narrow as a terminal is.
#include <algorithm>
#include <sstream>

#include "flops_report.hpp"
#include "io/text/aligned.hpp"
#include "io/text/how_many.hpp"

namespace sparsedyn::cli {
namespace {

using Row = std::vector<std::string>;

const std::pair<const char*, OperationCounts PhaseCounts::*> phases_of_lu[] = {
    {"assembly", &PhaseCounts::assembly}, {"factorisation", &PhaseCounts::factorisation}, {"solve", &PhaseCounts::solve}};

void add_cells(Row& row, const std::optional<OperationCounts>& counts) {
  if (!counts) return row.insert(row.end(), 6, ""), void();
  for (long x : {counts->flops(), counts->mul, counts->add, counts->div, counts->sqrt, counts->trig})
    row.push_back(std::to_string(x));
}

std::string name_and_mark(const FlopsEntry& entry) { return entry_name(entry) + (entry.chosen ? " *" : ""); }

/// "140 Balafoutis & Patel; 102 Khalil, base parameters".
std::string published_totals(const FlopsEntry& entry) {
  std::string text;
  for (const PublishedCount& formula : entry.published)
    text += (text.empty() ? "" : "; ") + std::to_string(formula.mul + formula.add) + " " + formula.source;
  return text;
}

/// An entry in a line, and its phases below.
void add_lines(const FlopsEntry& entry, std::vector<Row>& rows) {
  rows.push_back({entry.n ? std::to_string(entry.n) : "", name_and_mark(entry)});
  add_cells(rows.back(), entry.raw);
  add_cells(rows.back(), entry.folded);
  rows.back().push_back(published_totals(entry));
  if (!entry.raw_phases) return;
  for (const auto& [name, phase] : phases_of_lu) {
    rows.push_back({"", std::string("  ") + name});
    add_cells(rows.back(), (*entry.raw_phases).*phase);
    add_cells(rows.back(), entry.folded_phases ? std::optional((*entry.folded_phases).*phase) : std::nullopt);
    rows.back().push_back("");
  }
}

std::string wide(const FlopsReport& report) {
  std::vector<Row> rows{{"n", "algorithm", "raw", "mul", "add", "div", "sqrt", "trig", "folded", "mul", "add", "div", "sqrt",
                         "trig", "published"}};
  for (const FlopsEntry& entry : report.entries) add_lines(entry, rows);
  const std::vector<Row> growth = growth_rows(flops_growth(report));
  if (growth.empty()) return rows_below_header(rows);
  return rows_below_header(rows) + "\nGrowth with the number of joints n, by least squares:\n" + rows_below_header(growth);
}

/// Rows of counts whose columns stand below each other, and what is said before each.
struct Listing {
  std::vector<Row> rows{{"", "total", "mul", "add", "div", "sqrt", "trig"}};
  std::vector<std::string> before{""};
  std::string next;  // said before the next row

  void add(const std::string& name, const OperationCounts& counts) {
    rows.push_back({name});
    add_cells(rows.back(), counts);
    before.push_back(next);
    next.clear();
  }
  void add(const char* account, const OperationCounts& counts, const std::optional<PhaseCounts>& phases) {
    add(std::string("  ") + account, counts);
    if (phases)
      for (const auto& [name, phase] : phases_of_lu) add(std::string("    ") + name, (*phases).*phase);
  }
  std::string text() const {
    std::istringstream lines(aligned(rows, "lrrrrrr"));
    std::string out, line;
    for (const std::string& said : before) {
      std::getline(lines, line);
      out += said + line + "\n";
    }
    return out + next;
  }
};

std::string narrow(const FlopsReport& report) {
  Listing listing;
  int n = 0;
  for (const FlopsEntry& entry : report.entries) {
    if (entry.n != n) listing.next += "\n" + how_many(entry.n, "joint", "joints") + "\n";
    n = entry.n;
    listing.next += name_and_mark(entry) + "\n";
    listing.add("raw", entry.raw, entry.raw_phases);
    if (entry.folded) listing.add("folded", *entry.folded, entry.folded_phases);
    if (!entry.published.empty()) listing.next += "  published: " + published_totals(entry) + "\n";
  }
  return listing.text() + growth_lines(report, true);
}

bool fits(const std::string& text, int width) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (letters(line) > width) return false;
  return true;
}

}  // namespace

std::string flops_text(const FlopsReport& report, int width) {
  std::string text = wide(report);
  if (width > 0 && !fits(text, width)) text = narrow(report);
  if (!flops_growth(report).empty()) text += who_counts_what + std::string("\n");
  text += std::string("\n") + what_counts_are + "\nTotals are mul + add + div + sqrt; trig (sin, cos) stands apart.\n";
  const bool chosen =
      std::any_of(report.entries.begin(), report.entries.end(), [](const FlopsEntry& entry) { return entry.chosen; });
  if (chosen)
    text +=
        "* the order that a plan takes, in the default formulation; `optimise --formulation best` compares it with others.\n";
  return text;
}

}  // namespace sparsedyn::cli
