#include "advice.hpp"

#include <algorithm>
#include <set>

#include "model/loads.hpp"
#include "rank_revealing.hpp"
#include "sparsedyn/system/workspace.hpp"

namespace sparsedyn {
namespace {

/// Of a sum, beside its terms: the directions are known to about this.
constexpr double rounding_of_directions = 1e-9;

/// Every sensor of the catalogue at every place where a single one could sit; contacts are facts, not sensors, and what moves
/// no mass has no centre of mass. The same wrenches are unknown as in `system`, so that the unknowns are the same, one by one.
SensorSet whole_catalogue(const System& system) {
  const Model& model = system.model();
  SensorSet set;
  for (const Variable& x : system.unknowns())
    if (x.kind == VariableKind::fx && x.component == 0 && system.fx_column(x.owner) != system.terms()[x.body].fx)
      set.unknown.push_back({"fx." + model.links[x.owner].name});
  const auto add = [&](const SensorType& type, const std::string& target) {
    Sensor s;
    s.name = std::to_string(set.sensors.size());
    s.type = type.name;
    if (!target.empty()) s.targets.push_back({target});
    set.sensors.push_back(std::move(s));
  };
  for (const SensorType& type : sensor_types()) {
    if (!type.gives_rows || !type.measured || type.kind == SensorKind::torque_combination) continue;
    if (type.kind == SensorKind::imu) continue;           // its rows are the accelerometer's
    if (type.kind == SensorKind::normal_force) continue;  // along any direction: a part of external_wrench
    if (type.kind == SensorKind::com_acceleration && !moves_mass(model)) continue;
    if (type.target == SensorTarget::robot) add(type, "");
    if (type.target == SensorTarget::joint || type.target == SensorTarget::any_joint)
      for (const Joint& joint : model.joints) add(type, joint.name);
    if (type.target == SensorTarget::link)
      for (std::size_t l = 0; l < model.links.size(); ++l) {
        const int body = model.links[l].body;
        const bool leads = body >= 0 && model.leading_link(body) == static_cast<int>(l);
        if (leads || (type.own_wrench && system.fx_column(static_cast<int>(l)) >= 0)) add(type, model.links[l].name);
      }
  }
  return set;
}

/// What the rows of m see of the directions; sums that are rounding are zero.
Eigen::MatrixXd seen_by(const Measurement& m, const Pattern& pattern, const std::vector<double>& values,
                        const Eigen::MatrixXd& open) {
  Eigen::MatrixXd seen = Eigen::MatrixXd::Zero(m.rows(), open.cols()), magnitude = seen;
  for (int row = 0; row < m.rows(); ++row)
    for (int k = pattern.row_start[m.first_row + row]; k < pattern.row_start[m.first_row + row + 1]; ++k) {
      seen.row(row) += values[k] * open.row(pattern.column[k]);
      magnitude.row(row) += std::abs(values[k]) * open.row(pattern.column[k]).cwiseAbs();
    }
  return (seen.array().abs() > rounding_of_directions * magnitude.array()).select(seen, 0.0);
}

}  // namespace

Advice::Advice(const System& system, const std::vector<double>& q, const std::vector<double>& v, const Eigen::MatrixXd& open)
    : directions_(static_cast<int>(open.cols())) {
  const System catalogue(system.model(), whole_catalogue(system));
  SystemWorkspace<double> work(catalogue);
  const std::vector<double> y(catalogue.inputs().size(), 0.37);  // enters the matrix through centres of pressure alone
  std::vector<double> values(catalogue.pattern().entries()), right_side(catalogue.pattern().rows);
  catalogue.assemble(q.data(), v.data(), y.data(), values.data(), right_side.data(), work);
  for (const Measurement& m : catalogue.measurements()) {
    Eigen::MatrixXd seen = seen_by(m, catalogue.pattern(), values, open);
    const int removes = rank_beside_directions(seen);
    if (removes == 0) continue;
    const SensorType& type = sensor_type(m.kind);
    const auto& targets = catalogue.sensors().sensors[m.sensor].targets;
    const char* on = type.target == SensorTarget::robot ? "" : type.target == SensorTarget::link ? "link" : "joint";
    candidates_.push_back({{type.name, on, targets.empty() ? "" : targets[0].name, m.rows(), removes}, std::move(seen)});
  }
  take_assumptions(system);
  std::stable_sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return a.sensor.removes != b.sensor.removes ? a.sensor.removes > b.sensor.removes : a.sensor.numbers < b.sensor.numbers;
  });
}

/// No hardware measures the torque on a free base, since nothing drives it: that is known, and no sensor. Wrenches on links
/// that nothing touches are known likewise, and may be measured as well.
void Advice::take_assumptions(const System& system) {
  std::set<std::string> touched;
  for (const Measurement& m : system.measurements())
    if (sensor_type(m.kind).own_wrench && m.link >= 0) touched.insert(system.model().links[m.link].name);
  std::vector<Candidate> sensors;
  Eigen::MatrixXd all(0, directions_), air(0, directions_);
  const auto append = [](Eigen::MatrixXd& to, const Eigen::MatrixXd& rows) {
    to.conservativeResize(to.rows() + rows.rows(), Eigen::NoChange);
    to.bottomRows(rows.rows()) = rows;
  };
  int numbers = 0;
  for (Candidate& c : candidates_) {
    const bool drives_base = c.sensor.type == "joint_torque" && c.sensor.target == "base" && system.model().floating();
    const bool in_air = c.sensor.type == "external_wrench" && touched.count(c.sensor.target) == 0;
    if (drives_base) assumptions_.push_back({c.sensor.type, "base", {}, c.sensor.numbers, c.sensor.removes});
    if (drives_base || in_air) append(all, c.seen);
    if (in_air) append(air, c.seen), numbers += c.sensor.numbers;
    if (!drives_base) sensors.push_back(std::move(c));
  }
  if (air.rows() > 0)
    assumptions_.push_back({"external_wrench", "*", {touched.begin(), touched.end()}, numbers, rank_beside_directions(air)});
  if (all.rows() > 0) assumptions_remove_ = rank_beside_directions(all);
  std::stable_sort(assumptions_.begin(), assumptions_.end(),
                   [](const AssumptionAdvice& a, const AssumptionAdvice& b) { return a.removes > b.removes; });
  candidates_ = std::move(sensors);
}

std::vector<SensorAdvice> Advice::single() const {
  std::vector<SensorAdvice> sensors;
  for (const Candidate& c : candidates_) sensors.push_back(c.sensor);
  return sensors;
}

std::vector<PairAdvice> Advice::pairs() const {
  std::vector<PairAdvice> pairs;
  if (candidates_.empty() || candidates_[0].sensor.removes == directions_) return pairs;
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    for (std::size_t j = i + 1; j < candidates_.size(); ++j) {
      const Candidate &a = candidates_[i], &b = candidates_[j];
      if (a.sensor.removes + b.sensor.removes < directions_) break;  // those that follow remove no more
      Eigen::MatrixXd seen(a.seen.rows() + b.seen.rows(), directions_);
      seen << a.seen, b.seen;
      if (rank_beside_directions(seen) == directions_) pairs.push_back({a.sensor, b.sensor});
    }
  std::stable_sort(pairs.begin(), pairs.end(), [](const PairAdvice& a, const PairAdvice& b) {
    return a.first.numbers + a.second.numbers < b.first.numbers + b.second.numbers;
  });
  if (pairs.size() > 10) pairs.resize(10);
  return pairs;
}

}  // namespace sparsedyn
