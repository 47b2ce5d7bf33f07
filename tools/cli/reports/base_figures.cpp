#include "base_figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tracking/rotation_vector.hpp"

namespace sparsedyn::cli {
namespace {

constexpr double nothing_known = std::numeric_limits<double>::quiet_NaN();
constexpr double degrees = 57.29577951308232;
constexpr std::size_t most_points_of_a_way = 800, attitude_channels = 6;
const char* const error_names[] = {"place, x", "place, y", "place, z", "turn about x", "turn about y", "turn about z"};

/// Places of columns; empty unless all are there.
std::vector<int> places_of(const std::vector<std::string>& columns, const std::string& prefix,
                           const std::vector<std::string>& names) {
  std::vector<int> found;
  for (const std::string& name : names) {
    const auto at = std::find(columns.begin(), columns.end(), prefix + name);
    if (at == columns.end()) return {};
    found.push_back(static_cast<int>(at - columns.begin()));
  }
  return found;
}

struct RollPitchYaw {
  double roll, pitch, yaw;  // rad: R = R_z(yaw) R_y(pitch) R_x(roll)
};

RollPitchYaw angles_of(const Mat3<double>& R) {
  return {std::atan2(R(2, 1), R(2, 2)), std::asin(std::clamp(-R(2, 0), -1.0, 1.0)), std::atan2(R(1, 0), R(0, 0))};
}

/// The angle of the same turn that is nearest to `before`.
double unwound(double angle, double before) {
  constexpr double whole = 6.283185307179586;
  return angle + whole * std::round((before - angle) / whole);
}

}  // namespace

void KeptWay::add(double x, double y) {
  if (count_++ % stride_ != 0) return;
  points_.emplace_back(x, y);
  if (points_.size() < most_points_of_a_way) return;
  for (std::size_t k = 0; 2 * k < points_.size(); ++k) points_[k] = points_[2 * k];
  points_.resize((points_.size() + 1) / 2);
  stride_ *= 2;
}

BaseFigures::BaseFigures(const std::vector<std::string>& columns, std::size_t channels_beside)
    : pose_(places_of(columns, "q.base.", {"x", "y", "z", "qx", "qy", "qz", "qw"})),
      deviations_(places_of(columns, "sd.q.base.", {"x", "y", "z", "rx", "ry", "rz"})),
      rows_(channels, report::stretches_of_page(channels + channels_beside)),
      row_(channels),
      place_reach_(nothing_known),
      yaw_reach_(nothing_known) {}

void BaseFigures::add(double time, const double* results, const BaseTruth& truth) {
  if (pose_.empty()) return;
  std::fill(row_.begin(), row_.end(), nothing_known);
  const auto put = [this](const double* q, double& yaw, std::size_t first) {
    const RollPitchYaw angles = angles_of(rotation_from_quaternion(q + 3));
    yaw = unwound(angles.yaw, yaw);
    row_[first] = degrees * angles.roll, row_[first + 1] = degrees * angles.pitch, row_[first + 2] = degrees * yaw;
  };
  if (results) {
    double q[7];
    for (std::size_t k = 0; k < 7; ++k) q[k] = results[pose_[k]];
    put(q, yaw_, 0);
    estimate_.add(q[0], q[1]);
    add_errors(results, truth);
  }
  if (truth.placed) put(truth.q, true_yaw_, 3), truth_.add(truth.q[0], truth.q[1]);
  rows_.add(time, row_.data());
}

/// Place less the log's, along the world's axes; the turn from the log's orientation to the estimate's, about them.
void BaseFigures::add_errors(const double* results, const BaseTruth& truth) {
  double* const channel = row_.data() + attitude_channels;
  double q[7], error[6];
  for (std::size_t k = 0; k < 7; ++k) q[k] = results[pose_[k]];
  const auto turn = tracking::logarithm(rotation_from_quaternion(q + 3) * transpose(rotation_from_quaternion(truth.q + 3)));
  for (int k = 0; k < 3; ++k) error[k] = q[k] - truth.q[k], error[3 + k] = turn[k];
  for (int k = 0; k < 6; ++k) {
    const double unit = k < 3 ? 1 : degrees;
    const double reach = deviations_.empty() ? nothing_known : 2 * results[deviations_[static_cast<std::size_t>(k)]];
    if (truth.placed) channel[3 * k] = unit * error[k];
    channel[3 * k + 1] = -unit * reach, channel[3 * k + 2] = unit * reach;
    if (k >= 3 && truth.placed && reach > 0) ++judged_, covered_ += std::abs(error[k]) <= reach;
  }
  if (deviations_.empty()) return;
  place_reach_ = 0;
  for (std::size_t k = 0; k < 3; ++k) place_reach_ = std::max(place_reach_, 2 * results[deviations_[k]]);
  yaw_reach_ = 2 * results[deviations_[5]];
}

std::string BaseFigures::attitude() const {
  const char* const names[] = {"roll", "pitch", "yaw"};
  std::vector<std::string> figures;
  for (int k = 0; k < 3; ++k) {
    report::TimePlot plot{names[k], "time (s)", "°", rows_, {{"estimate", k, 0}}, -1, -1, {}, {}, {}};
    if (!truth_.points().empty()) plot.lines.insert(plot.lines.begin(), {"the log", 3 + k, 1});
    figures.push_back(report::time_plot(plot));
  }
  return report::beside(figures);
}

std::string BaseFigures::errors() const {
  std::vector<std::string> figures;
  const bool known = !truth_.points().empty();
  for (int k = 0; k < 6 && (known || !deviations_.empty()); ++k) {
    const int first = static_cast<int>(attitude_channels) + 3 * k;
    report::TimePlot plot{error_names[k], "time (s)", k < 3 ? "m" : "°", rows_, {}, -1, -1, {0}, {}, {}};
    if (!deviations_.empty()) plot.band_low = first + 1, plot.band_high = first + 2;
    if (known) plot.lines.push_back({"error", first, 0});
    figures.push_back(report::time_plot(plot));
  }
  if (figures.empty()) return "";
  return report::section(
      known ? "Errors of the base, along and about the world's axes"
            : "How surely the base is known, along and about the world's axes",
      report::time_key(known ? std::vector<report::TimeLine>{{"estimate less the log", 0, 0}} : std::vector<report::TimeLine>{},
                       deviations_.empty() ? "" : "± 2σ") +
          report::beside(figures));
}

std::string BaseFigures::html() const {
  if (pose_.empty() || rows_.stretches() == 0) return "";
  std::vector<report::Curve> ways{{"estimate", estimate_.points()}};
  std::vector<report::TimeLine> lines{{"estimate", 0, 0}};
  if (!truth_.points().empty()) ways.push_back({"the log", truth_.points()}), lines.push_back({"what the log says", 0, 1});
  return report::section("The way of the base", report::line_plot({"From above", "x (m)", "y (m)", false, false, true}, ways) +
                                                    report::time_key(lines, "") + attitude()) +
         errors();
}

}  // namespace sparsedyn::cli
