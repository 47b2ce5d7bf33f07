// Angles in degrees, and positions that no joint can have.
#include <algorithm>
#include <cmath>

#include "io/text/how_many.hpp"
#include "tests.hpp"

namespace sparsedyn::inspection {
namespace {

constexpr double turn_degrees = 57.29577951308232;
constexpr double full_turn = 6.283185307179586;

struct Range {
  double low, high;
  bool within(const JointLimits& limits, double margin, double unit = 1, double shift = 0) const {
    return low / unit + shift >= limits.lower - margin && high / unit + shift <= limits.upper + margin;
  }
};

Range range_of(const Series& values) {
  Range range{1e300, -1e300};
  for (double value : values)
    if (std::isfinite(value)) range.low = std::min(range.low, value), range.high = std::max(range.high, value);
  return range;
}

bool bounded(const JointLimits& limits) {
  return std::isfinite(limits.lower) && std::isfinite(limits.upper) && limits.upper > limits.lower;
}

/// Beyond the limits by far more than a joint can be, and within them as degrees.
bool degrees_by_limits(const JointLimits& limits, const Range& range) {
  if (!bounded(limits)) return false;
  const double half = 0.5 * (limits.upper - limits.lower), middle = 0.5 * (limits.upper + limits.lower);
  const double far = std::max(std::abs(range.low - middle), std::abs(range.high - middle));
  return far > 1.5 * half && range.high - range.low > 2 * half && std::max(std::abs(range.low), std::abs(range.high)) > 3.3 &&
         range.within(limits, 0.1 * half, turn_degrees);
}

void tell_of_limits(Examination& x, const SingleJoint& joint, const Series& q) {
  if (!bounded(joint.limits)) return;
  const Range range = range_of(q);
  const double margin = std::max(0.01 * (joint.limits.upper - joint.limits.lower), 5 * noise_of(q));
  if (range.within(joint.limits, margin)) return;
  double first = -1, last = 0;
  long count = 0;
  for (std::size_t i = 0; i < q.size(); ++i)
    if (q[i] > joint.limits.upper + margin || q[i] < joint.limits.lower - margin) {
      if (count++ == 0) first = static_cast<double>(i);
      last = static_cast<double>(i);
    }
  std::string likely = "a zero of the encoder that is not the robot's, or limits that are not this robot's",
              remedy = "add the encoder's offset, or mend the robot's <limit>";
  if (range.high - range.low > joint.limits.upper - joint.limits.lower + 2 * margin)  // no offset brings them within
    likely = "limits that are not this robot's, or the column of another joint", remedy = "mend the robot's <limit>";
  if (joint.angle && (range.within(joint.limits, margin, 1, full_turn) || range.within(joint.limits, margin, 1, -full_turn)))
    likely = "angles counted a whole turn too far", remedy = "add or subtract a turn, 2 pi";
  if (!joint.angle && range.high - range.low > 5 * (joint.limits.upper - joint.limits.lower) &&
      range.within(joint.limits, margin, 1000))
    likely = "positions in mm", remedy = "multiply by 0.001";
  const double excess = std::max(range.high - joint.limits.upper, joint.limits.lower - range.low);
  if (excess > 0.1 * (joint.limits.upper - joint.limits.lower)) x.far_beyond_limits.push_back("q." + joint.name);
  x.add(FindingKind::beyond_limit, Severity::doubt, {"q." + joint.name},
        "q." + joint.name + ": " + how_many(count, "sample", "samples") + " beyond [" + shown(joint.limits.lower) + ", " +
            shown(joint.limits.upper) + "], between " + shown(range.low) + " and " + shown(range.high),
        likely, remedy, first, last);
}

}  // namespace

bool test_angles(Examination& x, const std::vector<double>& ratios) {
  std::vector<std::string> by_rate, both;
  std::string evidence, evidence_both;
  std::vector<Series*> rates;  // of joints whose position is in degrees by its limits, and whose velocity agrees with none
  std::size_t limited = 0, beyond = 0, rates_in_degrees = 0;
  for (const SingleJoint& joint : x.joints)
    if (const Series* const q = x.column("q." + joint.name); q && joint.angle && bounded(joint.limits))
      ++limited, beyond += degrees_by_limits(joint.limits, range_of(*q));
  const bool most = limited > 0 && beyond * 2 > limited;
  for (const SingleJoint& joint : x.joints) {
    Series* const q = x.column("q." + joint.name);
    if (!q || !joint.angle) continue;
    const double ratio = ratios[static_cast<std::size_t>(joint.v)];
    const Range range = range_of(*q);
    const bool rate = std::isfinite(ratio) && std::abs(std::log(ratio * turn_degrees)) < 0.1;
    const bool rate_fits = !std::isfinite(ratio) || std::abs(std::log(ratio)) < 0.2;
    const bool far = degrees_by_limits(joint.limits, range) ||
                     (most && !bounded(joint.limits) && std::max(std::abs(range.low), std::abs(range.high)) > full_turn);
    if (!rate && !(far && rate_fits)) continue;
    for (double& angle : *q) angle /= turn_degrees;
    std::vector<std::string>& columns = rate ? by_rate : both;
    columns.push_back("q." + joint.name);
    std::string& text = rate ? evidence : evidence_both;
    text += text.empty() ? "" : "; ";
    text += "q." + joint.name + " goes from " + shown(range.low) + " to " + shown(range.high);
    if (rate) text += " and " + shown(1 / ratio) + " times as far as its velocity";
    if (!rate && bounded(joint.limits))
      text += ", the limits are " + shown(joint.limits.lower) + " and " + shown(joint.limits.upper);
    Series* const v = x.column("dq." + joint.name);
    if (rate || !v) continue;
    if (!std::isfinite(ratio)) {
      rates.push_back(v);
      continue;
    }
    for (double& speed : *v) speed /= turn_degrees;
    columns.push_back("dq." + joint.name);
    ++rates_in_degrees;
  }
  if (most && rates_in_degrees > rates.size())  // then those too, whatever else is wrong with them
    for (Series* v : rates)
      for (double& speed : *v) speed /= turn_degrees;
  if (!by_rate.empty())
    x.add(FindingKind::angle_unit, Severity::harm, by_rate, evidence, "positions in degrees",
          "multiply these columns by pi/180");
  if (!both.empty())
    x.add(FindingKind::angle_unit, Severity::harm, both, evidence_both, "angles in degrees",
          "multiply these columns by pi/180");
  for (const SingleJoint& joint : x.joints)
    if (const Series* const q = x.column("q." + joint.name)) tell_of_limits(x, joint, *q);
  return !by_rate.empty() || !both.empty();
}

}  // namespace sparsedyn::inspection
