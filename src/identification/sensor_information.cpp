#include "sparsedyn/identification/sensor_information.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "base_columns.hpp"
#include "model/samples.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "system/sensors/state_sensors.hpp"

namespace sparsedyn {
namespace {

constexpr double exactness = 1e-6;             // an exact row's deviation beside the least that is stated
constexpr int load_cell_places[] = {5, 0, 1};  // fz nx ny among nx … fz

Motion<double> unit_screw(int c) {
  Motion<double> e{zero3<double>(), zero3<double>()};
  component(e, c) = 1;
  return e;
}
Force<double> unit_wrench(int c) {
  Force<double> x{zero3<double>(), zero3<double>()};
  component(x, c) = 1;
  return x;
}

/// Whether it reads accelerations alone.
bool reads_motion(SensorKind kind) {
  return kind == SensorKind::joint_acceleration || kind == SensorKind::accelerometer || kind == SensorKind::gyroscope ||
         kind == SensorKind::angular_accelerometer || kind == SensorKind::link_acceleration || kind == SensorKind::contact ||
         sensors::reads_state(kind);
}

[[noreturn]] void refuse(const System& system, const Measurement& m, const std::string& found, const std::string& expected) {
  const Sensor& sensor = system.sensors().sensors[static_cast<std::size_t>(m.sensor)];
  throw InputError(system.sensors().file_of(sensor), sensor.line, "sensor " + sensor.name, found, expected);
}

/// What is known to be read too much.
double offset_of(const System& system, const Measurement& m, std::size_t k) {
  for (const KnownOffset& known : system.sensors().offsets)
    if (known.column.name == m.columns[k] || known.column.name == m.stand_ins[k]) return known.value;
  return 0;
}

}  // namespace

SensorInformation::SensorInformation(const System& system)
    : RowInformation(system.model()),
      system_(&system),
      work_(system.model()),
      blocks_of_(system.model().links.size(), -1),
      screws_(system.model().bodies.size()),
      moved_(system.model().bodies.size(), 0),
      Y_(static_cast<std::size_t>(work_.index.count)) {
  const SensorSet& set = system.sensors();
  if (system.model().coordinate_map)
    throw InputError(set.file, 0, "robot", "joints that follow others", "joints that move on their own");
  if (!system.closures().empty()) throw InputError(set.file, 0, "constraints", "hard constraints", "sensors alone");
  find_wrenches();
  for (std::size_t m = 0; m < system.measurements().size(); ++m) add_measurement(static_cast<int>(m));
  choose_channels();
}

/// Of each link: its wrench is zero, read exactly as a whole, or six unknowns.
void SensorInformation::find_wrenches() {
  for (const KnownWrench& known : system_->known_wrenches()) exact_.emplace_back(known.link, known.measurement);
  for (std::size_t l = 0; l < blocks_of_.size(); ++l) {
    if (system_->fx_column(static_cast<int>(l)) < 0) continue;
    int exact = -1;
    for (std::size_t k = 0; k < system_->measurements().size(); ++k) {
      const Measurement& m = system_->measurements()[k];
      const bool whole = m.kind == SensorKind::external_wrench && m.link == static_cast<int>(l) && m.components.size() == 6;
      if (whole && std::all_of(m.sigma.begin(), m.sigma.end(), [](double s) { return s == 0; })) exact = static_cast<int>(k);
    }
    if (exact >= 0)
      exact_.emplace_back(static_cast<int>(l), exact);
    else
      blocks_of_[l] = blocks_++;
  }
  const auto prior = system_->sensors().prior.find("fx");
  if (prior != system_->sensors().prior.end()) prior_.assign(static_cast<std::size_t>(6 * blocks_), prior->second);
}

void SensorInformation::add_measurement(int index) {
  const Measurement& m = system_->measurements()[static_cast<std::size_t>(index)];
  const Sensor& sensor = system_->sensors().sensors[static_cast<std::size_t>(m.sensor)];
  if (reads_motion(m.kind)) {
    if (silent_.empty() || silent_.back() != sensor.name) silent_.push_back(sensor.name);
    return;
  }
  if (sensor.bias) refuse(*system_, m, "an unknown offset", "offsets that are known: solve --offsets learns them");
  switch (m.kind) {
    case SensorKind::joint_torque:
    case SensorKind::torque_combination: return add_torque_rows(index);
    case SensorKind::force_torque: return add_wrench_rows(index);
    case SensorKind::external_wrench:
    case SensorKind::load_cell: break;
    default:
      refuse(*system_, m, sensor.type,
             "joint_torque, torque_combination, force_torque, external_wrench, load_cell, or accelerations");
  }
  const int block = m.link < 0 ? -1 : blocks_of_[static_cast<std::size_t>(m.link)];
  for (std::size_t k = 0; block >= 0 && k < m.components.size(); ++k) {
    const int place = m.kind == SensorKind::load_cell ? load_cell_places[m.components[k]] : m.components[k];
    Wrench wrench{index, static_cast<int>(k), block, unit_wrench(0), offset_of(*system_, m, k)};
    for (int c = 0; c < 6; ++c) component(wrench.along, c) = component(to_child(m.frame, unit_wrench(c)), place);
    wrenches_.push_back(wrench);
  }
}

void SensorInformation::add_torque_rows(int index) {
  const Measurement& m = system_->measurements()[static_cast<std::size_t>(index)];
  for (std::size_t k = 0; k < m.components.size(); ++k) {
    Row row{index, static_cast<int>(k)};
    if (m.kind == SensorKind::torque_combination)
      for (const auto& [freedom, coefficient] : m.torques)
        row.freedoms.push_back(freedom), row.coefficients.push_back(coefficient);
    else
      row.freedoms = {model_->joints[static_cast<std::size_t>(m.joint)].v + m.components[k]}, row.coefficients = {1};
    rows_.push_back(row);
  }
}

void SensorInformation::add_wrench_rows(int index) {
  const Measurement& m = system_->measurements()[static_cast<std::size_t>(index)];
  if (m.rigid_group >= 0 && m.body >= 0)
    refuse(*system_, m, "a joint that does not move",
           "a joint that moves, or one of a root fixed to the world: it measures a part of a body");
  for (std::size_t k = 0; k < m.components.size(); ++k) {
    Row row{index, static_cast<int>(k)};
    row.sign = m.sign, row.body = m.body;
    Pose<double> frame = m.in_leading;
    if (m.body >= 0) frame = model_->links[static_cast<std::size_t>(model_->leading_link(m.body))].pose * frame;
    row.screw = to_child(inverse(frame), unit_screw(m.components[k]));
    if (m.body < 0) {
      const RigidGroup& group = system_->rigid_groups()[static_cast<std::size_t>(m.rigid_group)];
      row.roots = group.bodies, row.links = group.links;
      const Force<double> weight = group.inertia * Motion<double>{zero3<double>(), -model_->gravity};
      row.constant = m.sign * component(to_child(m.in_leading, weight), m.components[k]);
    }
    rows_.push_back(row);
  }
}

/// A row by itself has a factor of its own; those that meet unknown wrenches share one.
void SensorInformation::choose_channels() {
  const auto nv = static_cast<std::size_t>(model_->nv);
  const double length = own_length(*model_);
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  std::vector<double> q, v(nv), a(nv), y(system_->inputs().size(), 0.0);
  const auto shake = [&] {
    q = normal_sample(*model_, rng);
    for (std::size_t i = 0; i < nv; ++i) v[i] = normal(rng), a[i] = normal(rng);
    shift_by(*model_, length, q);
    move(q.data(), v.data(), a.data());
  };
  shake();
  std::vector<int> own, shared;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    spread(rows_[i]);
    bool uncertain = false;
    Motion<double> screw{zero3<double>(), zero3<double>()};
    for (std::size_t l = 0; l < blocks_of_.size(); ++l)
      uncertain = uncertain || (blocks_of_[l] >= 0 && acts_on(rows_[i], static_cast<int>(l), screw));
    (uncertain ? shared : own).push_back(static_cast<int>(i));
  }
  std::vector<int> all(Y_.size());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<double> unit = parameter_units(*model_);
  const auto base_of = [&](const std::vector<int>& rows) {
    const Eigen::Index samples = 3 * static_cast<Eigen::Index>(Y_.size() / rows.size()) + 3,
                       count = static_cast<Eigen::Index>(Y_.size());
    Eigen::MatrixXd W(samples * static_cast<Eigen::Index>(rows.size()), count);
    for (Eigen::Index s = 0, r = 0; s < samples; ++s) {
      shake();
      for (int i : rows) {
        spread(rows_[static_cast<std::size_t>(i)]);
        write_row(rows_[static_cast<std::size_t>(i)], q.data(), v.data(), a.data());
        W.row(r++) = Eigen::Map<const Eigen::RowVectorXd>(Y_.data(), count);
      }
    }
    return independent_columns(W, all, unit);
  };
  const std::vector<std::string> torques = force_names(*model_);
  for (int i : own) {
    Row& row = rows_[static_cast<std::size_t>(i)];
    const Measurement& m = system_->measurements()[static_cast<std::size_t>(row.measurement)];
    const int freedom = m.kind == SensorKind::joint_torque ? row.freedoms[0] : -1;
    std::string name = m.columns[static_cast<std::size_t>(row.component)];
    if (freedom >= 0 && std::count(names().begin(), names().end(), torques[static_cast<std::size_t>(freedom)]) == 0)
      name = torques[static_cast<std::size_t>(freedom)];
    row.channel = static_cast<int>(names().size());
    row.constant += offset_of(*system_, m, static_cast<std::size_t>(row.component));
    declare(name, base_of({i}), freedom, m.sigma[static_cast<std::size_t>(row.component)]);
  }
  for (int i : shared) {
    Row& row = rows_[static_cast<std::size_t>(i)];
    row.constant += offset_of(*system_, system_->measurements()[static_cast<std::size_t>(row.measurement)],
                              static_cast<std::size_t>(row.component));
  }
  height_ = static_cast<int>(shared.size() + wrenches_.size() + prior_.size());
  if (!shared.empty()) {
    stack_.assign(static_cast<std::size_t>(height_) * (static_cast<std::size_t>(6 * blocks_) + Y_.size() + 1), 0.0);
    double least = std::numeric_limits<double>::infinity();
    const auto look = [&](int measurement, int k) {
      const double sigma = system_->measurements()[static_cast<std::size_t>(measurement)].sigma[static_cast<std::size_t>(k)];
      if (sigma > 0) least = std::min(least, sigma);
    };
    for (int i : shared) look(rows_[static_cast<std::size_t>(i)].measurement, rows_[static_cast<std::size_t>(i)].component);
    for (const Wrench& wrench : wrenches_) look(wrench.measurement, wrench.component);
    const bool stated = std::isfinite(least);
    exact_sigma_ = stated ? exactness * least : 1;
    shake();
    if (stack(q.data(), v.data(), a.data(), y.data()) < height_) {
      projected_ = static_cast<int>(names().size());
      declare("beside unknown wrenches", base_of(shared), -1, stated ? 1 : 0);
    }
  }
  if (names().empty())
    throw InputError(system_->sensors().file, 0, "sensors",
                     "none whose reading depends on parameters, or unknown wrenches on every link",
                     "torques or wrenches of joints, and external wrenches that are known or measured");
}

}  // namespace sparsedyn
