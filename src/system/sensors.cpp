// From the sensor set to measurements, inputs, rows, and the wrenches that are unknown.
#include <algorithm>
#include <map>
#include <set>

#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/io/near_names.hpp"
#include "sparsedyn/system/names.hpp"
#include "sparsedyn/system/sensor_types.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {
namespace {

/// Resolves one set against one robot; everything it refuses carries the set's file and line.
class Resolver {
 public:
  Resolver(const Model& model, const SensorSet& set) : model_(model), set_(set) {
    for (const Link& link : model.links) links_.push_back(link.name);
    for (const Joint& joint : model.joints) joints_.push_back(joint.name);
  }

  [[noreturn]] void refuse(const Sensor& s, long line, const std::string& found, const std::string& expected) const {
    throw InputError(set_.file, line > 0 ? line : s.line, "sensor " + s.name, found, expected);
  }

  const SensorType& type(const Sensor& s) const {
    const SensorType* type = find_sensor_type(s.type);
    if (type) return *type;
    std::string list;
    for (const std::string& name : sensor_type_names()) list += (list.empty() ? "" : ", ") + name;
    refuse(s, 0, "type \"" + s.type + "\"" + near_names_text(s.type, sensor_type_names()), "one of " + list);
  }

  /// Joints or links that the sensor is on, in its own order, or in the robot's for "*".
  std::vector<int> targets(const Sensor& s, const SensorType& type) const {
    const bool joint = type.target == SensorTarget::joint;
    const auto& names = joint ? joints_ : links_;
    const auto index = [&](const NameAt& n) {
      const auto at = std::find(names.begin(), names.end(), n.name);
      if (at == names.end() && !s.optional && !(joint && n.name == "base" && s.all))
        refuse(s, n.line, (joint ? "joint \"" : "link \"") + n.name + "\"" + near_names_text(n.name, names),
               n.name == "base" && joint ? "a joint of this robot, whose root link is fixed"
               : joint                   ? "a moving joint of the robot"
                                         : "a link of the robot");
      return at == names.end() ? -1 : static_cast<int>(at - names.begin());
    };
    std::vector<int> out;
    std::set<int> taken;
    for (const NameAt& n : s.except) taken.insert(index(n));
    if (s.all)
      for (std::size_t k = 0; k < names.size(); ++k) {
        if (!taken.count(static_cast<int>(k)) && !(joint && names[k] == "base")) out.push_back(static_cast<int>(k));
      }
    for (const NameAt& n : s.targets) {
      const int k = index(n);
      if (k < 0) continue;
      if (!taken.insert(k).second) refuse(s, n.line, "\"" + n.name + "\" a second time", "each name once");
      out.push_back(k);
    }
    if (out.empty() && !s.optional && !(s.all && s.except.empty()))
      refuse(s, 0, "it names nothing", joint ? "a joint" : "a link");
    return out;
  }

  /// Names of the components that the sensor has on that target; "" for the only one.
  std::vector<std::string> components(const SensorType& type, int target) const {
    if (!type.components.empty()) return type.components;
    const Joint& joint = model_.joints[target];
    const auto all = type.kind == SensorKind::joint_torque ? force_names(model_) : velocity_names(model_);
    std::vector<std::string> out;
    for (int v = joint.v; v < joint.v + joint.nv; ++v)
      out.push_back(all[v].size() > joint.name.size() ? all[v].substr(joint.name.size() + 1) : "");
    return out;
  }

  /// Indices of the chosen components.
  std::vector<int> chosen(const Sensor& s, const std::vector<std::string>& all) const {
    std::vector<int> out;
    for (const std::string& c : s.components) {
      const auto at = std::find(all.begin(), all.end(), c);
      if (at == all.end()) {
        std::string list;
        for (const std::string& name : all) list += (list.empty() ? "" : ", ") + name;
        refuse(s, 0, "component \"" + c + "\"",
               all == std::vector<std::string>{""} ? "none on a joint of one freedom" : "one of " + list);
      }
      const int k = static_cast<int>(at - all.begin());
      if (std::count(out.begin(), out.end(), k)) refuse(s, 0, "component \"" + c + "\" a second time", "each once");
      out.push_back(k);
    }
    for (std::size_t k = 0; s.components.empty() && k < all.size(); ++k) out.push_back(static_cast<int>(k));
    return out;
  }

  /// A number for each of n components from none, one or n.
  std::vector<double> spread(const Sensor& s, const std::vector<double>& given, std::size_t n, const char* what) const {
    if (given.empty()) return std::vector<double>(n, 0.0);
    if (given.size() == 1) return std::vector<double>(n, given[0]);
    if (given.size() != n)
      refuse(s, 0, std::to_string(given.size()) + " numbers in " + what,
             "one, or one for each of " + std::to_string(n) + " components");
    return given;
  }

 private:
  const Model& model_;
  const SensorSet& set_;
  std::vector<std::string> links_, joints_;
};

std::string dotted(const std::string& a, const std::string& b) { return b.empty() ? a : a + "." + b; }

}  // namespace

void System::add_sensors() {
  const Resolver resolver(model_, sensors_);
  std::set<std::string> names;
  for (const Sensor& s : sensors_.sensors)
    if (!names.insert(s.name).second) resolver.refuse(s, 0, "this name a second time", "each sensor by a name of its own");
  add_unknown_lumped_wrenches();
  for (std::size_t i = 0; i < sensors_.sensors.size(); ++i) {
    const Sensor& s = sensors_.sensors[i];
    const SensorType& type = resolver.type(s);
    for (int target : resolver.targets(s, type)) {
      Measurement m;
      m.sensor = static_cast<int>(i);
      m.kind = type.kind;
      (type.target == SensorTarget::joint ? m.joint : m.link) = target;
      m.body = m.link >= 0 ? model_.links[m.link].body : model_.joints[m.joint].first_body;
      m.frame = s.frame;
      const auto all = resolver.components(type, target);
      m.components = resolver.chosen(s, all);
      m.values = resolver.spread(s, s.value, m.components.size(), "value");
      m.sigma = resolver.spread(s, s.sigma, m.components.size(), "sigma");
      const std::string& target_name = m.link >= 0 ? model_.links[m.link].name : model_.joints[m.joint].name;
      for (int c : m.components) {
        m.columns.push_back(dotted(dotted("y." + s.name, s.all || s.targets.size() > 1 ? target_name : ""), all[c]));
        const bool stand_in = *type.stand_in && !s.framed;
        m.stand_ins.push_back(stand_in ? type.stand_in + dotted(target_name, all[c]) : "");
      }
      add_measurement(s, type, std::move(m));
    }
  }
  check_columns();
}

/// Refuses two inputs of one column: a sensor "hand" on the links "tip" and "palm" beside a sensor "hand.tip".
void System::check_columns() const {
  std::map<std::string, std::string> owner;  // sensor, by column
  for (const Input& input : inputs_) {
    const Sensor& s = sensors_.sensors[measurements_[input.measurement].sensor];
    const auto [first, is_new] = owner.emplace(input.columns[0], s.name);
    if (!is_new)
      throw InputError(sensors_.file, s.line, "sensor " + s.name, "the column " + input.columns[0],
                       "columns of its own; sensor " + first->second + " has that one");
  }
}

/// A measurement's inputs, and its rows; the wrench of a link that has no column of its own goes to the right-hand side.
void System::add_measurement(const Sensor& s, const SensorType& type, Measurement m) {
  const int index = static_cast<int>(measurements_.size());
  const bool wrench = type.target == SensorTarget::link && type.own_wrench;
  const bool exact = std::all_of(m.sigma.begin(), m.sigma.end(), [](double x) { return x == 0.0; });
  if (wrench && !s.all && m.body >= 0 && fx_columns_[m.link] < 0) add_lumped_wrench(m.link);
  const bool has_rows = !wrench || fx_columns_[m.link] >= 0;
  if (!has_rows && !exact) return;  // the wrench of this link is zero, and a noisy reading says nothing about it
  for (std::size_t k = 0; k < m.components.size(); ++k) {
    m.inputs.push_back(-1);
    if (!s.value.empty()) continue;
    m.inputs.back() = static_cast<int>(inputs_.size());
    Input input{{m.columns[k]},
                s.fallback.empty() && !(wrench && !m.stand_ins[k].empty()),
                s.fallback.empty() ? 0.0 : s.fallback[0],
                index,
                static_cast<int>(k)};
    if (!m.stand_ins[k].empty()) input.columns.push_back(m.stand_ins[k]);
    inputs_.push_back(std::move(input));
  }
  if (has_rows) {
    m.first_row = static_cast<int>(equations_.size());
    for (std::size_t k = 0; k < m.components.size(); ++k)
      equations_.push_back({EquationKind::sensor, m.body, static_cast<int>(k), index});
  } else {
    known_wrenches_.push_back({m.link, index});
  }
  measurements_.push_back(std::move(m));
}

/// Six columns for the wrench on a lumped link.
void System::add_lumped_wrench(int link) {
  fx_columns_[link] = static_cast<int>(unknowns_.size());
  for (int k = 0; k < 6; ++k) unknowns_.push_back({VariableKind::fx, link, model_.links[link].body, k});
}

void System::add_unknown_lumped_wrenches() {
  std::vector<std::string> links;
  for (const Link& link : model_.links) links.push_back("fx." + link.name);
  for (const NameAt& n : sensors_.unknown) {
    const auto at = std::find(links.begin(), links.end(), n.name);
    if (at == links.end())
      throw InputError(sensors_.file, n.line, "unknown", "\"" + n.name + "\"" + near_names_text(n.name, links),
                       "fx. and a link of the robot");
    const int link = static_cast<int>(at - links.begin());
    if (model_.links[link].body < 0)
      throw InputError(sensors_.file, n.line, "unknown", "\"" + n.name + "\", a link fixed to the world", "a link that moves");
    if (fx_columns_[link] < 0) add_lumped_wrench(link);
  }
}

}  // namespace sparsedyn
