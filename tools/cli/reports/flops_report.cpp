#include "flops_report.hpp"

#include <algorithm>
#include <set>

#include "cli/support/json_text.hpp"
#include "cli/support/terminal.hpp"
#include "io/text/aligned.hpp"
#include "io/text/how_many.hpp"
#include "report/figure.hpp"

namespace sparsedyn::cli {
namespace {

Json to_json(const PhaseCounts& c) {
  return {
      {"assembly", counts_json(c.assembly)}, {"factorisation", counts_json(c.factorisation)}, {"solve", counts_json(c.solve)}};
}

Json to_json(const FlopsEntry& entry) {
  Json json{{"algorithm", entry.algorithm}};
  if (!entry.of.empty()) json["of"] = entry.of;
  if (!entry.order.empty()) json["formulation"] = entry.formulation, json["order"] = entry.order, json["chosen"] = entry.chosen;
  if (entry.n > 0) json["n"] = entry.n;
  if (entry.unknowns > 0) json["unknowns"] = entry.unknowns;
  if (entry.fill >= 0) json["fill"] = entry.fill;
  json["raw"] = counts_json(entry.raw);
  json["folded"] = entry.folded ? counts_json(*entry.folded) : Json(nullptr);
  if (!entry.folded) json["not_folded"] = entry.not_folded;
  if (entry.raw_phases) json["phases"]["raw"] = to_json(*entry.raw_phases);
  if (entry.runtime_phases) json["phases"]["runtime"] = to_json(*entry.runtime_phases);
  if (entry.folded_phases) json["phases"]["folded"] = to_json(*entry.folded_phases);
  json["includes"] = entry.includes;
  for (const PublishedCount& formula : entry.published)
    json["published"].push_back({{"source", formula.source}, {"mul", formula.mul}, {"add", formula.add}});
  return json;
}

double largest_residual(const GrowthLine& line) { return std::max(line.mul.largest_residual, line.add.largest_residual); }

Json to_json(const GrowthLine& line) {
  return {{"algorithm", line.algorithm},
          {"who", line.who},
          {"mul", line.mul.coefficients},
          {"add", line.add.coefficients},
          {"largest_residual", largest_residual(line)}};
}

using Row = std::vector<std::string>;

bool any_published(const FlopsReport& report) {
  return std::any_of(report.entries.begin(), report.entries.end(), [](const FlopsEntry& e) { return !e.published.empty(); });
}

constexpr std::size_t most_orders = 3;
constexpr int widest_name = 50, usual_screen = 80;  // the latter where the result goes to no terminal

bool is_order(const FlopsEntry& entry) { return !entry.order.empty() || entry.unknowns > 0; }

/// An order by its formulation and its strategy; of chains, which have two sets, with the set.
std::string name_in_summary(const FlopsEntry& entry) {
  std::string name = entry_name(entry);
  if (!entry.order.empty())
    name = "LU" + (entry.n ? " of " + entry.of : std::string()) + ": " +
           (entry.formulation == "newton-euler" ? "" : entry.formulation + ", ") + entry.order;
  if (letters(name) <= widest_name) return name;
  std::size_t end = static_cast<std::size_t>(widest_name) - 1;
  while ((static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return name.substr(0, end) + "…";
}

/// Of a robot, or of the longest chain: totals of the algorithms, of the order that a plan takes and of the cheapest others.
std::string summary(const FlopsReport& report) {
  int longest = 0;
  for (const FlopsEntry& entry : report.entries) longest = std::max(longest, entry.n);
  std::vector<const FlopsEntry*> shown, orders;
  for (const FlopsEntry& entry : report.entries)
    if (entry.n == longest) (is_order(entry) && !entry.chosen ? orders : shown).push_back(&entry);
  std::stable_sort(orders.begin(), orders.end(),
                   [](const FlopsEntry* a, const FlopsEntry* b) { return a->raw.flops() < b->raw.flops(); });
  const std::size_t kept = std::min(orders.size(), most_orders);
  shown.insert(shown.end(), orders.begin(), orders.begin() + static_cast<std::ptrdiff_t>(kept));
  std::vector<Row> rows{{"algorithm", "raw", "folded"}};
  if (any_published(report)) rows.front().push_back("published");
  for (const FlopsEntry* entry : shown) {
    const auto least = std::min_element(entry->published.begin(), entry->published.end(),
                                        [](const auto& a, const auto& b) { return a.mul + a.add < b.mul + b.add; });
    rows.push_back({name_in_summary(*entry) + (entry->chosen ? " *" : ""), std::to_string(entry->raw.flops()),
                    entry->folded ? std::to_string(entry->folded->flops()) : "",
                    least == entry->published.end() ? "" : std::to_string(least->mul + least->add)});
  }
  std::string text = "Operations of one state of " + report.subject;
  if (longest) text += ", the longest";
  text = wrapped(text + ":\n", terminal_width(usual_screen)) + rows_below_header(rows);
  const auto left = static_cast<long>(report.entries.size() - shown.size());
  if (left > 0)
    text += how_many(left, "more entry, part or phase", "more entries, parts and phases") +
            " of all: --all, --json, -o PAGE.html.\n";
  return text;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string csv_line(const FlopsEntry& entry, const std::string& account, const std::string& phase, const OperationCounts& c) {
  std::string line = entry.algorithm + "," + quoted(entry.of) + "," + entry.formulation + "," + quoted(entry.order) + "," +
                     (entry.n ? std::to_string(entry.n) : "") + "," + quoted(account) + "," + phase;
  for (long x : {c.mul, c.add, c.div, c.sqrt, c.trig}) line += "," + std::to_string(x);
  return line + "\n";
}

std::string csv_phases(const FlopsEntry& entry, const std::string& account, const std::optional<PhaseCounts>& phases) {
  if (!phases) return "";
  return csv_line(entry, account, "assembly", phases->assembly) +
         csv_line(entry, account, "factorisation", phases->factorisation) + csv_line(entry, account, "solve", phases->solve);
}

}  // namespace

const char* const what_counts_are =
    "raw: every operation of the text. folded: constants folded, equal values computed once, only what the outputs need.";

const char* const who_counts_what =
    "raw: every multiplication and addition that the template executes for one state, those with zeros of the first joint "
    "included; folded: the same run with constants folded and equal values shared. Published formulas are of texts "
    "rewritten by hand for revolute chains on a fixed base, gravity entering as its acceleration, and count the divisions of "
    "LTDL as multiplications. Sines and cosines (two a joint) are in none of them.";

/// The first row is the header; words are set to the left, numbers to the right.
std::string rows_below_header(const std::vector<std::vector<std::string>>& rows) {
  static const std::set<std::string> words{"algorithm", "published", "who counts", "multiplications", "additions"};
  std::string sides;
  for (const std::string& column : rows.front()) sides += words.count(column) ? 'l' : 'r';
  return aligned(rows, sides);
}

std::vector<std::vector<std::string>> growth_rows(const std::vector<GrowthLine>& lines) {
  if (lines.empty()) return {};
  std::vector<std::vector<std::string>> rows{{"algorithm", "who counts", "multiplications", "additions", "largest residual"}};
  for (const GrowthLine& line : lines)
    rows.push_back(
        {line.algorithm, line.who, growth_text(line.mul), growth_text(line.add), report::short_number(largest_residual(line))});
  return rows;
}

std::string entry_name(const FlopsEntry& entry) {
  std::string name = entry.algorithm;
  const std::string formulation = entry.formulation == "newton-euler" ? "" : entry.formulation + ", ";
  if (!entry.of.empty()) name += " (" + entry.of + (entry.order.empty() ? "" : ": " + formulation + entry.order) + ")";
  return name;
}

std::string flops_json(const FlopsReport& report) {
  Json list = Json::array();
  for (const FlopsEntry& entry : report.entries) list.push_back(to_json(entry));
  Json json{{"subject", report.subject}, {"entries", list}};
  for (const GrowthLine& line : flops_growth(report)) json["growth"].push_back(to_json(line));
  return json_text(json);
}

std::string growth_lines(const FlopsReport& report, bool residuals) {
  const std::vector<GrowthLine> growth = flops_growth(report);
  if (growth.empty()) return "";
  std::string text = "\nGrowth with n joints, by least squares (multiplications; additions):\n";
  for (const GrowthLine& line : growth) {
    text += "  " + line.algorithm + ", " + line.who + ": " + growth_text(line.mul) + "; " + growth_text(line.add);
    if (residuals) text += " (largest residual " + report::short_number(largest_residual(line)) + ")";
    text += "\n";
  }
  return text;
}

std::string flops_summary(const FlopsReport& report) {
  const std::string growth = growth_lines(report, false);
  const std::string words = std::string("\n") + what_counts_are +
                            (any_published(report) ? " published: the cheapest formula." : "") +
                            " Sines and cosines stand apart.\n";
  return summary(report) + wrapped(growth, terminal_width(usual_screen), 4) + wrapped(words, terminal_width(usual_screen)) +
         (std::any_of(report.entries.begin(), report.entries.end(), [](const FlopsEntry& entry) { return entry.chosen; })
              ? "* the order that a plan takes, in the default formulation.\n"
              : "");
}

std::string flops_csv(const FlopsReport& report) {
  std::string text = "algorithm,of,formulation,order,n,account,phase,mul,add,div,sqrt,trig\n";
  for (const FlopsEntry& entry : report.entries) {
    text += csv_line(entry, "raw", "total", entry.raw) + csv_phases(entry, "raw", entry.raw_phases);
    if (entry.runtime_phases)
      text += csv_line(entry, "runtime", "total", entry.runtime_phases->total()) +
              csv_phases(entry, "runtime", entry.runtime_phases);
    if (entry.folded)
      text += csv_line(entry, "folded", "total", *entry.folded) + csv_phases(entry, "folded", entry.folded_phases);
    for (const PublishedCount& formula : entry.published)
      text += csv_line(entry, std::string("published: ") + formula.source, "total", {formula.mul, formula.add, 0, 0, 0});
  }
  return text;
}

}  // namespace sparsedyn::cli
