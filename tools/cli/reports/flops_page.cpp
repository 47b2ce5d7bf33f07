// The report of `flops` as one page.
#include <algorithm>
#include <map>

#include "flops_report.hpp"
#include "report/figure.hpp"
#include "sparsedyn/report/page.hpp"

namespace sparsedyn::cli {
namespace {

using namespace report;

const char* const accounts =
    "<p>Every number is counted, none estimated. <b>raw</b>: every operation of the algorithm's text, also those with entries "
    "that "
    "are 0 or ±1 for this robot. <b>runtime</b> (LU): what the solver replays; pivots known to be ±1 are not divided by, and "
    "what "
    "the outputs do not need is left out. <b>folded</b>: the robot's constants folded, equal values computed once, only what "
    "the "
    "outputs need. The accounts are never mixed. Flops are mul + add + div + sqrt; sin and cos (trig) stand apart. For LU, "
    "assembly "
    "of the matrix and of the right-hand side is included, unless a phase is named.</p>\n";

const char* const zero_fill =
    "<p>A <em>zero-fill</em> LU writes no entry beyond its plan's pattern while it runs. The fill-in below is part of that "
    "pattern: "
    "entries of L and U that the matrix itself lacks, all found offline.</p>\n";

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

/// Under which heading an entry's bar stands.
std::string group_of(const FlopsEntry& entry) {
  if (entry.algorithm != "zero_fill_lu") return entry.algorithm == "program" ? "generated programs" : "recursive algorithms";
  if (entry.formulation == "augmented") return "LU of the augmented system, by order";
  return entry.formulation == "newton-euler" ? "LU in the default formulation, by order" : "LU in other formulations";
}

std::string robot_bars(const FlopsReport& r) {
  const std::vector<std::string> phases{"assembly, or all of a recursion", "factorisation", "solve"};
  std::vector<BarGroup> groups;
  for (const FlopsEntry& entry : r.entries) {
    if (is_general(entry)) continue;
    const std::string name = group_of(entry);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const BarGroup& g) { return g.name == name; });
    if (group == groups.end()) group = groups.insert(groups.end(), {name, {}});
    Bar bar{short_name(entry), {{}, {}}, entry.chosen};
    if (entry.algorithm != "program") bar.accounts[0] = parts_of(entry.raw_phases, entry.raw);
    if (entry.folded) bar.accounts[1] = parts_of(entry.folded_phases, *entry.folded);
    group->bars.push_back(std::move(bar));
  }
  return bar_chart("Flops of one state", {"raw", "folded"}, phases, std::move(groups));
}

long executed(const FlopsEntry& entry) {
  return entry.runtime_phases ? entry.runtime_phases->total().flops() : entry.raw.flops();
}

/// What a plan takes beside what would be cheapest, by the operations that are executed, after which plans are chosen.
std::string choice(const FlopsReport& r) {
  const FlopsEntry *chosen = nullptr, *cheapest = nullptr;
  for (const FlopsEntry& entry : r.entries) {
    if (entry.algorithm != "zero_fill_lu") continue;
    if (entry.chosen) chosen = &entry;
    if (!cheapest || executed(entry) < executed(*cheapest)) cheapest = &entry;
  }
  if (!chosen) return "";
  std::string out = "<p>Bold: <b>" + escaped(short_name(*chosen)) +
                    "</b>, the order that a plan takes, the cheapest healthy one of the " +
                    (chosen->formulation == "augmented" ? "augmented system" : "default formulation") + ": " +
                    grouped(executed(*chosen)) + " flops executed (<b>runtime</b> under All numbers).";
  if (cheapest->formulation != chosen->formulation && executed(*cheapest) < executed(*chosen))
    out += " In the formulation <b>" + escaped(cheapest->formulation) + "</b> it would be " + grouped(executed(*cheapest)) +
           "; <code>optimise --formulation best</code> compares them all. The default stays what it is: in it every "
           "acceleration and "
           "every wrench is an unknown, in its link's own frame.";
  return out + "</p>\n";
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

constexpr std::size_t most_curves = 7;  // of a figure that is read at a glance

/// Of the longest chain's entries of a kind, at most seven names that the figures show first: recursions and programs, the
/// cheapest LU of the default formulation and of all others, and published formulas.
std::vector<std::string> shown_first(const FlopsReport& r, Kind kind) {
  int longest = 0;
  for (const FlopsEntry& entry : r.entries) longest = std::max(longest, entry.n);
  const FlopsEntry* cheapest[2] = {};  // in the default formulation, in others
  std::vector<std::string> names, published;
  for (const FlopsEntry& entry : r.entries) {
    if (kind_of(entry) != kind || entry.n != longest) continue;
    for (const PublishedCount& formula : entry.published) published.push_back(formula.source);
    if (entry.algorithm == "zero_fill_lu") {
      const FlopsEntry*& least = cheapest[entry.formulation != "newton-euler"];
      if (!least || executed(entry) < executed(*least)) least = &entry;
    } else if (names.size() < most_curves - 3) {
      names.push_back(short_name(entry));
    }
  }
  for (const FlopsEntry* least : cheapest)
    if (least) names.push_back(short_name(*least));
  for (const std::string& source : published)
    if (names.size() < most_curves && !std::count(names.begin(), names.end(), source)) names.push_back(source);
  return names;
}

/// Colours, dashes and marks of names, the same in all figures of the page: that of the name where it is free in the figures
/// that hold it first, else the next.
class Looks {
 public:
  int of(const std::string& name, const std::vector<std::string>& beside) {
    if (const auto known = slots_.find(name); known != slots_.end()) return known->second;
    const auto taken = [&](int slot) {
      return std::any_of(beside.begin(), beside.end(), [&](const std::string& other) {
        const auto known = slots_.find(other);
        return known != slots_.end() && known->second == slot;
      });
    };
    int slot = slot_of(name);
    for (int tries = 0; tries < 8 && taken(slot); ++tries) slot = (slot + 1) % 8;
    return slots_[name] = slot;
  }

 private:
  std::map<std::string, int> slots_;
};

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

/// The figure of these names alone, and of all where there are more.
void add_plots(const Axes& axes, std::vector<Curve> curves, const std::vector<std::string>& first, Looks& looks,
               std::vector<std::string>& plots, std::vector<std::string>& of_all) {
  const auto is_first = [&](const Curve& c) { return std::count(first.begin(), first.end(), c.name) > 0; };
  for (Curve& curve : curves)
    if (is_first(curve)) curve.slot = looks.of(curve.name, first);
  std::vector<std::string> names;
  for (const Curve& curve : curves) names.push_back(curve.name);
  for (Curve& curve : curves)
    if (!is_first(curve)) curve.slot = looks.of(curve.name, names);
  if (!std::all_of(curves.begin(), curves.end(), is_first)) of_all.push_back(line_plot(axes, curves));
  curves.erase(std::remove_if(curves.begin(), curves.end(), [&](const Curve& c) { return !is_first(c); }), curves.end());
  plots.push_back(line_plot(axes, curves));
}

std::string chain_plots(const FlopsReport& r) {
  const Account raw = [](const FlopsEntry& e) { return e.algorithm == "program" ? std::nullopt : std::optional(e.raw); };
  const Account folded = [](const FlopsEntry& e) { return e.folded; };
  std::string out;
  Looks looks;
  for (const auto& [name, kind] : {std::pair("Inverse dynamics", Kind::inverse), std::pair("Forward dynamics", Kind::forward),
                                   std::pair("Joint-space inertia matrix", Kind::inertia)}) {
    std::vector<std::string> plots, of_all;
    const std::vector<std::string> first = shown_first(r, kind);
    for (const auto& [said, account] : {std::pair("raw", raw), std::pair("folded", folded)}) {
      const std::string title = std::string(name) + ", " + said;
      const std::vector<Curve> whole = curves_of(r, kind, false, account);
      if (whole.empty()) continue;
      add_plots({title, "joints", "flops"}, whole, first, looks, plots, of_all);
      add_plots({title + ", per joint", "joints", "flops a joint", false, false}, curves_of(r, kind, true, account), first,
                looks, plots, of_all);
    }
    out += section(name, beside(plots) + (of_all.empty() ? "" : folded_away("All orders and formulations", beside(of_all))));
  }
  return out + "<p class=\"small\">In italics, thin, with hollow marks: formulas of the literature (mul + add).</p>\n";
}

std::string cell(long x) { return grouped(x); }

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
    std::vector<std::string> row{escaped(entry_name(entry))};
    if (chains) row.push_back(cell(entry.n));
    add_counts(row, counts);
    if (!counts) row[chains ? 2 : 1] = "<span title=\"" + escaped(entry.not_folded) + "\">none</span>";
    if (with_published) row.push_back(published_of(entry));
    rows.push_back(std::move(row));
  }
  return table(rows);
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

/// "RNEA takes 3 226 flops, ABA 7 482": the recursions by what they execute, and the order that a plan takes.
std::string in_a_sentence(const FlopsReport& r) {
  int longest = 0;
  for (const FlopsEntry& entry : r.entries) longest = std::max(longest, entry.n);
  std::string out;
  for (const auto& [algorithm, said] :
       {std::pair("rnea", "inverse dynamics by <b>rnea</b>"), std::pair("aba", "forward dynamics by <b>aba</b>"),
        std::pair("crba", "M by <b>crba</b>")})
    for (const FlopsEntry& entry : r.entries)
      if (entry.algorithm == algorithm && entry.n == longest)
        out += (out.empty() ? "" : ", ") + std::string(said) + " " + grouped(entry.raw.flops());
  for (const FlopsEntry& entry : r.entries)
    if (entry.algorithm == "zero_fill_lu" && entry.chosen && entry.n == longest)
      out += (out.empty() ? "" : ", ") + std::string("the sparse system of ") + escaped(entry.of) + " in its plan's order " +
             grouped((entry.runtime_phases ? entry.runtime_phases->total() : entry.raw).flops());
  return out;
}

/// What a joint more takes, where a chain's operations grow evenly.
std::string growth_in_a_sentence(const FlopsReport& r) {
  int least = 0, most = 0;
  for (const FlopsEntry& entry : r.entries) {
    least = least == 0 ? entry.n : std::min(least, entry.n);
    most = std::max(most, entry.n);
  }
  if (least == most) return "";
  std::string out;
  for (const char* algorithm : {"rnea", "aba"}) {
    long first = 0, last = 0;
    for (const FlopsEntry& entry : r.entries)
      if (entry.algorithm == algorithm && (entry.n == most || entry.n == least))
        (entry.n == most ? last : first) = entry.raw.flops();
    if (first > 0 && last > first)
      out +=
          (out.empty() ? " Each joint more takes " : ", ") + grouped((last - first) / (most - least)) + " (" + algorithm + ")";
  }
  return out.empty() ? "" : out + " on average.";
}

}  // namespace

std::string flops_html(const FlopsReport& r) {
  const bool chains = !r.entries.empty() && r.entries.front().n > 0;
  const std::string lead = "Flops executed for one state of " + escaped(r.subject) + (chains ? ", the longest: " : ": ") +
                           in_a_sentence(r) + "." + (chains ? growth_in_a_sentence(r) : "");
  std::string body = chains ? chain_plots(r) : section("At a glance", choice(r) + robot_bars(r));
  std::vector<std::string> figures;
  for (const Spy& spy : r.matrices)
    figures.push_back(spy_plot(spy, std::clamp(1.5 * static_cast<double>(spy.row_names.size()), 620.0, 1100.0)));
  if (!figures.empty())
    body += section(
        "The matrix, and its factors",
        "<p>Rows are equations, columns unknowns; the pointer, or a finger, names them, and the slider follows the elimination "
        "step by step. Blue and green entries are the matrix' own, in L and in U; red and ochre ones come up on the "
        "way.</p>\n" +
            std::string(zero_fill) + beside(figures));
  if (const std::vector<GrowthLine> growth = flops_growth(r); !growth.empty())
    body += section("Growth with the number of joints n, by least squares",
                    table(growth_rows(growth)) + "<p class=\"small\">" + who_counts_what + "</p>\n");
  const auto raw = [](const FlopsEntry& e) { return std::optional(e.raw); };
  const auto folded = [](const FlopsEntry& e) { return e.folded; };
  body += section("All numbers", accounts + folded_away("Raw counts", table_of(r, "raw", raw, chains)) +
                                     folded_away("Folded counts", table_of(r, "folded", folded, false)) +
                                     folded_away("LU, phase by phase", phase_table(r)) +
                                     folded_away("What is included", includes_of(r)));
  return page("Operation counts: " + r.subject, lead, body);
}

}  // namespace sparsedyn::cli
