#include "inspection_page.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "inspection/spectrum.hpp"
#include "io/suggestions.hpp"
#include "io/text/how_many.hpp"
#include "model/names/units.hpp"
#include "report/figure.hpp"

namespace sparsedyn::cli {
namespace {

using report::escaped;
using report::number;

constexpr std::size_t most_figures = 40, frequencies = 60;
constexpr double hole = 1.6;  // usual steps: rows were lost

std::string findings_table(const Inspection& found) {
  std::vector<std::vector<std::string>> rows{{"finding", "columns", "evidence", "likely", "remedy", "lines"}};
  for (const Finding& f : found.findings) {
    rows.push_back({std::string(severity_name(f.severity)) + ": " + finding_name(f.kind), escaped(listing(f.columns, 12)),
                    escaped(f.evidence), escaped(f.likely), escaped(f.remedy),
                    std::to_string(f.from_line) + " to " + std::to_string(f.to_line)});
  }
  return "<div class=\"words\">" + report::table(rows) + "</div>";
}

const std::vector<double>* values_of(const RecordedLog& log, const std::string& name) {
  const auto at = std::find(log.columns.begin(), log.columns.end(), name);
  return at == log.columns.end() ? nullptr : &log.values[static_cast<std::size_t>(at - log.columns.begin())];
}

std::optional<JointLimits> limits_of(const Model& model, const std::string& column) {
  const int joint = column.compare(0, 2, "q.") == 0 ? model.find_joint(column.substr(2)) : -1;
  if (joint < 0 || model.limits.empty()) return std::nullopt;
  const Joint& found = model.joints[static_cast<std::size_t>(joint)];
  if (found.nv != 1) return std::nullopt;
  return model.limits[static_cast<std::size_t>(found.v)];
}

/// Each column's range, gaps and limits; columns of zeros folded away.
std::string range_table(const Model& model, const RecordedLog& log) {
  const std::vector<std::string> header{"column", "least", "largest", "mean", "lower limit", "upper limit", "empty cells"};
  std::vector<std::vector<std::string>> rows{header}, zeros{header};
  for (std::size_t c = 0; c < log.columns.size(); ++c) {
    double low = HUGE_VAL, high = -HUGE_VAL, sum = 0;
    long count = 0;
    for (double x : log.values[c])
      if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x), sum += x, ++count;
    const std::optional<JointLimits> limits = limits_of(model, log.columns[c]);
    (low == 0 && high == 0 ? zeros : rows)
        .push_back({escaped(log.columns[c]), number(low), number(high),
                    number(count ? sum / static_cast<double>(count) : std::nan("")), limits ? number(limits->lower) : "",
                    limits ? number(limits->upper) : "", report::grouped(static_cast<long>(log.values[c].size()) - count)});
  }
  const std::size_t zero = zeros.size() - 1;
  return report::table(rows) +
         (zero ? report::folded_away(std::to_string(zero) + (zero == 1 ? " column is" : " columns are") + " zero in every row",
                                     report::table(zeros))
               : "");
}

/// When the rows were taken.
struct Clock {
  std::vector<double> time;  // s since the first row; else the row, over the rate where one is known
  bool told = false;         // whether these are the log's times
  std::string axis;          // the title of the charts' axis
};

/// The log's own times, from its first row on, in seconds. Where the log has none, or they go back, rows are counted, and the
/// axis says so.
Clock clock_of(const RecordedLog& log, const Inspection& found) {
  Clock clock;
  clock.told = !found.times.empty();
  if (clock.told) {
    const std::vector<double>& own = *values_of(log, "time");
    clock.time = found.times, clock.axis = own[0] == 0 ? "time (s)" : "time since the first row (s)";
    return clock;
  }
  const double step = found.rate > 0 ? 1 / found.rate : 1;
  for (long row = 0; row < found.rows; ++row) clock.time.push_back(static_cast<double>(row) * step);
  clock.axis = found.rate > 0 ? "row / rate (s): the log's times go back" : "row";
  return clock;
}

/// Of times that ascend, the step that half of them keep to; infinite where more than one step in a hundred is much longer:
/// such times are uneven, and nothing is lost.
double step_between_holes(const std::vector<double>& time) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < time.size(); ++i) steps.push_back(time[i] - time[i - 1]);
  if (steps.empty()) return HUGE_VAL;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  const double usual = *middle;
  const auto holes = std::count_if(steps.begin(), steps.end(), [&](double step) { return step > hole * usual; });
  return 100 * holes > static_cast<std::ptrdiff_t>(steps.size()) ? HUGE_VAL : usual;
}

std::string over_time(const std::string& title, const std::string& unit, const Clock& clock, const std::vector<double>& time,
                      const std::vector<std::pair<std::string, const std::vector<double>*>>& series,
                      std::vector<double> levels) {
  report::Thinned rows(series.size());
  std::vector<double> row(series.size());
  report::Gaps gaps;
  long n = 0;  // of what is added
  const double step = step_between_holes(time);
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (i > 0 && time[i] - time[i - 1] > hole * step) {  // rows that were lost: no line across
      std::fill(row.begin(), row.end(), std::nan(""));
      const double lost = std::min(std::round((time[i] - time[i - 1]) / step) - 1, 2000.0);
      for (double k = 1; k <= lost; ++k, ++n) {
        const double at = time[i - 1] + k / (lost + 1) * (time[i] - time[i - 1]);
        gaps.add(n, at), rows.add(at, row.data());
      }
    }
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = (*series[c].second)[i];
    rows.add(time[i], row.data());
    if (!std::isfinite(row[0])) gaps.add(n, time[i]);
    ++n;
  }
  report::TimePlot plot{title, clock.axis, unit, rows, {}, -1, -1, std::move(levels), {}, gaps.all()};
  for (std::size_t c = 0; c < series.size(); ++c) plot.lines.push_back({series[c].first, static_cast<int>(c), c == 0 ? 0 : 1});
  return report::time_plot(plot);
}

/// The columns of a section, each once.
class RawColumns {
 public:
  RawColumns(const Model& model, const RecordedLog& log, const Clock& clock) : model_(model), log_(log), clock_(clock) {}

  /// Draws a column, with its limits, unless it is drawn already or there are enough.
  void draw(const std::string& name, std::vector<std::string>& figures, const std::string& said = "") {
    const std::vector<double>* const values = values_of(log_, name);
    if (!values || name == "time" || figures.size() >= most_figures || !drawn_.insert(name).second) return;
    std::vector<double> levels;
    if (const std::optional<JointLimits> limits = limits_of(model_, name))
      for (double level : {limits->lower, limits->upper})
        if (std::isfinite(level)) levels.push_back(level);
    figures.push_back(over_time(name + said, unit_of(model_, name), clock_, clock_.time, {{name, values}}, levels));
  }

 private:
  const Model& model_;
  const RecordedLog& log_;
  const Clock& clock_;
  std::set<std::string> drawn_;
};

/// "400 s" of a line of the log, or its line where its times cannot be used.
std::string moment(const RecordedLog& log, const Clock& clock, long line) {
  const auto at = std::lower_bound(log.lines.begin(), log.lines.end(), line);
  const auto row = static_cast<std::size_t>(at - log.lines.begin());
  return clock.told && at != log.lines.end() ? number(clock.time[row], 5) + " s" : "line " + std::to_string(line);
}

/// "q.elbow and 2 more columns".
std::string columns_of(const Finding& finding) {
  if (finding.columns.empty()) return "the log";
  const std::size_t more = finding.columns.size() - 1;
  return "<b>" + escaped(finding.columns.front()) + "</b>" +
         (more ? " and " + how_many(static_cast<long>(more), "more column", "more columns") : "");
}

/// How many columns of the log were not judged, and how many it lacks of joints that it has others of.
std::string unjudged_words(const Inspection& found) {
  std::set<std::string> columns;
  for (const Unjudged& one : found.unjudged) columns.insert(one.columns.begin(), one.columns.end());
  const auto counted = [](std::size_t count) { return how_many(static_cast<long>(count), "column", "columns"); };
  std::string said;
  if (!columns.empty()) said += " " + counted(columns.size()) + (columns.size() == 1 ? " was" : " were") + " not judged.";
  if (!found.lacking.empty()) said += " The log lacks " + counted(found.lacking.size()) + " of joints.";
  return said;
}

/// How many findings there are, the first three in words, and how many columns were not judged.
std::string lead_of(const RecordedLog& log, const Clock& clock, const Inspection& found) {
  if (found.findings.empty())
    return "Nothing was found in " + report::grouped(found.rows) + (found.rows == 1 ? " row." : " rows.") +
           unjudged_words(found);
  constexpr std::size_t said = 3;
  const std::size_t count = found.findings.size();
  std::string text = report::grouped(static_cast<long>(count)) + (count == 1 ? " finding" : " findings") +
                     (count > said ? ", the worst of them:" : ":");
  for (std::size_t k = 0; k < std::min(said, count); ++k) {
    const Finding& f = found.findings[k];
    text += k ? "; " : " ";
    if (f.kind == FindingKind::other_robot) {
      text += "<b>" + escaped(f.evidence) + "</b>";
      continue;
    }
    text += std::string(finding_name(f.kind)) + " of " + columns_of(f) + ", from " + moment(log, clock, f.from_line) + " to " +
            moment(log, clock, f.to_line) + ": likely " + escaped(f.likely);
  }
  return text + "." + unjudged_words(found);
}

/// The steps of the time from one row to the next: the log's own where its times go back.
std::string steps_chart(const Clock& clock, const std::vector<double>& times) {
  std::vector<double> steps(times.size(), std::nan(""));
  const std::vector<double>& of = clock.told ? clock.time : times;
  for (std::size_t i = 1; i < steps.size(); ++i) steps[i] = of[i] - of[i - 1];
  return over_time("step", clock.told ? "s" : "as in the log", clock, clock.time, {{"step", &steps}}, {});
}

}  // namespace

std::string inspection_page(const std::string& title, const Model& model, const RecordedLog& log, const Inspection& found,
                            const std::string& summary) {
  std::vector<std::string> suspects, positions, others, torques;
  const std::vector<double>* const times = values_of(log, "time");
  const Clock clock = clock_of(log, found);
  std::vector<report::Curve> curves;
  RawColumns raw(model, log, clock);
  for (const Finding& finding : found.findings) {
    if (finding.kind == FindingKind::other_robot) continue;  // no column shows it
    for (const std::string& name : finding.columns)
      raw.draw(name, suspects,
               ": " + std::string(finding_name(finding.kind)) + ", " + moment(log, clock, finding.from_line) + " to " +
                   moment(log, clock, finding.to_line));
  }
  for (std::size_t c = 0; c < log.columns.size(); ++c) {
    const std::string& name = log.columns[c];
    if (name.compare(0, 2, "q.") != 0) {
      if (std::any_of(log.values[c].begin(), log.values[c].end(), [](double x) { return std::isfinite(x) && x != 0; }))
        raw.draw(name, others);
      continue;
    }
    raw.draw(name, positions);
    if (found.rate > 0 && found.rows > 20 && curves.size() < 8)
      curves.push_back({name, amplitudes(log.values[c], found.rate, frequencies), false});
  }
  for (const ComparedTorque& torque : found.torques) {
    if (torques.size() >= most_figures) break;
    torques.push_back(over_time(torque.column, unit_of(model, torque.column), clock, torque.time,
                                {{"measured", &torque.measured}, {"model", &torque.model}}, {}));
  }
  std::string body;
  if (!found.findings.empty()) body += report::section("Findings", findings_table(found));
  if (!suspects.empty()) body += report::section("Columns with findings", report::beside(suspects));
  body += report::section("Ranges, limits and gaps", range_table(model, log));
  if (!positions.empty()) body += report::section("Positions and their limits", report::beside(positions));
  if (times && clock.time.size() > 2 && found.rate > 0)
    body += report::section("Steps of the time", report::beside({steps_chart(clock, *times)}));
  if (!curves.empty())
    body += report::section("Spectra of positions", report::line_plot({"amplitude", "frequency (Hz)", "amplitude"}, curves));
  if (!torques.empty())
    body += report::section(
        "Torques beside the model",
        report::time_key({{"measured", 0, 0}, {"the model's", 1, 1}}, "", "", "no number") + report::beside(torques));
  if (!others.empty())
    body += report::section(
        "The other columns, as they are",
        report::folded_away(std::to_string(others.size()) + (others.size() == 1 ? " column" : " columns") +
                                " that are not zero throughout" + (others.size() >= most_figures ? ", the first of them" : ""),
                            report::beside(others)));
  body += report::console(summary);
  return report::page(title, lead_of(log, clock, found), body);
}

}  // namespace sparsedyn::cli
