// States full of zeros: robots at rest, held or limp, at home and at multiples of half a turn.
#pragma once

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"

namespace sparsedyn::test {

inline constexpr const Force<double>* no_wrenches = nullptr;

/// A state and the torques on it.
struct RestCase {
  std::string name;
  std::vector<double> q, v, tau;
};

inline std::vector<std::pair<std::string, std::vector<double>>> rest_postures(const Model& model, std::mt19937& rng) {
  std::vector<double> home(model.nq);
  neutral(model, home.data());
  std::vector<std::pair<std::string, std::vector<double>>> all{{"home", home}};
  const std::vector<std::vector<double>> special = special_configurations(model, 2, rng);
  const char* const names[] = {"0", "pi/2", "-pi/2", "pi", "a mixed one", "another mixed one"};
  for (std::size_t k = 1; k < special.size(); ++k) all.push_back({names[k], special[k]});
  all.push_back({"a random one", random_configuration(model, rng)});
  for (const Body& body : model.bodies)
    if (quaternion_offset(body.joint) < 0) {
      home[body.q] = 0.7;
      break;
    }
  all.push_back({"one joint away from home", home});
  return all;
}

/// 24: at each posture held by its gravity torques, without torques, and with one joint moving under one torque. The base
/// floats freely, where there is one, if `free_base`.
inline std::vector<RestCase> rest_cases(const Model& model, bool free_base, std::mt19937& rng) {
  std::vector<RestCase> cases;
  Workspace<double> work(model);
  const std::vector<double> zero(model.nv, 0.0);
  for (const auto& [name, q] : rest_postures(model, rng)) {
    std::vector<double> held(model.nv), v = zero, tau = zero;
    rnea(model, work, q.data(), zero.data(), zero.data(), no_wrenches, held.data());
    v[rng() % v.size()] = 0.5, tau[rng() % tau.size()] = 1;
    cases.push_back({name + ", held", q, zero, held});
    cases.push_back({name + ", limp", q, zero, zero});
    cases.push_back({name + ", one joint moving", q, v, tau});
  }
  if (free_base && model.joints[0].name == "base")
    for (RestCase& c : cases) std::fill_n(c.tau.begin(), 6, 0.0);
  return cases;
}

/// What the sensors read, of which columns tau and ddq are: y.
inline std::vector<double> readings(const System& system, const std::vector<double>& tau, const std::vector<double>& a) {
  const std::vector<std::string> torques = force_names(system.model()), rates = velocity_names(system.model());
  std::map<std::string, double> value;
  for (std::size_t i = 0; i < rates.size(); ++i) value["tau." + torques[i]] = tau[i], value["ddq." + rates[i]] = a[i];
  std::vector<double> y(system.inputs().size(), 0.0);
  for (std::size_t k = 0; k < y.size(); ++k)
    for (const std::string& column : system.inputs()[k].columns)
      if (const auto found = value.find(column); found != value.end()) y[k] = found->second;
  return y;
}

}  // namespace sparsedyn::test
