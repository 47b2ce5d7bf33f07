// Parameters from logs of robots that do not move: what gravity shows is fitted, what it does not keeps its prior, and a joint
// that bears no weight has no noise of its own.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/identification/identify.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/rest_cases.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// 100 rows at each posture, all held, with noise.
void add_rests(TorqueInformation& information, const std::vector<std::vector<double>>& postures, double noise) {
  const Model& model = information.model();
  std::mt19937 rng(11);
  std::normal_distribution<double> normal;
  Workspace<double> work(model);
  const std::vector<double> still(static_cast<std::size_t>(model.nv), 0.0);
  for (const std::vector<double>& q : postures) {
    std::vector<double> held(still), read(still);
    rnea(model, work, q.data(), still.data(), still.data(), no_wrenches, held.data());
    for (int k = 0; k < 150; ++k) {
      for (std::size_t i = 0; i < held.size(); ++i) read[i] = held[i] + noise * normal(rng);
      information.add(q.data(), still.data(), still.data(), read.data(), nullptr);
    }
  }
}

std::vector<std::vector<double>> held_postures(const Model& model) {
  std::mt19937 rng(7);
  std::vector<std::vector<double>> all;
  for (const auto& [name, q] : rest_postures(model, rng)) all.push_back(q);
  return all;
}

/// With parameters of the file, and of the file's torques: whatever is fitted explains them as the file does.
void check_resting(const Model& model, double noise, const std::vector<std::vector<double>>& postures) {
  TorqueInformation information(model);
  add_rests(information, postures, noise);
  const Identification found = identify(information, {});
  CAPTURE(model.name, noise, postures.size());
  REQUIRE(std::all_of(found.value.begin(), found.value.end(), [](double x) { return std::isfinite(x); }));
  CHECK(found.rejected.empty());
  const std::vector<double> file = parameters(model);
  Workspace<double> work(model);
  for (std::size_t i = 0; i < information.factors().size(); ++i) {
    const double rows = static_cast<double>(information.factors()[i].rows), size = std::max(noise, 1e-9);
    const double of_file = std::sqrt(information.squares(static_cast<int>(i), file) / rows),
                 of_fit = std::sqrt(information.squares(static_cast<int>(i), found.value) / rows);
    CAPTURE(i);
    CHECK(of_fit <= 1.05 * of_file + 1e-9 * std::max(1.0, size));
  }
  if (noise > 0) return;
  for (std::size_t k = 0; k < 10 * model.bodies.size(); ++k) {  // the file's own torques ask for no other bodies
    CAPTURE(parameter_names(model)[k], found.value[k], file[k]);
    CHECK(std::abs(found.value[k] - file[k]) <= 1e-4 * file[k / 10 * 10]);
  }
}

void check_robot(const std::string& path) {
  const Model model = load_urdf(path);
  std::vector<std::vector<double>> postures = held_postures(model);
  if (model.nv > 15) postures.resize(1);  // a humanoid's fit takes seconds
  for (const double noise : {0.0, 0.01}) {
    for (const std::vector<double>& q : postures) check_resting(model, noise, {q});
    if (postures.size() > 1) check_resting(model, noise, postures);
  }
}

}  // namespace

TEST_CASE("logs of resting robots are identified") {
  for (const std::string& path : shipped_robots()) check_robot(path);
}
