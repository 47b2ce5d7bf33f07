#include "resolver.hpp"

#include <algorithm>
#include <set>

#include "io/suggestions.hpp"
#include "io/text/how_many.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "system/sensors/wildcards.hpp"

namespace sparsedyn {
namespace {

const char* expected_target(SensorTarget target) {
  switch (target) {
    case SensorTarget::joint: return "a moving joint of the robot";
    case SensorTarget::any_joint: return "a joint of the robot";
    default: return "a link of the robot";
  }
}

}  // namespace

Resolver::Resolver(const Model& model, const SensorSet& set) : model_(model), set_(set) {
  for (const Link& link : model.links) links_.push_back(link.name), link_joints_.push_back(link.joint);
  for (const Joint& joint : model.joints) joints_.push_back(joint.name);
}

void Resolver::refuse(const Sensor& s, long line, const std::string& found, const std::string& expected) const {
  throw InputError(set_.file_of(s), line > 0 ? line : s.line, "sensor " + s.name, found, expected);
}

const SensorType& Resolver::type(const Sensor& s) const {
  const SensorType* type = find_sensor_type(s.type);
  if (!type)
    refuse(s, 0, "type \"" + s.type + "\"" + suggestions_text(s.type, sensor_type_names()),
           "one of " + comma_list(sensor_type_names()));
  return *type;
}

const std::vector<std::string>& Resolver::names_of(const SensorType& type) const {
  return type.target == SensorTarget::joint ? joints_ : type.target == SensorTarget::any_joint ? link_joints_ : links_;
}

/// "*" is every link, or every moving joint but the base and those that follow others.
bool Resolver::in_star(const SensorType& type, int target) const {
  if (type.target == SensorTarget::link) return true;
  const int joint = type.target == SensorTarget::any_joint ? model_.links[target].moving_joint : target;
  if (joint < 0 || model_.joints[joint].follows()) return false;
  return names_of(type)[target] != "base";
}

/// Patterns are shorthands for lists: force/torque sensors are on fixed joints too. What "*" leaves out they do too.
bool Resolver::in_patterns(const SensorType& type, int target) const {
  if (type.target != SensorTarget::any_joint) return in_star(type, target);
  const bool fixed = model_.links[target].parent >= 0 && model_.links[target].moving_joint < 0;
  return fixed || in_star(type, target);
}

/// A name that the robot has is itself, whatever its letters.
bool Resolver::is_pattern(const SensorType& type, const NameAt& n) const {
  const auto& names = names_of(type);
  return has_wildcard(n.name) && std::find(names.begin(), names.end(), n.name) == names.end();
}

bool Resolver::in_list(const Sensor& s, const SensorType& type) const {
  return s.in_list() || std::any_of(s.targets.begin(), s.targets.end(), [&](const NameAt& n) { return is_pattern(type, n); });
}

std::vector<int> Resolver::named(const Sensor& s, const SensorType& type, const NameAt& n) const {
  const auto& names = names_of(type);
  const bool joint = type.target != SensorTarget::link;
  std::vector<int> found;
  if (is_pattern(type, n)) {
    for (int k = 0; k < static_cast<int>(names.size()); ++k)
      if (matches(n.name, names[k]) && in_patterns(type, k)) found.push_back(k);
    if (found.empty() && !s.optional)
      refuse(s, n.line, "\"" + n.name + "\", which no " + (joint ? "joint" : "link") + " matches",
             expected_target(type.target));
    return found;
  }
  const auto at = std::find(names.begin(), names.end(), n.name);
  if (at != names.end()) return {static_cast<int>(at - names.begin())};
  const bool base = joint && n.name == "base";
  if (!s.optional && !(base && s.all))
    refuse(s, n.line, (joint ? "joint \"" : "link \"") + n.name + "\"" + suggestions_text(n.name, names),
           base ? "a joint of this robot, whose root link is fixed" : expected_target(type.target));
  return found;
}

std::vector<int> Resolver::targets(const Sensor& s, const SensorType& type) const {
  if (type.target == SensorTarget::robot) return {-1};
  std::vector<int> out;
  std::set<int> excepted, taken;
  for (const NameAt& n : s.except)
    for (int k : named(s, type, n)) excepted.insert(k);
  for (int k = 0; s.all && k < static_cast<int>(names_of(type).size()); ++k)
    if (!excepted.count(k) && in_star(type, k)) out.push_back(k);
  bool patterns = false;
  for (const NameAt& n : s.targets) {
    patterns = patterns || is_pattern(type, n);
    for (int k : named(s, type, n)) {
      if (excepted.count(k) && is_pattern(type, n)) continue;
      const bool again = !taken.insert(k).second || excepted.count(k) > 0;
      if (again && !patterns) refuse(s, n.line, "\"" + n.name + "\" a second time", "each name once");
      if (!again) out.push_back(k);
    }
  }
  if (out.empty() && !s.optional && !(s.all && s.except.empty()))
    refuse(s, 0, "it names nothing", type.target == SensorTarget::link ? "a link" : "a joint");
  return out;
}

std::vector<std::string> Resolver::components(const SensorType& type, int target) const {
  if (!type.components.empty()) return type.components;
  const Joint& joint = model_.joints[target];
  if (joint.follows()) return {""};
  const bool position = type.kind == SensorKind::joint_position;
  const auto all = position                                ? coordinate_names(model_)
                   : type.kind == SensorKind::joint_torque ? force_names(model_)
                                                           : velocity_names(model_);
  const int first = position ? joint.q : joint.v, count = position ? joint.nq : joint.nv;
  std::vector<std::string> out;
  for (int k = first; k < first + count; ++k)
    out.push_back(all[k].size() > joint.name.size() ? all[k].substr(joint.name.size() + 1) : "");
  return out;
}

std::vector<int> Resolver::chosen(const Sensor& s, const std::vector<std::string>& all) const {
  std::vector<int> out;
  for (const std::string& c : s.components) {
    const auto at = std::find(all.begin(), all.end(), c);
    if (at == all.end())
      refuse(s, 0, "component \"" + c + "\"",
             all.front().empty() ? "none where there is only one" : "one of " + comma_list(all));
    const int k = static_cast<int>(at - all.begin());
    if (std::count(out.begin(), out.end(), k)) refuse(s, 0, "component \"" + c + "\" a second time", "each once");
    out.push_back(k);
  }
  for (int k = 0; s.components.empty() && k < static_cast<int>(all.size()); ++k) out.push_back(k);
  return out;
}

std::vector<double> Resolver::spread(const Sensor& s, const std::vector<double>& given, std::size_t n, const char* what) const {
  if (given.empty()) return std::vector<double>(n, 0.0);
  if (given.size() == 1) return std::vector<double>(n, given[0]);
  if (given.size() != n)
    refuse(s, 0, how_many(static_cast<long>(given.size()), "number", "numbers") + " in " + what,
           "one, or one for each of " + how_many(static_cast<long>(n), "component", "components"));
  return given;
}

std::vector<std::pair<int, double>> Resolver::torques(const Sensor& s) const {
  const auto names = force_names(model_.tree());
  std::vector<std::pair<int, double>> out;
  for (const auto& [joint, coefficient] : s.coefficients) {
    const auto at = std::find(names.begin(), names.end(), joint.name);
    if (at == names.end())
      refuse(s, joint.line, "joint \"" + joint.name + "\"" + suggestions_text(joint.name, names),
             "a joint of one freedom, or JOINT.COMPONENT as in tau.*");
    if (coefficient != 0.0) out.push_back({static_cast<int>(at - names.begin()), coefficient});
  }
  if (out.empty()) refuse(s, 0, "no coefficient but zeros", "at least one");
  return out;
}

}  // namespace sparsedyn
