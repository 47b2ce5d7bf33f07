#include "standing_feet.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/text/begins.hpp"

namespace sparsedyn::cli {
namespace {

constexpr std::size_t most_feet_a_figure = 8, most_slips_drawn = 2000;
constexpr double millimetres = 1000;

/// A contact's only point is foot.NAME, one of several foot.NAME.K.
bool is_x_of_point(const std::string& column, const std::string& contact) {
  const std::string prefix = "foot." + contact + ".";
  if (!begins(column, prefix)) return false;
  const std::string rest = column.substr(prefix.size());
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  return rest == "x" || (digits > 0 && rest.compare(digits, std::string::npos, ".x") == 0);
}

}  // namespace

std::size_t StandingFeet::channels_of(const std::vector<std::string>& columns) {
  std::size_t feet = 0;
  for (const std::string& name : columns) feet += begins(name, "contact.");
  return 2 * feet + 1;
}

StandingFeet::StandingFeet(const std::vector<std::string>& columns, std::size_t channels_beside)
    : rows_(channels_of(columns), report::stretches_of_page(channels_of(columns) + channels_beside)),
      row_(channels_of(columns)) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c] == "nis") nis_ = static_cast<int>(c);
    if (begins(columns[c], "contact.")) feet_.push_back({columns[c].substr(8), static_cast<int>(c), {}, false, 0, {}});
  }
  for (Foot& foot : feet_)
    for (std::size_t c = 0; c + 2 < columns.size(); ++c)
      if (is_x_of_point(columns[c], foot.name)) foot.points.push_back(static_cast<int>(c));
  for (Foot& foot : feet_) foot.landed.resize(3 * foot.points.size());
}

/// How far its points are at most from where they were when it landed, m; NaN where it does not stand.
double StandingFeet::crept(Foot& foot, double time, const double* results) {
  const bool stood = foot.stands;
  foot.stands = results[foot.state] > 0.5;
  ++foot.rows, foot.standing += foot.stands;
  if (!foot.stands) return std::numeric_limits<double>::quiet_NaN();
  double farthest = 0;
  if (!stood) foot.since = time;
  for (std::size_t p = 0; p < foot.points.size(); ++p) {
    const double* const at = results + foot.points[p];
    double* const landed = foot.landed.data() + 3 * p;
    if (!stood) std::copy_n(at, 3, landed);
    farthest = std::max(farthest, std::hypot(at[0] - landed[0], at[1] - landed[1], at[2] - landed[2]));
  }
  if (farthest > foot.farthest) foot.farthest = farthest, foot.from = foot.since;
  return farthest;
}

void StandingFeet::add(double time, const double* results, int slips) {
  std::fill(row_.begin(), row_.end(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < feet_.size() && results; ++k) {
    row_[feet_.size() + k] = millimetres * crept(feet_[k], time, results);
    row_[k] = results[feet_[k].state];
  }
  if (results && nis_ >= 0) row_.back() = results[nis_];
  if (slips > 0 && slips_.size() < most_slips_drawn) slips_.push_back(time);
  rows_.add(time, row_.data());
}

std::string StandingFeet::timelines() const {
  std::vector<std::string> figures;
  for (std::size_t first = 0; first < feet_.size(); first += most_feet_a_figure) {
    report::TimePlot plot{"Feet that stand", "time (s)", "", rows_, {}, -1, -1, {}, {}, {}};
    plot.spans = true;
    for (std::size_t k = first; k < std::min(feet_.size(), first + most_feet_a_figure); ++k)
      plot.lines.push_back({feet_[k].name, static_cast<int>(k), static_cast<int>(k - first)});
    figures.push_back(report::time_plot(plot));
  }
  return report::beside(figures);
}

std::string StandingFeet::creeping() const {
  std::vector<std::string> figures;
  for (std::size_t first = 0; first < feet_.size(); first += most_feet_a_figure) {
    report::TimePlot plot{
        "How far a foothold is from where its foot landed", "time (s)", "mm", rows_, {}, -1, -1, {}, slips_, {}};
    plot.legend = true;
    for (std::size_t k = first; k < std::min(feet_.size(), first + most_feet_a_figure); ++k)
      plot.lines.push_back({feet_[k].name, static_cast<int>(feet_.size() + k), static_cast<int>(k - first)});
    figures.push_back(report::time_plot(plot));
  }
  if (nis_ >= 0 && std::isfinite(rows_.range(2 * feet_.size()).low))
    figures.push_back(report::time_plot({"Innovations beside their variance (nis)",
                                         "time (s)",
                                         "",
                                         rows_,
                                         {{"nis", static_cast<int>(2 * feet_.size()), 0}},
                                         -1,
                                         -1,
                                         {1},
                                         slips_,
                                         {}}));
  return (slips_.empty() ? "" : report::time_key({}, "", "a foot is let go as slipping")) + report::beside(figures);
}

std::string StandingFeet::html() const {
  const std::string charts = creeping();
  if (feet_.empty() && charts.empty()) return "";
  return report::section(feet_.empty() ? "Innovations" : "Feet and innovations", timelines() + charts);
}

}  // namespace sparsedyn::cli
