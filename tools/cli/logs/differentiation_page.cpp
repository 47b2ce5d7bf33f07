#include "differentiation_page.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "report/figure.hpp"
#include "sparsedyn/report/page.hpp"

namespace sparsedyn::cli {
namespace {

using report::escaped;
using report::number;

constexpr std::size_t most_charts = 90;

/// What the log says itself of a derivative, beside what was made.
struct Compared {
  std::string column;
  long rows = 0, within = 0;  // within ± 2σ
  double rms = 0, deviation = 0;
};

Compared compared(const std::string& column, const std::vector<double>& own, const std::vector<double>& made,
                  double deviation) {
  Compared out{column, 0, 0, 0, deviation};
  double squares = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const double off = own[i] - made[i];
    if (!std::isfinite(off)) continue;
    ++out.rows, squares += off * off, out.within += std::abs(off) <= 2 * deviation;
  }
  if (out.rows > 0) out.rms = std::sqrt(squares / static_cast<double>(out.rows));
  return out;
}

std::vector<Compared> comparisons(const NamedSeries& log, const Differentiated& made) {
  std::vector<Compared> all;
  for (std::size_t k = 0; k < made.columns.size(); ++k)
    if (const std::vector<double>* const own = log.find(made.columns[k]); own && std::isfinite(made.deviation[k]))
      all.push_back(compared(made.columns[k], *own, made.values[k], made.deviation[k]));
  all.erase(std::remove_if(all.begin(), all.end(), [](const Compared& c) { return c.rows == 0; }), all.end());
  const auto share = [](const Compared& c) { return static_cast<double>(c.within) / static_cast<double>(c.rows); };
  std::stable_sort(all.begin(), all.end(), [&](const Compared& a, const Compared& b) { return share(a) < share(b); });
  return all;
}

std::string percent(const Compared& c) {
  return number(100 * static_cast<double>(c.within) / static_cast<double>(c.rows), 3) + "\u202f%";
}

std::string comparison_table(const std::vector<Compared>& all) {
  std::vector<std::vector<std::string>> rows{
      {"column of the log", "rows compared", "rms of the difference", "standard deviation", "within 2σ"}};
  for (const Compared& c : all)
    rows.push_back({escaped(c.column), report::grouped(c.rows), number(c.rms), number(c.deviation, 3), percent(c)});
  return report::table(rows);
}

/// The finding: what is left empty, which angles jumped, and whether the log's own derivatives agree with those made.
std::string agreement(const std::vector<Compared>& all, const Differentiated& made) {
  std::string out;
  long empty = 0;
  for (double deviation : made.deviation) empty += std::isnan(deviation);
  if (empty > 0)
    out += "<b>" + report::grouped(empty) + (empty == 1 ? " column is" : " columns are") +
           " left empty</b>: no stretch without a gap is as long as a window. ";
  std::set<std::string> jumped;
  for (const Differentiated::Jump& jump : made.unwrapped) jumped.insert(jump.column);
  if (!jumped.empty())
    out += "<b>" + escaped(*jumped.begin()) + "</b>" +
           (jumped.size() > 1 ? " and " + report::grouped(static_cast<long>(jumped.size()) - 1) + " more" : "") +
           " jumps by nearly 2π, taken as no jump. ";
  if (all.empty()) return out + "The log has no velocities or accelerations of its own to compare.";
  const Compared& worst = all.front();
  if (static_cast<double>(worst.within) >= 0.9 * static_cast<double>(worst.rows))
    return out + "The log's own derivatives agree with what was made: of <b>" + escaped(worst.column) + "</b> " +
           percent(worst) +
           " of the rows lie within ± 2σ, of the others as many or more; 95.4 % should, and fewer at the ends.";
  return out + "Of the log's own derivatives <b>" + escaped(worst.column) + "</b> differs most: by " + number(worst.rms, 3) +
         " (rms), where the standard deviation of what was made is " + number(worst.deviation, 3) + "; " + percent(worst) +
         " of its rows lie within ± 2σ, where 95.4 % should if both are right.";
}

std::string figure(const NamedSeries& log, const Differentiated& made, std::size_t k, double start, double step) {
  const std::vector<double>& values = made.values[k];
  const std::vector<double>* const own = log.find(made.columns[k]);
  report::Thinned rows(4, report::stretches_of_page(4 * std::min(made.columns.size(), most_charts)));
  report::Gaps gaps;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double reach = 2 * made.deviation[k], at = start + step * static_cast<double>(i);
    const double row[4] = {values[i], values[i] - reach, values[i] + reach, own ? (*own)[i] : std::nan("")};
    rows.add(at, row);
    if (!std::isfinite(values[i])) gaps.add(static_cast<long>(i), at);
  }
  report::TimePlot plot{made.columns[k], "time (s)", "", rows, {{"made", 0, 0}}, 1, 2, {}, {}, gaps.all()};
  if (own) plot.lines.push_back({"the log", 3, 1});
  return report::time_plot(plot);
}

std::string position_figure(const std::string& name, const std::vector<double>& values, std::size_t figures, double start,
                            double step) {
  report::Thinned rows(1, report::stretches_of_page(figures));
  report::Gaps gaps;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double at = start + step * static_cast<double>(i);
    rows.add(at, &values[i]);
    if (!std::isfinite(values[i])) gaps.add(static_cast<long>(i), at);
  }
  return report::time_plot({name, "time (s)", "", rows, {{"the log", 0, 1}}, -1, -1, {}, {}, gaps.all()});
}

}  // namespace

const std::vector<double>* NamedSeries::find(const std::string& name) const {
  const auto at = std::find(names.begin(), names.end(), name);
  return at == names.end() ? nullptr : &values[static_cast<std::size_t>(at - names.begin())];
}

std::string differentiation_page(const std::string& title, const NamedSeries& log, const Differentiated& made, double start,
                                 double step, const std::string& printed) {
  const std::vector<Compared> all = comparisons(log, made);
  std::string body = report::console(printed);
  if (!all.empty()) body += report::section("Beside the log's own derivatives", comparison_table(all));
  body += report::time_key({{"made", 0, 0}, {"what the log says", 0, 1}}, "± 2σ", "", "no number");
  for (const auto& [kind, heading] :
       {std::pair("dq.", "Velocities, the positions' unit a second"), std::pair("ddq.", "Accelerations, that a second")}) {
    std::vector<std::string> figures;
    for (std::size_t k = 0; k < made.columns.size() && figures.size() < most_charts; ++k)
      if (made.columns[k].rfind(kind, 0) == 0 && std::isfinite(made.deviation[k]))
        figures.push_back(figure(log, made, k, start, step));
    if (!figures.empty()) body += report::section(heading, report::beside(figures));
  }
  std::vector<std::string> positions;
  for (std::size_t c = 0; c < log.names.size() && positions.size() < most_charts; ++c)
    if (log.names[c].rfind("q.", 0) == 0)
      positions.push_back(position_figure(log.names[c], log.values[c], std::min(log.names.size(), most_charts), start, step));
  body += report::section("Positions (rad or m)", report::beside(positions));
  return report::page(title, agreement(all, made), body);
}

}  // namespace sparsedyn::cli
