// What a motion's page draws over time: energy and work, contacts, and the joints of each limb.
#include <algorithm>
#include <cmath>

#include "report/figure.hpp"
#include "simulation/motion_page.hpp"

namespace sparsedyn {
namespace {

constexpr std::size_t most_lines = 8;  // of one chart, each in a colour of its own

std::string motion_plot(const report::Thinned& rows, const std::string& title, const std::string& unit,
                        std::vector<report::TimeLine> lines) {
  const bool several = lines.size() > 1;
  return report::time_plot({title, "time (s)", unit, rows, std::move(lines), -1, -1, {}, {}, {}, several});
}

/// Joints by kind (positions, velocities, torques): what is zero in every row is said and not drawn. drawn: of that kind.
std::string zero_words(const std::vector<std::string> (&still)[3], const bool (&drawn)[3]) {
  const char* const kinds[] = {"positions", "velocities", "torques"};
  std::string text;
  for (int kind = 0; kind < 3; ++kind) {
    if (still[kind].empty()) continue;
    text += (text.empty() ? "" : "; ") + std::string(drawn[kind] ? "" : "all ") + kinds[kind];
    if (!drawn[kind]) continue;
    for (const std::string& joints : still[kind])
      text += (&joints == &still[kind].front() ? " of " : ", ") + report::escaped(joints);
  }
  return text.empty() ? "" : "<p>Zero in every row, but for rounding, and not drawn: " + text + ".</p>\n";
}

}  // namespace

std::string MotionPage::plots() const {
  std::vector<std::string> figures;
  const auto figure = [&](const std::string& title, const std::string& unit, std::vector<report::TimeLine> lines) {
    figures.push_back(motion_plot(rows_, title, unit, std::move(lines)));
  };
  figure("Energy", "J", {{"total", total, 0}, {"kinetic", kinetic, 1}, {"potential", potential, 2}});
  figure("Work that went in", "J",
         {{"of torques", torques, 0}, {"of constraints", constraints, 1}, {"of losses in joints", losses, 2}});
  figure("Energy that no work explains", "J", {{"drift", drift, 0}});
  for (std::size_t k = 0; k < loops_.size(); ++k)
    figure("How far " + loops_[k] + " is open", "m or rad",
           {{"gap", static_cast<int>(first_touch + 3 * touches_.size() + k), 0}});
  figure("Height of the centre of mass", "m", {{"height", height, 0}});
  for (std::size_t first = 0; first < touches_.size(); first += most_lines) {
    std::vector<report::TimeLine> forces, gaps, turns;
    for (std::size_t k = first; k < std::min(touches_.size(), first + most_lines); ++k) {
      const int at = static_cast<int>(first_touch + 3 * k), slot = static_cast<int>(k - first);
      const std::string& name = touches_[k].name;
      forces.push_back({name, at, slot}), gaps.push_back({name, at + 1, slot}), turns.push_back({name, at + 2, slot});
    }
    figure("Forces of contacts", "N", forces), figure("Gaps of contacts", "m", gaps);
    report::TimePlot pressing{"When contacts press", "time (s)", "", rows_, turns, -1, -1, {}, {}, {}};
    pressing.spans = true;
    figures.push_back(report::time_plot(pressing));
  }
  return report::beside(figures);
}

/// 1 rad, the robot's reach, its weight, and that weight at that reach: by the second where `kind` is a velocity.
double MotionPage::unit_of(int kind, bool slides) const {
  const double reach = reach_of(model_), size = std::isfinite(reach) ? reach : 0;
  constexpr int torque = 2;
  if (kind != torque) return slides ? size : 1;
  return shown_.unit_force * (slides ? 1 : size);
}

std::string MotionPage::joint_plots() const {
  constexpr double rounding = 1e-12;  // of unit_of: what a joint that nothing moves shows
  const char* const titles[] = {"Positions", "Velocities", "Torques"};
  const char* const units[2][3] = {{"rad", "rad/s", "N m"}, {"m", "m/s", "N"}};
  const std::size_t first_number = first_touch + 3 * touches_.size() + loops_.size();
  std::vector<std::string> figures, still[3];
  bool drawn[3] = {false, false, false};
  for (std::size_t first = 0, end; first < joints_.size(); first = end) {  // a limb's joints follow each other
    const JointNumber& joint = joints_[first];
    std::vector<report::TimeLine> lines;
    double most = 0;
    for (end = first; end < joints_.size() && end - first < most_lines; ++end) {
      const JointNumber& next = joints_[end];
      if (next.kind != joint.kind || next.limb != joint.limb || next.slides != joint.slides) break;
      lines.push_back({next.name, static_cast<int>(first_number + end), static_cast<int>(end - first)});
      const report::Thinned::Extremes all = rows_.range(first_number + end);
      most = std::max({most, std::abs(all.low), std::abs(all.high)});
    }
    const std::string of = lines.size() == 1 ? joint.name : joint.name + " to " + lines.back().name;
    if (most <= rounding * unit_of(joint.kind, joint.slides)) {
      still[joint.kind].push_back(of);
      continue;
    }
    drawn[joint.kind] = true;
    figures.push_back(motion_plot(rows_, titles[joint.kind] + std::string(": ") + of, units[joint.slides][joint.kind], lines));
  }
  return report::beside(figures) + zero_words(still, drawn);
}

}  // namespace sparsedyn
