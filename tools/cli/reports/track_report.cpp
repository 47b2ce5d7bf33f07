#include "track_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "track_lead.hpp"

namespace sparsedyn::cli {
namespace {

/// The section in which an output is drawn; those of feet, orientations and innovations have figures of their own.
std::string heading_of(const std::string& column) {
  const std::string name = column.rfind("sd.", 0) == 0 ? column.substr(3) : column;
  const auto is = [&name](const char* prefix) { return name.rfind(prefix, 0) == 0; };
  if (is("contact.") || is("foot.") || name == "nis" || is("q.base.q") || is("q.base.r")) return "";
  if (is("q.base.") || is("dq.base.")) return "Place and velocity of the base";
  if (is("bias.")) return "Offsets of sensors";
  if (is("model_wrench.")) return "What the model gets wrong: a wrench on the base";
  if (is("q.") || is("dq.")) return "Positions and velocities of joints";
  return "Accelerations, torques and forces";
}

constexpr std::size_t most_waiting = 20000;  // rows without results one after the other, until one has results

const char* const headings[] = {"Place and velocity of the base", "Offsets of sensors", "Accelerations, torques and forces",
                                "What the model gets wrong: a wrench on the base", "Positions and velocities of joints"};

}  // namespace

TrackReport::TrackReport(const Model& model, CsvReader& log, const std::vector<std::string>& columns,
                         const std::function<bool(const std::string&)>& is_input)
    : TrackReport(model, log, columns, is_input,
                  BaseFigures::channels + StandingFeet::channels_of(columns) + EstimateReport::channels_of(columns)) {}

/// channels: of the whole page.
TrackReport::TrackReport(const Model& model, CsvReader& log, const std::vector<std::string>& columns,
                         const std::function<bool(const std::string&)>& is_input, std::size_t channels)
    : model_(model),
      base_(columns, channels - BaseFigures::channels),
      feet_(columns, channels - StandingFeet::channels_of(columns)) {
  for (const char* heading : headings) {
    std::vector<std::size_t> places;
    std::vector<std::string> names;
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (heading_of(columns[c]) == heading) places.push_back(c), names.push_back(columns[c]);
    if (names.empty()) continue;
    const auto deviation = [](const std::string& name) { return name.rfind("sd.", 0) == 0; };
    const auto compared =
        static_cast<std::size_t>(std::count_if(names.begin(), names.end(), [&](const auto& n) { return !deviation(n); }));
    const std::size_t beside = channels - std::min(channels, EstimateReport::channels_of(names));
    parts_.push_back({heading, places, EstimateReport(model, log, names, true, is_input, beside), compared,
                      std::vector<double>(names.size())});
  }
}

void TrackReport::read(std::vector<double>& truth) {
  truth.clear();
  std::vector<double> of_part;
  for (Part& part : parts_) {
    part.figures.read(of_part);
    truth.insert(truth.end(), of_part.begin(), of_part.end());
  }
}

void TrackReport::add(const double* results, const TrackedRow& row, int slips) {
  if (!results) {
    if (failed_++ == 0) first_failed_line_ = row.line;
    if (failed_rows_.size() == most_waiting) draw_failed(last_time_);
    failed_rows_.push_back({row, slips});
    return;
  }
  draw_failed(row.time);
  last_time_ = row.time;
  draw(last_time_, results, row, slips);
}

void TrackReport::finish() { draw_failed(last_time_); }

/// Rows without results, of which none is drawn after that time.
void TrackReport::draw_failed(double before) {
  for (const Failed& failed : failed_rows_) {
    const double own = failed.row.time;
    if (own <= before && !(own < last_time_)) last_time_ = own;
    draw(last_time_, nullptr, failed.row, failed.slips);
  }
  failed_rows_.clear();
}

void TrackReport::draw(double time, const double* results, const TrackedRow& row, int slips) {
  if (!std::isfinite(time)) return;  // no row had a time yet
  base_.add(time, results, row.base);
  feet_.add(time, results, slips);
  std::size_t first = 0;
  for (Part& part : parts_) {
    for (std::size_t k = 0; k < part.columns.size(); ++k)
      part.results[k] = results ? results[part.columns[k]] : std::numeric_limits<double>::quiet_NaN();
    const auto from = row.truth.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<double> truth(from, from + static_cast<std::ptrdiff_t>(part.compared));
    RowMarks marks;
    marks.failed = !results;
    part.figures.add(part.results.data(), truth, time, marks);
    first += part.compared;
  }
}

std::string TrackReport::lead(const Json& details) const {
  TrackFindings found{details, base_, feet_, failed_, first_failed_line_, base_.judged(), base_.covered()};
  for (const Part& part : parts_) found.judged += part.figures.judged(), found.covered += part.figures.covered();
  return track_findings(model_.name, found);
}

std::string TrackReport::html(const std::string& title, const std::string& summary, const Json& details) const {
  std::string charts, tables;
  for (const Part& part : parts_) {
    charts += part.figures.outputs(part.heading);
    if (const std::string table = part.figures.table(); !table.empty())
      tables += "<h3>" + report::escaped(part.heading) + "</h3>\n" + table;
  }
  return report::page(title, lead(details),
                      report::console(summary) + base_.html() + feet_.html() + charts +
                          (tables.empty() ? "" : report::section("Beside the log", tables)));
}

}  // namespace sparsedyn::cli
