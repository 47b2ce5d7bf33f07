#include "position_offset.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn::inspection {
namespace {

constexpr std::size_t offset_samples = 120;
constexpr int shifts = 24, halvings = 7;
constexpr double convincing = 3;

/// The fit of the torques with a position shifted.
class Shifted {
 public:
  Shifted(Examination& x, const WholeMotion& motion, const std::vector<TorqueColumn>& columns)
      : x_(x), wrenches_(x), motion_(motion), columns_(columns) {}

  TorqueMisfit at(std::size_t q, double shift) {
    const Series before = motion_.q[q];
    keep(q, shift);
    TorqueMisfit misfit = misfit_of(ModelTorques(x_, motion_, wrenches_, offset_samples), columns_);
    motion_.q[q] = before;
    return misfit;
  }
  void keep(std::size_t q, double shift) {
    for (double& value : motion_.q[q]) value += shift;
  }

 private:
  Examination& x_;
  KnownWrenches wrenches_;
  WholeMotion motion_;
  const std::vector<TorqueColumn>& columns_;
};

/// The shift within [low, high] that gains most on `as_is`; 0 where none is convincing.
double best_shift(Shifted& shifted, std::size_t q, double low, double high) {
  const TorqueMisfit as_is = shifted.at(q, 0);
  if (as_is.samples < 30) return 0;
  double step = (high - low) / (shifts - 1), best = 0, most = convincing;
  const auto attempt = [&](double shift) {
    if (const double better = gain(as_is, shifted.at(q, shift)); better > most) most = better, best = shift;
  };
  for (int k = 0; k < shifts; ++k) attempt(low + k * step);
  for (int k = 0; k < halvings && best != 0; ++k) {
    step *= 0.5;
    const double middle = best;
    attempt(middle - step), attempt(middle + step);
  }
  if (best == 0) return 0;
  const TorqueMisfit so = shifted.at(q, best);
  return so.free && mends(as_is, so) ? best : 0;
}

void tell_of_offset(Examination& x, const std::string& name, double shift) {
  for (Finding& finding : x.result.findings)
    if (finding.kind == FindingKind::beyond_limit && finding.columns.front() == name) {
      finding.severity = Severity::harm;
      finding.evidence +=
          "; the torques do not fit these positions, but those " + shown(std::abs(shift)) + (shift < 0 ? " lower" : " higher");
      finding.remedy = "add " + shown(shift) + " to the column (the encoder's offset), or mend the robot's <limit>";
    }
}

}  // namespace

void take_off_offsets(Examination& x, WholeMotion& motion, const std::vector<TorqueColumn>& columns) {
  if (x.far_beyond_limits.empty()) return;
  Shifted shifted(x, motion, columns);
  std::vector<std::string> unmended;
  for (const std::string& name : x.far_beyond_limits) {
    const auto joint =
        std::find_if(x.joints.begin(), x.joints.end(), [&](const SingleJoint& one) { return "q." + one.name == name; });
    Series* const column = x.column(name);
    double lowest = 1e300, highest = -1e300;
    for (double value : *column)
      if (std::isfinite(value)) lowest = std::min(lowest, value), highest = std::max(highest, value);
    const double low = joint->limits.lower - lowest, high = joint->limits.upper - highest;
    const auto q = static_cast<std::size_t>(joint->q);
    const double shift = low <= high ? best_shift(shifted, q, low, high) : 0;
    if (shift == 0) {
      unmended.push_back(name);
      continue;
    }
    tell_of_offset(x, name, shift);
    shifted.keep(q, shift);
    for (double& value : *column) value += shift;
    for (double& value : motion.q[q]) value += shift;
  }
  x.far_beyond_limits = unmended;
}

}  // namespace sparsedyn::inspection
