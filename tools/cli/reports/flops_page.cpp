// The report of `flops` as one page.
#include <algorithm>
#include <map>

#include "flops_growth.hpp"
#include "flops_report.hpp"
#include "report/figure.hpp"
#include "sparsedyn/report/page.hpp"

namespace sparsedyn::cli {
namespace {

using namespace report;

const char* const introduction =
    "<p>Every number is counted, none estimated. <b>raw</b>: every operation of the algorithm's text, also those with entries "
    "that "
    "are 0 or ±1 for this robot. <b>runtime</b> (LU): what the solver replays; pivots known to be ±1 are not divided by, and "
    "what "
    "the outputs do not need is left out. <b>folded</b>: the robot's constants folded, equal values computed once, only what "
    "the "
    "outputs need. The accounts are never mixed. Flops are mul + add + div + sqrt; sin and cos (trig) stand apart. For LU, "
    "assembly of the matrix and of the right-hand side is included, unless a phase is named.</p>\n";

double flops_of(const OperationCounts& c) { return static_cast<double>(c.flops()); }

std::vector<double> parts_of(const std::optional<PhaseCounts>& phases, const OperationCounts& total) {
  if (!phases) return {flops_of(total), 0, 0};
  return {flops_of(phases->assembly), flops_of(phases->factorisation), flops_of(phases->solve)};
}

/// General solvers of the system would dwarf everything else: the table has them.
bool is_general(const FlopsEntry& entry) { return entry.algorithm == "dense_lu" || entry.algorithm == "normal_cholesky"; }

/// What an entry is called in a figure of one sensor set.
std::string short_name(const FlopsEntry& entry) {
  if (entry.algorithm == "zero_fill_lu")
    return "LU, " + (entry.formulation == "newton-euler" ? "" : entry.formulation + ", ") + entry.order;
  return entry.algorithm == "program" ? "program, " + entry.of : entry.algorithm;
}

std::string robot_bars(const FlopsReport& r) {
  const std::vector<std::string> phases{"assembly, or all of a recursion", "factorisation", "solve"};
  std::vector<Bar> raw, folded;
  for (const FlopsEntry& entry : r.entries) {
    if (!is_general(entry) && entry.algorithm != "program")
      raw.push_back({short_name(entry), parts_of(entry.raw_phases, entry.raw), entry.chosen});
    if (entry.folded) folded.push_back({short_name(entry), parts_of(entry.folded_phases, *entry.folded), entry.chosen});
  }
  return beside({bar_chart("Raw flops", phases, raw), bar_chart("Folded flops", phases, folded)}) +
         "<p class=\"small\">Bold: the order that a plan takes, the cheapest healthy one at runtime.</p>\n";
}

/// Under which heading an entry is plotted.
enum class Kind { inverse, forward, inertia, general };

Kind kind_of(const FlopsEntry& entry) {
  if (is_general(entry)) return Kind::general;
  if (entry.algorithm == "crba") return Kind::inertia;
  const bool inverse = entry.algorithm == "rnea" || entry.of == "rnea" || entry.of == "inverse-dynamics";
  return inverse ? Kind::inverse : Kind::forward;
}

using Account = std::optional<OperationCounts> (*)(const FlopsEntry&);

/// One account of every entry of that kind that has it, against n, and the published formulas.
std::vector<Curve> curves_of(const FlopsReport& r, Kind kind, bool per_joint, Account account) {
  std::vector<Curve> curves;
  std::map<std::string, std::size_t> place;
  const auto add = [&](const std::string& name, int n, double y, bool published) {
    const auto [at, fresh] = place.insert({name, curves.size()});
    if (fresh) curves.push_back({name, {}, published});
    curves[at->second].points.push_back({n, per_joint ? y / n : y});
  };
  for (const FlopsEntry& entry : r.entries) {
    if (kind_of(entry) != kind) continue;
    if (const auto counts = account(entry)) add(short_name(entry), entry.n, flops_of(*counts), false);
    for (const PublishedCount& formula : entry.published)
      add(formula.source, entry.n, static_cast<double>(formula.mul + formula.add), true);
  }
  return curves;
}

std::string chain_plots(const FlopsReport& r) {
  const Account raw = [](const FlopsEntry& e) { return e.algorithm == "program" ? std::nullopt : std::optional(e.raw); };
  const Account folded = [](const FlopsEntry& e) { return e.folded; };
  std::string out;
  for (const auto& [name, kind] : {std::pair("Inverse dynamics", Kind::inverse), std::pair("Forward dynamics", Kind::forward),
                                   std::pair("Joint-space inertia matrix", Kind::inertia)}) {
    std::vector<std::string> plots;
    for (const auto& [said, account] : {std::pair("raw", raw), std::pair("folded", folded)}) {
      const std::string title = std::string(name) + ", " + said;
      plots.push_back(line_plot({title, "joints", "flops"}, curves_of(r, kind, false, account)));
      plots.push_back(
          line_plot({title + ", per joint", "joints", "flops a joint", false, false}, curves_of(r, kind, true, account)));
    }
    out += section(name, beside(plots));
  }
  return out + "<p class=\"small\">Dashed: formulas of the literature (mul + add).</p>\n";
}

std::string cell(long x) { return std::to_string(x); }

void add_counts(std::vector<std::string>& row, const std::optional<OperationCounts>& c) {
  if (!c) return row.insert(row.end(), 6, "–"), void();
  for (long x : {c->flops(), c->mul, c->add, c->div, c->sqrt, c->trig}) row.push_back(cell(x));
}

std::string published_of(const FlopsEntry& entry) {
  std::string out;
  for (const PublishedCount& f : entry.published)
    out += (out.empty() ? "" : "<br>") + cell(f.mul) + " mul, " + cell(f.add) + " add: " + escaped(f.source);
  return out;
}

std::string table_of(const FlopsReport& r, const std::string& account, Account account_of, bool with_published) {
  const bool chains = !r.entries.empty() && r.entries.front().n > 0;
  std::vector<std::vector<std::string>> rows{{"algorithm", account + " flops", "mul", "add", "div", "sqrt", "trig"}};
  if (chains) rows[0].insert(rows[0].begin() + 1, "n");
  if (with_published) rows[0].push_back("published");
  for (const FlopsEntry& entry : r.entries) {
    const std::optional<OperationCounts> counts = account_of(entry);
    if (!counts && entry.not_folded.empty()) continue;
    std::vector<std::string> row{"<span title=\"" + escaped(entry.includes) + "\">" + escaped(entry_name(entry)) + "</span>"};
    if (chains) row.push_back(cell(entry.n));
    add_counts(row, counts);
    if (!counts) row[chains ? 2 : 1] = "<span title=\"" + escaped(entry.not_folded) + "\">none</span>";
    if (with_published) row.push_back(published_of(entry));
    rows.push_back(std::move(row));
  }
  return table(rows);
}

/// Hundreds of lines are shown on demand.
std::string folded_away(const std::string& table, bool chains) {
  return chains ? "<details><summary>all numbers</summary>" + table + "</details>\n" : table;
}

std::string phase_table(const FlopsReport& r) {
  std::vector<std::vector<std::string>> rows{{"LU", "account", "assembly", "factorisation", "solve", "flops", "fill-in"}};
  for (const FlopsEntry& entry : r.entries) {
    const std::string name = escaped(entry_name(entry)) + (entry.n ? ", n = " + std::to_string(entry.n) : "");
    const auto add = [&](const char* account, const std::optional<PhaseCounts>& p) {
      if (p)
        rows.push_back({name, account, cell(p->assembly.flops()), cell(p->factorisation.flops()), cell(p->solve.flops()),
                        cell(p->total().flops()), entry.fill < 0 ? "" : cell(entry.fill)});
    };
    add("raw", entry.raw_phases), add("runtime", entry.runtime_phases), add("folded", entry.folded_phases);
  }
  return rows.size() > 1 ? table(rows) : "";
}

std::string includes_of(const FlopsReport& r) {
  std::map<std::string, std::string> said;
  for (const FlopsEntry& entry : r.entries) said.insert({entry.algorithm, entry.includes});
  std::string out = "<ul>\n";
  for (const auto& [algorithm, includes] : said)
    out += "<li><b>" + escaped(algorithm) + "</b>: " + escaped(includes) + "</li>\n";
  return out + "</ul>\n";
}

}  // namespace

std::string flops_html(const FlopsReport& r) {
  const bool chains = !r.entries.empty() && r.entries.front().n > 0;
  std::string body = introduction + (chains ? chain_plots(r) : section("At a glance", robot_bars(r)));
  std::vector<std::string> figures;
  for (const Spy& spy : r.matrices)
    figures.push_back(spy_plot(spy, std::clamp(1.5 * static_cast<double>(spy.row_names.size()), 520.0, 1100.0)));
  if (!figures.empty())
    body +=
        section("The matrix, and its factors",
                "<p>Rows are equations, columns unknowns; the pointer names them. Blue and green entries are the matrix' own, "
                "in L and in U; red and orange ones come up during elimination.</p>\n" +
                    beside(figures));
  if (const std::vector<GrowthLine> growth = flops_growth(r); !growth.empty())
    body += section("Growth with the number of joints n, by least squares",
                    table(growth_rows(growth)) + "<p class=\"small\">" + who_counts_what + "</p>\n");
  const auto raw = [](const FlopsEntry& e) { return std::optional(e.raw); };
  const auto folded = [](const FlopsEntry& e) { return e.folded; };
  body += section("Raw counts", folded_away(table_of(r, "raw", raw, chains), chains));
  body += section("Folded counts", folded_away(table_of(r, "folded", folded, false), chains));
  body += section("LU, phase by phase", folded_away(phase_table(r), chains));
  body += section("What is included", includes_of(r));
  return page("Operation counts: " + r.subject, body);
}

}  // namespace sparsedyn::cli
