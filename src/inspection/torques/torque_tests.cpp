// Torques against inverse dynamics. A column is read in several ways, of which one explains it best (torque_fit.hpp):
//   as it stands      τ = τ_m + x
//   with other sign   τ = −(τ_m + x)
//   in another unit   τ = s (τ_m + x)
//   of joint k        τ = τ_mk + x, where no other reading leaves clearly less
// Another reading counts where it leaves less than half of what the column as it stands leaves, and where the likelihood of n
// residuals grows by more than e^8 for it (3e-4, before the bound of a half), n being how often the residuals change their
// sign: neighbours resemble each other. The model's torque is noisy itself, by the wrench sensors behind the joint above all:
// where the column as it stands leaves less than four times that noise, the two cannot be told apart, and no other reading is
// reported.
#include <algorithm>
#include <cmath>
#include <set>

#include "inspection/drift.hpp"
#include "moved_mass.hpp"
#include "position_offset.hpp"
#include "torque_fit.hpp"
#include "wrench_readings.hpp"

namespace sparsedyn::inspection {
namespace {

constexpr double certain = 16;        // twice the logarithm of the likelihoods' ratio
constexpr double far_scale = 0.26;    // of the logarithm: 1.3 times
constexpr double severe_scale = 0.6;  // 1.8 times: no model is as wrong
constexpr double other_share = 0.01;  // share of its squares that a column leaves before other joints are tried
constexpr double exact_scale = 0.03;  // share that a smaller error of scale may leave, to be told from a model's errors
constexpr double mass_share = 0.1;    // of the mass behind a joint, which other joints may move unseen
constexpr double sign_share = 0.1;    // share that a torque of the other sign may leave, for its scale to be told too

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
  enum What { fine, scale, sign, other, unclear, drowned } what = fine;
  double factor = 1;           // of scale and sign, without the sign
  bool negative = false;       // scale with the sign turned
  std::size_t source = 0;      // of other
  double as_is = 0, best = 0;  // shares that are left
  TorqueReading reading;       // the one chosen, of joint `source`
};

/// `as_is`: fit.read(own, 1), which leaves `residual`.
Verdict judge(const TorqueFit& fit, const TorqueRegressors& regressors, std::size_t own, const TorqueReading& as_is,
              const Series& residual) {
  Verdict verdict;
  verdict.as_is = verdict.best = as_is.left / fit.size();
  verdict.source = own, verdict.reading = as_is;
  const double n = independent_samples(residual);
  const bool drowned = as_is.left < beyond_noise * fit.noise_of_model(own);
  const auto better = [&](const TorqueReading& r) {
    return !drowned && r.left < 0.5 * as_is.left && n * std::log(as_is.left / r.left) > certain && r.left < 0.5 * fit.size();
  };
  const auto is_scale = [&](const TorqueReading& r) {
    if (r.scale == 0) return false;
    const double size = std::abs(std::log(std::abs(r.scale)));
    return size > severe_scale || (size > far_scale && r.left < exact_scale * fit.size());
  };
  const TorqueReading scaled = fit.scaled(own, 1);
  TorqueReading least = as_is;  // of all joints
  std::size_t source = own;
  if (verdict.as_is > other_share && !drowned)
    for (std::size_t k = 0; k < regressors.freedoms(); ++k)
      if (k != own)
        if (const TorqueReading r = fit.read(k, 1); r.left < least.left) least = r, source = k;
  const bool is_other = source != own && better(least) && least.left < 0.25 * as_is.left;
  const auto say = [&](Verdict::What what, const TorqueReading& reading) {
    verdict.what = what, verdict.reading = reading, verdict.best = reading.left / fit.size();
  };
  const auto say_other = [&] { say(Verdict::other, least), verdict.source = source; };
  // Agrees; but a small error of scale, or a joint that carries nearly as much, may show all the same.
  if (verdict.as_is < 0.1) {
    verdict.best = std::min(scaled.left, least.left) / fit.size();
    if (better(scaled) && is_scale(scaled) && scaled.left < 1.5 * least.left)
      say(Verdict::scale, scaled), verdict.factor = scaled.scale;
    else if (is_other && least.left < 1.5 * scaled.left)
      say_other();
    return verdict;
  }
  const TorqueReading turned = fit.read(own, -1);
  const TorqueReading both = fit.scaled(own, -1);
  const double best = std::min({turned.left, least.left, scaled.left, both.left});
  verdict.best = best / fit.size();
  // Masses that are a few per cent wrong scale the turned column too: a factor near −1 is a sign. Farther from −1 the scale is
  // wrong as well where the factor is severe, or where it explains the column; where a model's errors leave more, they may have
  // made the factor, but not the sign.
  const bool turned_too = better(both) && both.left < 1.5 * best;
  const bool near_one = std::abs(std::log(std::max(std::abs(both.scale), 1e-300))) < far_scale;
  const bool explained = both.left < sign_share * fit.size();
  if (better(turned) && turned.left < 1.5 * best)
    say(Verdict::sign, turned);
  else if (turned_too && near_one && explained)
    say(Verdict::sign, both), verdict.factor = -both.scale;
  else if (better(scaled) && scaled.left < 1.5 * best && is_scale(scaled))
    say(Verdict::scale, scaled), verdict.factor = scaled.scale;
  else if (turned_too && !near_one && (is_scale(both) || explained))
    say(Verdict::scale, both), verdict.negative = true, verdict.factor = -both.scale;
  else if (turned_too && !explained)
    say(Verdict::sign, both), verdict.factor = -both.scale;
  else if (is_other && least.left < 1.5 * best)
    say_other();
  else
    verdict.what = drowned ? Verdict::drowned : Verdict::unclear;
  return verdict;
}

void tell_of_sign(Examination& x, const TorqueColumn& column, const std::string& evidence) {
  x.add(FindingKind::torque_sign, Severity::harm, {column.name}, evidence,
        "torques counted the other way round, or those of the joint on the motor", "change the sign of the column");
}

void tell_of_torque(Examination& x, const TorqueColumn& column, const Verdict& verdict, const std::vector<std::string>& names) {
  const std::string left =
      ", which leaves " + shown(100 * verdict.best) + " % of its squares; as it stands " + shown(100 * verdict.as_is) + " %";
  switch (verdict.what) {
    case Verdict::sign:
      return tell_of_sign(x, column, column.name + " is −" + shown(verdict.factor) + " times the model's torque" + left);
    case Verdict::scale: {
      const std::string evidence =
          column.name + " is " + (verdict.negative ? "−" : "") + shown(verdict.factor) + " times the model's torque" + left;
      if (verdict.negative) tell_of_sign(x, column, evidence);
      const Unit* const unit = unit_of(verdict.factor, is_angle(x, column.v));
      const bool severe = std::abs(std::log(verdict.factor)) > severe_scale;
      return x.add(FindingKind::torque_scale, severe ? Severity::harm : Severity::doubt, {column.name}, evidence,
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

/// Whether joints that are not at the log's positions move so much mass, beside that behind the joint of this position, that
/// they may be why torques do not fit.
bool may_be_of_others(const Examination& x, const std::string& position) {
  const double behind = moved_mass(x.model, {position.substr(position.find('.') + 1)});
  return !x.unplaced.empty() && moved_mass(x.model, x.unplaced) > mass_share * behind;
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
      const bool of_others = may_be_of_others(x, finding.columns.front());
      finding.severity = of_others ? Severity::doubt : Severity::harm;
      finding.evidence += std::string("; the torques do not fit these positions") +
                          (of_others ? "; or joints that the log lacks, or that are held, are elsewhere" : "");
    }
}

void keep_compared(Examination& x, const TorqueColumn& column, const ModelTorques& model) {
  ComparedTorque compared;
  compared.column = column.name, compared.model = model.tau[static_cast<std::size_t>(column.v)];
  for (std::size_t i : model.sample) {
    compared.time.push_back(x.time_of(i));
    compared.measured.push_back((*column.values)[i]);
  }
  x.result.torques.push_back(std::move(compared));
}

}  // namespace

void test_torques(Examination& x, WholeMotion& motion) {
  const std::vector<TorqueColumn> columns = torque_columns(x);
  std::vector<std::string> names;
  for (const TorqueColumn& column : columns) names.push_back(column.name);
  if (columns.empty()) return;
  if (!motion.known) return x.unjudged(names, motion.why);
  take_off_offsets(x, motion, columns);
  if (x.far_beyond_limits.empty()) take_off_wrench_readings(x, motion, columns);
  const KnownWrenches wrenches(x);
  const ModelTorques model(x, motion, wrenches);
  if (model.sample.size() < 30) return x.unjudged(names, "too few rows without a gap");
  if (!model.free) {
    blame_positions(x);
    return x.unjudged(names, "forces act on the robot that the log does not hold");
  }
  const TorqueRegressors regressors(model);
  const std::vector<std::string> freedoms = velocity_names(x.model);
  bool unclear = false;
  for (const TorqueColumn& column : columns) {
    const TorqueFit fit(regressors, *column.values);
    keep_compared(x, column, model);
    const auto own = static_cast<std::size_t>(column.v);
    if (fit.count() < 30 || !(fit.size() > 0)) {
      x.unjudged({column.name}, "no torques, or zeros");
      continue;
    }
    const TorqueReading as_is = fit.read(own, 1);
    const Series left = fit.residual(own, as_is);
    const Verdict verdict = judge(fit, regressors, own, as_is, left);
    tell_of_torque(x, column, verdict, freedoms);
    const double size = std::sqrt(fit.size() / static_cast<double>(fit.count()));
    const Series chosen = fit.residual(verdict.source, verdict.reading);
    if (tell_of_drift(x, column.name, model.sample, chosen, size)) continue;
    if (verdict.what == Verdict::sign || verdict.what == Verdict::scale)
      for (double& value : *column.values) value /= verdict.what == Verdict::sign ? -1 : verdict.reading.scale;
    if (verdict.what == Verdict::drowned)
      x.unjudged({column.name}, "the noise of measured wrenches is larger than the torques");
    if (verdict.what != Verdict::unclear || rms_of(chosen) < 2 * noise_of(*column.values)) continue;
    unclear = true;
    x.unjudged({column.name}, "torques that neither the model nor another reading explains");
  }
  if (unclear) blame_positions(x);
}

}  // namespace sparsedyn::inspection
