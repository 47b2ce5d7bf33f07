// Wrenches of the world on a link of a robot on a fixed base: their signs and units show by the torques that hold them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>

#include "inspection/faults.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr const char* touched = "link7";
const std::vector<std::string> touch_components{"nx", "ny", "nz", "fx", "fy", "fz"};

std::size_t place_in(const RecordedLog& log, const std::string& name) {
  const auto at = std::find(log.columns.begin(), log.columns.end(), name);
  if (at == log.columns.end()) throw std::out_of_range(name);
  return static_cast<std::size_t>(at - log.columns.begin());
}

/// A log of the arm that is pushed at its last link by up to 20 N, in columns fx.link7.*, and held by torques.
RecordedLog pushed_log(const SensedRobot& robot, unsigned seed) {
  const Model& model = robot.model;
  RecordedLog log = made_log(robot, seed);
  Workspace<double> work(model);
  const std::vector<std::string> names = coordinate_names(model);
  std::vector<double> q(names.size()), still(static_cast<std::size_t>(model.nv), 0.0), free(still), pushed(still);
  std::vector<Force<double>> links(model.links.size(), {zero3<double>(), zero3<double>()}), bodies(model.bodies.size());
  for (const std::string& c : touch_components) {
    log.columns.push_back(std::string("fx.") + touched + "." + c);
    log.values.emplace_back();
  }
  for (std::size_t i = 0; i < log.values[0].size(); ++i) {
    for (std::size_t k = 0; k < q.size(); ++k) q[k] = log.values[place_in(log, "q." + names[k])][i];
    const double t = log.values[0][i];
    Force<double>& f = links[static_cast<std::size_t>(model.link(touched))];
    for (int c = 0; c < 3; ++c) f.n[c] = std::sin((1.1 + 0.3 * c) * t), f.f[c] = 20 * std::sin((0.9 + 0.4 * c) * t + c);
    link_wrenches_to_bodies(model, links.data(), bodies.data());
    rnea(model, work, q.data(), still.data(), still.data(), static_cast<const Force<double>*>(nullptr), free.data());
    rnea(model, work, q.data(), still.data(), still.data(), bodies.data(), pushed.data());
    for (const Joint& joint : model.joints)
      if (joint.nv == 1)
        log.values[place_in(log, "tau." + joint.name)][i] +=
            pushed[static_cast<std::size_t>(joint.v)] - free[static_cast<std::size_t>(joint.v)];
    for (std::size_t c = 0; c < 6; ++c)
      log.values[log.values.size() - 6 + c].push_back(c < 3 ? f.n[static_cast<int>(c)] : f.f[static_cast<int>(c) - 3]);
  }
  return log;
}

std::string kinds_of(const Inspection& found) {
  std::string text;
  for (const Finding& f : found.findings) text += std::string(finding_name(f.kind)) + "(" + f.columns.front() + ") ";
  return text;
}

}  // namespace

TEST_CASE("a recorded push on an arm has no finding, and its sign and its unit show by the torques") {
  const SensedRobot robot = sensed_robot("arm");
  for (unsigned seed : {1u, 2u, 3u}) {
    const RecordedLog clean = pushed_log(robot, seed);
    const Inspection none = inspect(robot.model, clean);
    INFO("seed " << seed << ": " << kinds_of(none));
    CHECK(none.findings.empty());
    struct Case {
      double factor;
      std::vector<FindingKind> kinds;
    };
    for (const Case& c : {Case{-1, {FindingKind::force_sign}},
                          {1 / 9.80665, {FindingKind::force_unit}},
                          {1000, {FindingKind::force_unit}},
                          {-1 / 9.80665, {FindingKind::force_sign, FindingKind::force_unit}}}) {
      RecordedLog log = clean;
      for (const std::string& component : touch_components)
        for (double& value : log.values[place_in(log, std::string("fx.") + touched + "." + component)]) value *= c.factor;
      const Inspection found = inspect(robot.model, log);
      INFO("times " << c.factor << ": " << kinds_of(found));
      REQUIRE(found.findings.size() == c.kinds.size());
      for (const FindingKind kind : c.kinds) CHECK(place_of(found, kind, {std::string("fx.") + touched + ".fz"}) >= 0);
    }
  }
}

TEST_CASE("torques that no reading of a wrench explains blame the wrench of nothing") {
  const SensedRobot robot = sensed_robot("arm");
  RecordedLog log = pushed_log(robot, 4);
  // Another push than the one that the torques hold.
  for (const std::string& component : touch_components)
    for (std::size_t i = 0; i < log.values[0].size(); ++i)
      log.values[place_in(log, std::string("fx.") + touched + "." + component)][i] = 20 * std::cos(2.3 * log.values[0][i]);
  const Inspection found = inspect(robot.model, log);
  INFO(kinds_of(found));
  for (const Finding& f : found.findings) {
    CHECK(f.kind != FindingKind::force_sign);
    CHECK(f.kind != FindingKind::force_unit);
  }
}
