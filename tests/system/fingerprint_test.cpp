// Fingerprints: what a change of a number, however small, changes in them.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "dense.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

SensorSet noisy_set() {
  SensorSet set;
  Sensor motors = sensor("joint_torque"), air = sensor("external_wrench");
  motors.sigma = {0.1}, air.value = {0.0};
  set.sensors = {motors, air};
  return set;
}

}  // namespace

TEST_CASE(
    "the exact fingerprint tells numbers that differ in their last bit, sigmas and gravity, and equal systems share one") {
  const Model model = random_tree(5, 1, {false, true, 0.4});
  const SensorSet set = noisy_set();
  const std::string own = System(model, set).exact_fingerprint();
  CHECK(System(model, set).exact_fingerprint() == own);
  const auto differs = [&](const std::function<void(Model&, SensorSet&)>& change) {
    Model other = model;
    SensorSet changed = set;
    change(other, changed);
    return System(other, changed).exact_fingerprint() != own;
  };
  const auto up = [](double& x) { x = std::nextafter(x, 1e9); };
  CHECK(differs([&](Model& m, SensorSet&) { up(m.bodies[2].inertia.m); }));
  CHECK(differs([&](Model& m, SensorSet&) { up(m.bodies[1].inertia.moments.xy); }));
  CHECK(differs([&](Model& m, SensorSet&) { up(m.gravity[2]); }));
  CHECK(differs([&](Model&, SensorSet& s) { up(s.sensors[0].sigma[0]); }));
  CHECK(differs([&](Model&, SensorSet& s) { s.sensors[1].value = {1e-9}; }));
  CHECK_FALSE(differs([&](Model&, SensorSet&) {}));
}
