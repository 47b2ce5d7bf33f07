// Torques against inverse dynamics. A column is read in several ways, of which one explains it best:
//   as it stands      τ = τ_m + x
//   with other sign   τ = −(τ_m + x)
//   in another unit   τ = s (τ_m + x)
//   of joint k        τ = τ_mk + x
// τ_m is the model's torque and x what models leave out: a rotor, damping, dry friction and an offset,
//   x = A q̈ + D q̇ + F tanh(q̇ / v0) + O,   0 ≤ A q̈, D q̇, F, |O| ≤ B,
// each bounded by B, half of the model's torque at this joint and a fiftieth of the largest one's. Bounds and signs are what
// tells a rotor or friction from a unit or a sign. Another reading counts where it leaves less than half of what the column as
// it stands leaves, and where the likelihood of n residuals grows by more than e^8 for it (3e-4, before the bound of a half), n
// being how often the residuals change their sign: neighbours resemble each other.
#include <algorithm>
#include <cmath>
#include <set>

#include "bounded_fit.hpp"
#include "drift.hpp"
#include "model_torques.hpp"

namespace sparsedyn::inspection {
namespace {

constexpr double certain = 16;        // twice the logarithm of the likelihoods' ratio
constexpr double far_scale = 0.26;    // of the logarithm: 1.3 times
constexpr double severe_scale = 0.6;  // 1.8 times: no model is as wrong
constexpr double exact_scale = 0.03;  // share that a smaller error of scale may leave, to be told from a model's errors

struct TorqueColumn {
  std::string name;
  int v;
  Series* values;
};

std::vector<TorqueColumn> torque_columns(Examination& x) {
  std::vector<TorqueColumn> all;
  std::set<std::string> known;
  const auto add = [&](const std::string& name, int v) {
    Series* const values = x.column(name);
    if (values && known.insert(name).second) all.push_back({name, v, values});
  };
  for (const SingleJoint& joint : x.joints) add("tau." + joint.name, joint.v);
  if (x.system)
    for (const Measurement& m : x.system->measurements())
      if (m.kind == SensorKind::joint_torque && m.joint >= 0 && m.components.size() == 1)
        add(m.columns[0], x.model.joints[static_cast<std::size_t>(m.joint)].v);
  return all;
}

/// A reading of a column, and what it leaves.
struct Reading {
  double left = 1e300, scale = 1;
  std::array<double, 5> c{};
};

class TorqueFit {
 public:
  TorqueFit(const ModelTorques& model, const TorqueColumn& column) : model_(model) {
    for (const Series& tau : model.tau) largest_ = std::max(largest_, rms_of(tau));
    for (std::size_t s = 0; s < model.sample.size(); ++s) {
      y_.push_back((*column.values)[model.sample[s]]);
      if (std::isfinite(y_.back())) size_ += y_.back() * y_.back(), ++count_;
    }
  }
  double size() const { return size_; }
  long count() const { return count_; }

  /// τ = s (τ_mk + x); `scale` 0: s > 0 is fitted, by as many passes as the bounds of x, which grow with s, need.
  Reading read(std::size_t k, double scale) const {
    const double torque = rms_of(model_.tau[k]), bound = 0.5 * torque + 0.02 * largest_;
    const double a = rms_of(model_.a[k]), v = rms_of(model_.v[k]), slow = 0.1 * v;
    BoundedFit<5> fit;
    for (std::size_t s = 0; s < y_.size(); ++s)
      if (std::isfinite(y_[s]))
        fit.add({model_.tau[k][s], model_.a[k][s], model_.v[k][s], slow > 0 ? std::tanh(model_.v[k][s] / slow) : 0.0, 1.0},
                y_[s]);
    for (std::size_t i = 1; i < 5; ++i) fit.A[i][i] *= 1 + 1e-4;  // what both explain is the model's
    const auto limit = [&](double s) {
      const double most[] = {a > 0 ? bound / a : 0, v > 0 ? bound / v : 0, bound, bound};
      for (std::size_t i = 0; i < 4; ++i) {
        fit.lower[i + 1] = i == 3 ? -std::abs(s) * bound : std::min(0.0, s * most[i]);
        fit.upper[i + 1] = std::max(0.0, s * most[i]);
      }
    };
    Reading reading;
    if (scale != 0) {
      fit.lower[0] = fit.upper[0] = scale, limit(scale);
      reading = {fit.solve(), scale, fit.c};
    } else {
      fit.lower[0] = 0, limit(1e12);
      for (int pass = 0; pass < 4; ++pass) {
        reading = {fit.solve(), fit.c[0], fit.c};
        limit(fit.c[0]);
      }
      reading = {fit.solve(), fit.c[0], fit.c};
    }
    reading.left = std::max(reading.left, 1e-6 * size_);
    return reading;
  }

  Series residual(std::size_t k, const Reading& r) const {
    const double slow = 0.1 * rms_of(model_.v[k]);
    Series left;
    for (std::size_t s = 0; s < y_.size(); ++s)
      left.push_back(y_[s] - r.c[0] * model_.tau[k][s] - r.c[1] * model_.a[k][s] - r.c[2] * model_.v[k][s] -
                     (slow > 0 ? r.c[3] * std::tanh(model_.v[k][s] / slow) : 0.0) - r.c[4]);
    return left;
  }

 private:
  const ModelTorques& model_;
  Series y_;
  double size_ = 0, largest_ = 0;
  long count_ = 0;
};

struct Unit {
  double factor;
  const char *likely, *remedy;
};

/// The unit with this factor, within 12 %.
const Unit* unit_of(double scale, bool angle) {
  static const Unit of_angles[] = {{1000, "torques in N mm", "multiply by 0.001"},
                                   {100, "torques in N cm", "multiply by 0.01"},
                                   {1e-3, "torques in kN m", "multiply by 1000"},
                                   {10.197, "torques in kgf cm", "multiply by 0.0980665"},
                                   {0.10197, "torques in kgf m", "multiply by 9.80665"}};
  static const Unit of_lengths[] = {{1000, "forces in mN", "multiply by 0.001"},
                                    {1e-3, "forces in kN", "multiply by 1000"},
                                    {0.10197, "forces in kgf", "multiply by 9.80665"}};
  const auto near = [&](const Unit& unit) { return std::abs(std::log(scale / unit.factor)) < 0.12; };
  if (angle) {
    for (const Unit& unit : of_angles)
      if (near(unit)) return &unit;
  } else {
    for (const Unit& unit : of_lengths)
      if (near(unit)) return &unit;
  }
  return nullptr;
}

bool is_angle(const Examination& x, int v) {
  return std::any_of(x.joints.begin(), x.joints.end(), [&](const SingleJoint& j) { return j.v == v && j.angle; });
}

struct Verdict {
  enum What { fine, scale, sign, other, unclear } what = fine;
  double factor = 1;           // of scale
  bool negative = false;       // scale with the sign turned
  std::size_t source = 0;      // of other
  double as_is = 0, best = 0;  // shares that are left
};

/// `as_is`: fit.read(own, 1), which leaves `residual`.
Verdict judge(const TorqueFit& fit, const ModelTorques& model, std::size_t own, const Reading& as_is, const Series& residual) {
  Verdict verdict;
  verdict.as_is = verdict.best = as_is.left / fit.size();
  const double n = independent_samples(residual);
  const auto better = [&](const Reading& r) {
    return r.left < 0.5 * as_is.left && n * std::log(as_is.left / r.left) > certain && r.left < 0.5 * fit.size();
  };
  const auto is_scale = [&](const Reading& r) {
    if (!(r.scale > 0)) return false;
    const double size = std::abs(std::log(r.scale));
    return size > severe_scale || (size > far_scale && r.left < exact_scale * fit.size());
  };
  const Reading scaled = fit.read(own, 0);
  if (verdict.as_is < 0.1) {  // agrees; but a small error of scale may show all the same
    if (better(scaled) && is_scale(scaled))
      verdict.what = Verdict::scale, verdict.factor = scaled.scale, verdict.best = scaled.left / fit.size();
    return verdict;
  }
  const Reading turned = fit.read(own, -1);
  Reading least = as_is;
  std::size_t source = own;
  for (std::size_t k = 0; k < model.tau.size(); ++k)
    if (k != own)
      if (const Reading r = fit.read(k, 1); r.left < least.left) least = r, source = k;
  const double best = std::min({turned.left, least.left, scaled.left});
  verdict.best = best / fit.size();
  if (better(turned) && turned.left < 1.5 * best)
    verdict.what = Verdict::sign;
  else if (better(scaled) && scaled.left < 1.5 * best && is_scale(scaled))
    verdict.what = Verdict::scale, verdict.factor = scaled.scale;
  else if (source != own && better(least) && least.left < 0.25 * as_is.left)
    verdict.what = Verdict::other, verdict.source = source;
  else
    verdict.what = Verdict::unclear;
  return verdict;
}

void tell_of_torque(Examination& x, const TorqueColumn& column, const Verdict& verdict, const std::vector<std::string>& names) {
  const std::string left =
      ", which leaves " + shown(100 * verdict.best) + " % of its squares; as it stands " + shown(100 * verdict.as_is) + " %";
  switch (verdict.what) {
    case Verdict::sign:
      return x.add(FindingKind::torque_sign, Severity::harm, {column.name},
                   column.name + " is −1 times the model's torque" + left,
                   "torques counted the other way round, or those of the joint on the motor", "change the sign of the column");
    case Verdict::scale: {
      const Unit* const unit = unit_of(verdict.factor, is_angle(x, column.v));
      const bool severe = std::abs(std::log(verdict.factor)) > severe_scale;
      return x.add(FindingKind::torque_scale, severe ? Severity::harm : Severity::doubt, {column.name},
                   column.name + " is " + shown(verdict.factor) + " times the model's torque" + left,
                   unit     ? unit->likely
                   : severe ? "currents, torques before the gear, or another unit"
                            : "a torque constant or gear ratio, or masses that are not those of the robot's file",
                   unit     ? unit->remedy
                   : severe ? "multiply by the torque constant and the gear's ratio"
                            : "compare with `identify`");
    }
    case Verdict::other:
      return x.add(FindingKind::torque_of_other_joint, Severity::harm, {column.name},
                   column.name + " is the model's torque of " + names[verdict.source] + left,
                   "columns in another order than the header says", "put the joints' columns in the right order");
    default: break;
  }
}

/// Where positions are far beyond their limits and the model does not explain the torques, the positions are wrong, and nothing
/// that follows from them tells more.
void blame_positions(Examination& x) {
  if (x.far_beyond_limits.empty()) return;
  x.positions_doubtful = true;
  std::vector<Finding>& findings = x.result.findings;
  findings.erase(std::remove_if(findings.begin(), findings.end(),
                                [](const Finding& f) {
                                  return f.kind == FindingKind::torque_sign || f.kind == FindingKind::torque_scale ||
                                         f.kind == FindingKind::torque_of_other_joint || f.kind == FindingKind::drift;
                                }),
                 findings.end());
  for (Finding& finding : findings)
    if (finding.kind == FindingKind::beyond_limit && std::find(x.far_beyond_limits.begin(), x.far_beyond_limits.end(),
                                                               finding.columns.front()) != x.far_beyond_limits.end()) {
      finding.severity = Severity::harm;
      finding.evidence += "; the torques do not fit these positions";
    }
}

void keep_compared(Examination& x, const TorqueColumn& column, const ModelTorques& model) {
  ComparedTorque compared;
  compared.column = column.name, compared.model = model.tau[static_cast<std::size_t>(column.v)];
  for (std::size_t i : model.sample) {
    compared.time.push_back(static_cast<double>(i) * x.step);
    compared.measured.push_back((*column.values)[i]);
  }
  x.result.torques.push_back(std::move(compared));
}

}  // namespace

void test_torques(Examination& x, const WholeMotion& motion) {
  const std::vector<TorqueColumn> columns = torque_columns(x);
  std::vector<std::string> names;
  for (const TorqueColumn& column : columns) names.push_back(column.name);
  if (columns.empty()) return;
  if (!motion.known) return x.untold(names, motion.why);
  const KnownWrenches wrenches(x);
  const ModelTorques model(x, motion, wrenches);
  if (model.sample.size() < 30) return x.untold(names, "too few rows without a gap");
  if (!model.free) {
    blame_positions(x);
    return x.untold(names, "forces act on the robot that the log does not hold");
  }
  const std::vector<std::string> freedoms = velocity_names(x.model);
  bool unclear = false;
  for (const TorqueColumn& column : columns) {
    const TorqueFit fit(model, column);
    keep_compared(x, column, model);
    const auto own = static_cast<std::size_t>(column.v);
    if (fit.count() < 30 || !(fit.size() > 0)) {
      x.untold({column.name}, "no torques, or zeros");
      continue;
    }
    const Reading as_is = fit.read(own, 1);
    const Series left = fit.residual(own, as_is);
    const Verdict verdict = judge(fit, model, own, as_is, left);
    tell_of_torque(x, column, verdict, freedoms);
    if (verdict.what != Verdict::unclear && verdict.what != Verdict::fine) continue;
    const double size = std::sqrt(fit.size() / static_cast<double>(fit.count()));
    if (tell_of_drift(x, column.name, model.sample, left, size)) continue;
    if (verdict.what != Verdict::unclear || rms_of(left) < 2 * noise_of(*column.values)) continue;
    unclear = true;
    x.untold({column.name}, "torques that neither the model nor another reading explains");
  }
  if (unclear) blame_positions(x);
}

}  // namespace sparsedyn::inspection
