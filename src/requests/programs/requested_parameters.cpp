#include "requested_parameters.hpp"

#include <algorithm>
#include <numeric>

#include "io/suggestions.hpp"
#include "requests/base_of_bodies.hpp"
#include "sparsedyn/dynamics/regressor.hpp"

namespace sparsedyn {
namespace {

/// Parameters `from` … `to` − 1.
std::vector<int> places(int from, int to) {
  std::vector<int> all(static_cast<std::size_t>(to - from));
  std::iota(all.begin(), all.end(), from);
  return all;
}

/// What precedes the last point of a parameter's name: its link or joint.
std::string owner(const std::string& parameter) { return parameter.substr(0, parameter.rfind('.')); }

/// Why a link that leads no body has no parameters, or "".
std::string lumped(const Model& model, const std::string& name) {
  const int link = model.find_link(name);
  if (link < 0) return "";
  const int body = model.links[static_cast<std::size_t>(link)].body;
  if (body < 0) return ": it is fixed to the world, so that its parameters have no effect";
  return ": it is fixed to " + model.links[static_cast<std::size_t>(model.leading_link(body))].name +
         ", whose parameters contain its own";
}

}  // namespace

ParameterInputs requested_parameters(const Model& robot, const std::string& option, const std::vector<std::string>& names) {
  const Model& model = robot.tree();
  const std::vector<std::string> all = parameter_names(model);
  const int bodies = 10 * static_cast<int>(model.joints.size()), count = static_cast<int>(all.size());
  std::vector<double> nominal = parameters(model);
  std::vector<bool> wanted(all.size(), false), absent(all.size(), false);
  bool base = false, inertial = false;
  const auto want = [&](const std::vector<int>& columns) {
    for (int k : columns) wanted[static_cast<std::size_t>(k)] = true, inertial = inertial || k < bodies;
  };
  for (const std::string& name : names) {
    std::vector<int> found;
    if (name == "base") {
      base = true;
      continue;
    }
    if (name == "inertial") found = places(0, bodies);
    if (name == "joints") found = places(bodies, count);
    for (int k = 0; k < count && name != "inertial" && name != "joints"; ++k)
      if (all[static_cast<std::size_t>(k)] == name || owner(all[static_cast<std::size_t>(k)]) == name) found.push_back(k);
    if (found.empty() && name != "joints") {
      std::vector<std::string> known{"inertial", "joints", "base"};
      for (const std::string& each : all) known.push_back(owner(each)), known.push_back(each);
      const std::string why = lumped(model, name);
      throw UsageError(option + " " + name + (why.empty() ? ": unknown" + suggestions_text(name, known) : why) +
                       "; expected inertial, joints, base, or names of links, joints and parameters");
    }
    want(found);
  }
  if (base && inertial)
    throw UsageError(option + " base: the base parameters contain all numbers of bodies; expected no others beside them");
  if (base) {
    const BaseOfBodies known = base_of_bodies(robot, nominal);
    for (std::size_t k = 0; k < known.columns.size(); ++k) {
      const auto at = static_cast<std::size_t>(known.columns[k]);
      wanted[at] = true, nominal[at] = known.values[k];
    }
    for (int k : places(0, bodies)) absent[static_cast<std::size_t>(k)] = !wanted[static_cast<std::size_t>(k)];
  }
  ParameterInputs inputs;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (wanted[k]) inputs.columns.push_back(static_cast<int>(k)), inputs.nominal.push_back(nominal[k]);
    if (absent[k]) inputs.absent.push_back(static_cast<int>(k));
  }
  return inputs;
}

}  // namespace sparsedyn
