// From the sensor set to measurements, inputs, rows, and the wrenches that are unknown.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "io/number.hpp"
#include "io/suggestions.hpp"
#include "model/loads.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "system/build/stages.hpp"
#include "system/names.hpp"
#include "system/resolver.hpp"
#include "system/rounding.hpp"

namespace sparsedyn {
namespace {

std::string dotted(const std::string& a, const std::string& b) { return b.empty() ? a : a + "." + b; }

double length(const Vec3<double>& x) { return std::hypot(x[0], x[1], x[2]); }

/// Deviations whose squares, and those of their inverses, are far from overflow.
bool is_deviation(double sigma) { return sigma >= 1e-100 && sigma <= 1e100; }

/// Refuses what no file could hold, for sets that are written in C++, and the acceleration of the centre of no mass.
void check_numbers(const Resolver& resolver, const Model& model, const Sensor& s, const SensorType& type) {
  for (double sigma : s.sigma)
    if (sigma != 0 && !is_deviation(sigma))
      resolver.refuse(s, 0, "sigma " + number_text(sigma), "0 (exact), or 1e-100 to 1e100");
  for (const auto* readings : {&s.value, &s.fallback})
    for (double x : *readings)
      if (!std::isfinite(x)) resolver.refuse(s, 0, "the value " + number_text(x), "a finite number");
  if (!std::isfinite(length(s.frame.d) + length(s.frame.R * Vec3<double>{{1, 1, 1}})))
    resolver.refuse(s, 0, "a frame of numbers that are not finite", "finite ones");
  for (const auto& [joint, c] : s.coefficients)
    if (!std::isfinite(c)) resolver.refuse(s, joint.line, "the coefficient " + number_text(c), "a finite number");
  if (type.kind == SensorKind::contact && s.dof != 3 && s.dof != 6)
    resolver.refuse(s, 0, "dof " + std::to_string(s.dof), "3 or 6");
  if (type.kind == SensorKind::normal_force && !(length(s.normal) >= 1e-100 && length(s.normal) <= 1e100))
    resolver.refuse(s, 0, "a normal of no length", "one of a length other than 0");
  if (type.kind == SensorKind::com_acceleration && !moves_mass(model))
    resolver.refuse(s, 0, "com_acceleration of a robot that moves no mass", "a mass that moves");
}

/// A sensor on one of its targets: where it is, which components, by which columns. `target` as in Resolver::targets.
Measurement resolved(const Resolver& resolver, const Model& model, const Sensor& s, const SensorType& type, int target) {
  Measurement m;
  m.kind = type.kind;
  if (type.target == SensorTarget::joint) m.joint = target, m.body = model.joints[target].first_body;
  if (type.target == SensorTarget::any_joint || type.target == SensorTarget::link)
    m.link = target, m.body = model.links[target].body;
  if (type.target == SensorTarget::any_joint) m.joint = model.links[target].moving_joint;
  m.frame = s.frame;
  m.sign = s.child_to_parent ? -1.0 : 1.0;
  if (type.kind == SensorKind::torque_combination) m.torques = resolver.torques(s);
  if (type.kind == SensorKind::normal_force) m.normal = (1.0 / length(s.normal)) * s.normal;

  const auto all = resolver.components(type, target);
  m.components = resolver.chosen(s, all);
  if (type.kind == SensorKind::contact && s.dof == 3) m.components = {3, 4, 5};
  m.values = resolver.spread(s, s.value, m.components.size(), "value");
  m.sigma = resolver.spread(s, s.sigma, m.components.size(), "sigma");
  const bool listed = resolver.in_list(s, type);
  const std::string owner = target < 0 ? "" : resolver.name_of(type, target);
  for (int c : m.components) {
    m.columns.push_back(dotted(dotted("y." + s.name, listed ? owner : ""), all[c]));
    m.stand_ins.push_back(type.stand_in.empty() || s.framed ? "" : type.stand_in + dotted(owner, all[c]));
  }
  return m;
}

/// An imu is a gyroscope and an accelerometer, of which either may be left out; all else is what it is.
std::vector<Measurement> parts_of(const Measurement& m) {
  if (m.kind != SensorKind::imu) return {m};
  std::vector<Measurement> parts;
  for (const SensorKind kind : {SensorKind::gyroscope, SensorKind::accelerometer}) {
    Measurement part = m;
    part.kind = kind;
    part.components.clear(), part.values.clear(), part.sigma.clear(), part.columns.clear(), part.stand_ins.clear();
    for (std::size_t k = 0; k < m.components.size(); ++k) {
      const bool turns = m.components[k] < 3;
      if (turns != (kind == SensorKind::gyroscope)) continue;
      part.components.push_back(m.components[k] % 3);
      part.values.push_back(m.values[k]), part.sigma.push_back(m.sigma[k]);
      part.columns.push_back(m.columns[k]), part.stand_ins.push_back(m.stand_ins[k]);
    }
    if (!part.components.empty()) parts.push_back(std::move(part));
  }
  return parts;
}

/// The row of the measurement that the log has in this column, or −1.
int row_read_from(const SystemTables& tables, const std::string& column) {
  for (const Measurement& m : tables.measurements)
    for (int k = 0; k < m.rows(); ++k)
      if (m.inputs[k] >= 0 && (m.columns[k] == column || m.stand_ins[k] == column)) return m.first_row + k;
  return -1;
}

void take_off_known_offsets(SystemTables& tables) {
  std::set<int> done;
  for (const KnownOffset& known : tables.sensors.offsets) {
    const std::string element = "offsets " + known.column.name;
    const auto refuse = [&](const std::string& found, const std::string& expected) {
      throw InputError(tables.sensors.file_of(known.column), known.column.line, element, found, expected);
    };
    if (!std::isfinite(known.value)) refuse(number_text(known.value), "a finite number");
    const int row = row_read_from(tables, known.column.name);
    if (row < 0) {
      std::vector<std::string> columns;
      for (const Input& input : tables.inputs) columns.insert(columns.end(), input.columns.begin(), input.columns.end());
      refuse("no such measurement" + suggestions_text(known.column.name, columns), "a column that the set measures");
    }
    const Sensor& s = tables.sensors.sensors[tables.measurements[tables.equations[row].measurement].sensor];
    if (s.bias) refuse("an offset of sensor " + s.name + ", which has \"bias\" too", "one of the two");
    if (!done.insert(row).second) refuse("a second offset of the same measurement", "one");
    for (SensorReading& reading : tables.readings)
      if (reading.row == row) reading.constant -= known.value;
  }
}

/// Refuses two inputs of one column: a sensor "hand" on the links "tip" and "palm" beside a sensor "hand.tip".
void check_columns(const SystemTables& tables) {
  std::map<std::string, std::string> owner;  // sensor, by column
  for (const Input& input : tables.inputs) {
    const Sensor& s = tables.sensors.sensors[tables.measurements[input.measurement].sensor];
    const auto [first, is_new] = owner.emplace(input.columns[0], s.name);
    if (!is_new)
      throw InputError(tables.sensors.file_of(s), s.line, "sensor " + s.name, "the column " + input.columns[0],
                       "columns of its own; sensor " + first->second + " has that one");
  }
}

void add_inputs(SystemTables& tables, const Sensor& s, const SensorType& type, Measurement& m) {
  m.inputs.assign(m.components.size(), -1);
  if (!s.value.empty() || !type.measured) return;
  for (std::size_t k = 0; k < m.components.size(); ++k) {
    m.inputs[k] = static_cast<int>(tables.inputs.size());
    const bool may_lack = !s.fallback.empty() || (type.own_wrench && !m.stand_ins[k].empty());
    Input input{{m.columns[k]},
                !may_lack,
                s.fallback.empty() ? 0.0 : s.fallback[0],
                static_cast<int>(tables.measurements.size()),
                static_cast<int>(k)};
    if (!m.stand_ins[k].empty()) input.columns.push_back(m.stand_ins[k]);
    tables.inputs.push_back(std::move(input));
  }
}

void add_rows(SystemTables& tables, const SensorType& type, Measurement& m) {
  m.first_row = static_cast<int>(tables.equations.size());
  for (int k = 0; k < static_cast<int>(m.components.size()); ++k) {
    tables.readings.push_back(
        {m.first_row + k, type.on_right ? m.inputs[k] : -1, type.on_right && m.inputs[k] < 0 ? m.values[k] : 0.0});
    tables.equations.push_back({EquationKind::sensor, m.body, k, static_cast<int>(tables.measurements.size())});
  }
  if (type.varies) tables.varying_sensors.push_back(static_cast<int>(tables.measurements.size()));
  tables.needs_world = tables.needs_world || type.needs_world;
}

/// A measurement's inputs and rows. Links fixed to the world have no motion to measure; the wrench of a link that has no
/// column of its own goes to the right-hand side.
void add_measurement(const System& system, SystemTables& tables, const Sensor& s, const SensorType& type, Measurement m) {
  m.in_leading = m.link < 0 ? m.frame : tables.link_in_leading[m.link] * m.frame;
  m.in_leading = without_rounding(m.in_leading, largest_length(tables.model));
  m.frame = without_rounding(m.frame, largest_length(tables.model));
  if (type.target == SensorTarget::link && !type.own_wrench && m.body < 0) return;
  bool rows = type.gives_rows;
  if (type.own_wrench && type.kind != SensorKind::contact && tables.fx_columns[m.link] < 0) {
    // a noisy reading of a wrench that is zero says nothing, and one that is 0 adds nothing
    const auto zeros = [](const std::vector<double>& x) {
      return std::all_of(x.begin(), x.end(), [](double e) { return e == 0.0; });
    };
    if (type.kind != SensorKind::external_wrench || !zeros(m.sigma) || (!s.value.empty() && zeros(m.values))) return;
    rows = false;
    tables.known_wrenches.push_back({m.link, static_cast<int>(tables.measurements.size())});
  }
  if (type.kind == SensorKind::contact && m.body < 0) return;
  if (type.target == SensorTarget::any_joint && m.joint < 0) {
    m.rigid_group = static_cast<int>(tables.rigid_groups.size());
    tables.rigid_groups.push_back(rigid_group_behind(system, m.link));
  }
  add_inputs(tables, s, type, m);
  if (rows) add_rows(tables, type, m);
  tables.measurements.push_back(std::move(m));
}

void add_unknown_lumped_wrenches(SystemTables& tables) {
  std::vector<std::string> links;
  for (const Link& link : tables.model.links) links.push_back("fx." + link.name);
  for (const NameAt& n : tables.sensors.unknown) {
    const auto at = std::find(links.begin(), links.end(), n.name);
    if (at == links.end())
      throw InputError(tables.sensors.file_of(n), n.line, "unknown", "\"" + n.name + "\"" + suggestions_text(n.name, links),
                       "fx. and a link of the robot");
    const int link = static_cast<int>(at - links.begin());
    if (tables.model.links[link].body < 0)
      throw InputError(tables.sensors.file_of(n), n.line, "unknown", "\"" + n.name + "\", a link fixed to the world",
                       "a link that moves");
    if (tables.fx_columns[link] < 0) add_lumped_wrench(tables, link);
  }
}

}  // namespace

void add_sensors(const System& system, SystemTables& tables) {
  const Resolver resolver(tables.model, tables.sensors);
  std::set<std::string> names;
  for (const auto& [kind, deviation] : tables.sensors.prior) {
    if (std::count(kind_names().begin(), kind_names().end(), kind) == 0)
      throw InputError(tables.sensors.file, 0, "prior " + kind, "no such kind" + suggestions_text(kind, kind_names()),
                       "acc, f, tau, fx or ddq");
    if (!is_deviation(deviation))
      throw InputError(tables.sensors.file, 0, "prior " + kind, number_text(deviation), "1e-100 to 1e100");
  }
  check_over_time(tables.sensors);
  add_unknown_lumped_wrenches(tables);
  const std::vector<char> known =
      tables.formulation.joint_space ? known_by_inputs(tables) : std::vector<char>(tables.model.links.size(), 0);
  for (const Sensor& s : tables.sensors.sensors) {
    if (!names.insert(s.name).second) resolver.refuse(s, 0, "this name a second time", "each sensor by a name of its own");
    const SensorType& type = resolver.type(s);
    check_numbers(resolver, tables.model, s, type);
    check_over_time(resolver, s);
    for (int link : resolver.targets(s, type))
      if (type.own_wrench && !s.all && tables.model.links[link].body >= 0 && tables.fx_columns[link] < 0 && !known[link])
        add_lumped_wrench(tables, link);
  }
  for (std::size_t i = 0; i < tables.sensors.sensors.size(); ++i) {
    const Sensor& s = tables.sensors.sensors[i];
    const SensorType& type = resolver.type(s);
    for (int target : resolver.targets(s, type)) {
      Measurement m = resolved(resolver, tables.model, s, type, target);
      m.sensor = static_cast<int>(i);
      for (Measurement& part : parts_of(m)) add_measurement(system, tables, s, sensor_type(part.kind), std::move(part));
    }
  }
  check_columns(tables);
  take_off_known_offsets(tables);
}

/// Joint space keeps no columns for wrenches that are inputs: of links whose wrench one exact sensor gives in full.
std::vector<char> known_by_inputs(const SystemTables& tables) {
  const Resolver resolver(tables.model, tables.sensors);
  std::vector<int> read(tables.model.links.size(), 0);  // by how many sensors; -1: not by a whole, exact wrench
  for (const Sensor& s : tables.sensors.sensors) {
    const SensorType& type = resolver.type(s);
    if (type.target != SensorTarget::link) continue;
    const bool exact = std::all_of(s.sigma.begin(), s.sigma.end(), [](double sigma) { return sigma == 0.0; });
    const bool whole = type.kind == SensorKind::external_wrench && exact && s.components.empty();
    for (int link : resolver.targets(s, type)) read[link] = whole && read[link] == 0 ? 1 : -1;
  }
  std::vector<char> known;
  for (int count : read) known.push_back(count == 1);
  return known;
}

/// Joint space has no accelerations and wrenches inside the robot; base parameters leave the wrenches, and what they are summed
/// from, without meaning.
void check_formulation(const SystemTables& tables) {
  const auto refuse = [&](const Measurement& m) {
    throw FormulationMisfit(formulation_name(tables.formulation) + ": the sensor " + tables.sensors.sensors[m.sensor].name +
                            " measures what this formulation does not have");
  };
  for (const Measurement& m : tables.measurements) {
    if (m.first_row < 0) continue;
    const SensorType& type = sensor_type(m.kind);
    const bool motion = type.target == SensorTarget::link && !type.own_wrench;
    const bool inside =
        m.kind == SensorKind::force_torque || m.kind == SensorKind::com_acceleration || m.kind == SensorKind::momentum_rate;
    if (tables.formulation.joint_space &&
        (motion || inside || m.kind == SensorKind::contact || m.kind == SensorKind::normal_force))
      refuse(m);
    if (tables.formulation.canonical && inside) refuse(m);
  }
}

/// Six columns for the wrench on a lumped link.
void add_lumped_wrench(SystemTables& tables, int link) {
  tables.fx_columns[link] = static_cast<int>(tables.unknowns.size());
  for (int k = 0; k < 6; ++k) tables.unknowns.push_back({VariableKind::fx, link, tables.model.links[link].body, k});
}

}  // namespace sparsedyn
