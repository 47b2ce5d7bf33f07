#include "track_lead.hpp"

#include <algorithm>
#include <cmath>

#include "sparsedyn/report/page.hpp"

namespace sparsedyn::cli {
namespace {

constexpr double degrees_a_radian = 57.29577951308232;
constexpr double too_small = 0.5, too_large = 2;  // of what is 1 where noise is as stated
constexpr double too_few = 0.84;                  // of errors within ± 2σ, as where errors are √2 times as large
constexpr double worth_telling = 0.003;           // m that a foothold creeps

std::string in_bold(const std::string& name) { return "<b>" + report::escaped(name) + "</b>"; }
std::string said(double x) { return report::with_minus(report::number(x, 3)); }
double in_degrees(const Json& radians) { return degrees_a_radian * radians.get<double>(); }

std::string no_answers(const TrackFindings& found) {
  if (found.failed == 0) return "";
  return "<b>" + report::grouped(found.failed) + (found.failed == 1 ? " row has" : " rows have") +
         " no answer</b>, the first is line " + std::to_string(found.first_failed_line) + ". ";
}

std::string errors_of_base(const Json& details) {
  if (!details.contains("errors")) return "";
  const Json &errors = details["errors"], &drift = details["drift"];
  std::string out = "Beside the log, the base's place is " + said(errors["position"].get<double>()) + " m off, its tilt " +
                    said(in_degrees(errors["tilt"])) + "°, its yaw " + said(in_degrees(errors["yaw"])) +
                    "° (root mean squares); at the end " + said(drift["end"].get<double>()) + " m";
  if (drift["per_metre"].is_number() && drift["per_metre"].get<double>() > 0)
    out += " after a way of " + said(drift["end"].get<double>() / drift["per_metre"].get<double>()) + " m";
  return out + " and " + said(in_degrees(errors["yaw_end"])) + "°. ";
}

/// By nees, the squared errors beside the covariance; without it by how many errors lie within ± 2σ.
std::string honesty(const TrackFindings& found) {
  std::string out;
  if (found.judged > 0)
    out = report::number(100.0 * static_cast<double>(found.covered) / static_cast<double>(found.judged), 3) +
          "\u202f% of all errors lie within ± 2σ, where 95.4 % should. ";
  const Json& nees = found.details["consistency"]["nees"];
  if (!nees.is_number()) {
    if (found.judged > 0 && static_cast<double>(found.covered) < too_few * static_cast<double>(found.judged))
      out += "<b>The deviations are not to be trusted</b>: the errors are larger than they say. ";
    return out;
  }
  const double size = nees.get<double>();
  const std::string beside = " (nees " + said(size) + ", where 1 is as stated). ";
  if (size > too_large)
    return out + "<b>The deviations are not to be trusted</b>: the errors are larger than they say" + beside;
  if (size < too_small) return out + "The deviations are wider than the errors" + beside;
  return out + "The errors are as large as the deviations say" + beside;
}

std::string innovations(const Json& details) {
  const Json& mean = details["consistency"]["nis_mean"];
  if (!mean.is_number()) return "";
  const double nis = mean.get<double>();
  const std::string beside = " (nis " + said(nis) + ", where 1 is as stated)";
  if (nis > too_large)
    return "<b>The readings contradict the stated noise</b>" + beside +
           ": a σ is too small, or feet move more than their <code>walk</code> says. ";
  if (nis < too_small) return "The readings agree better than their stated noise" + beside + ", so deviations are wide. ";
  return "The readings agree as well as their stated noise says" + beside + ". ";
}

std::string names_where(const StandingFeet& feet, bool stand) {
  std::string names;
  for (const StandingFeet::Foot& foot : feet.feet())
    if (foot.rows > 0 && foot.standing == (stand ? foot.rows : 0)) names += (names.empty() ? "" : ", ") + in_bold(foot.name);
  return names;
}

std::string feet_in_words(const TrackFindings& found) {
  std::string out;
  if (const std::string never = names_where(found.feet, false); !never.empty()) out += "Never standing: " + never + ". ";
  if (const std::string always = names_where(found.feet, true); !always.empty()) out += "Always standing: " + always + ". ";
  const long slips = found.details["slips"].get<long>();
  if (slips > 0)
    out += "Points of standing feet were let go as slipping " + report::grouped(slips) + (slips == 1 ? " time. " : " times. ");
  const auto& feet = found.feet.feet();
  const auto worst =
      std::max_element(feet.begin(), feet.end(), [](const auto& a, const auto& b) { return a.farthest < b.farthest; });
  if (worst != feet.end() && worst->farthest > worth_telling)
    out += "The foothold of " + in_bold(worst->name) + " crept furthest while it stood: " + said(1000 * worst->farthest) +
           " mm from where it landed at " + report::number(worst->from, 5) + " s. ";
  return out;
}

std::string unseen_in_words(const TrackFindings& found) {
  const Json& unseen = found.details["unobservable"];
  if (unseen.empty()) return "";
  std::string names;
  for (const Json& name : unseen) names += (names.empty() ? "" : ", ") + report::escaped(name.get<std::string>());
  std::string out = "No sensor sees " + names + (unseen.size() == 1 ? ": it drifts" : ": they drift");
  if (std::isfinite(found.base.last_place_reach()))
    out += "; at the end ± 2σ is " + said(found.base.last_place_reach()) + " m of the place and " +
           said(degrees_a_radian * found.base.last_yaw_reach()) + "° of yaw";
  return out + ". ";
}

}  // namespace

std::string track_findings(const std::string& robot, const TrackFindings& found) {
  const std::string rows =
      "The state of " + in_bold(robot) + " over " + report::grouped(found.details["rows"].get<long>()) + " rows of a log. ";
  return no_answers(found) + errors_of_base(found.details) + honesty(found) + innovations(found.details) +
         feet_in_words(found) + unseen_in_words(found) + rows;
}

}  // namespace sparsedyn::cli
