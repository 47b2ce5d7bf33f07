// Batches of a robot at rest and in other states full of zeros: each sample is answered, as by the recursion.
#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/answers/sensor_solver.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/rest_cases.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// Of all rest cases that the recursion answers, in one batch: tau, then ddq.
void check_batch(const Model& model, const SensorSet& set) {
  SensorSolverOptions options;
  options.outputs = {"tau", "ddq"};
  SensorSolver solver(model, set, options);
  std::vector<double> q, v, y, exact, sizes;
  long count = 0;
  std::mt19937 rng(7);
  Workspace<double> work(model);
  for (const RestCase& c : rest_cases(model, set.name == "redundant", rng)) {
    std::vector<double> a(static_cast<std::size_t>(model.nv)), tau(a);
    if (!aba(model, work, c.q.data(), c.v.data(), c.tau.data(), no_wrenches, a.data()).ok()) continue;
    rnea(model, work, c.q.data(), c.v.data(), a.data(), no_wrenches, tau.data());
    const std::vector<double> read = readings(solver.system(), c.tau, a);
    q.insert(q.end(), c.q.begin(), c.q.end()), v.insert(v.end(), c.v.begin(), c.v.end());
    y.insert(y.end(), read.begin(), read.end());
    double size = 9.81;
    for (const std::vector<double>* part : {&tau, &a})
      for (double x : *part) exact.push_back(x), size = std::max(size, std::abs(x));
    sizes.push_back(size), ++count;
  }
  REQUIRE(count > 12);
  std::vector<double> found(exact.size());
  const std::vector<FailedSample> failed = solver.solve_batch({q.data(), v.data(), y.data(), count}, found.data(), 2);
  INFO(model.name << ", " << set.name << (failed.empty() ? "" : ": " + failed.front().why));
  REQUIRE(failed.empty());
  const std::size_t width = exact.size() / sizes.size();
  double worst = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) worst = std::max(worst, std::abs(found[k] - exact[k]) / sizes[k / width]);
  CHECK(worst <= 1e-9);
}

void check_batches(const std::string& path) {
  for (const bool floating : {false, true}) {
    LoadOptions options;
    options.floating = floating;
    const Model model = load_urdf(path, options);
    for (const SensorSet& set : {forward_dynamics_set(), inverse_dynamics_set()}) check_batch(model, set);
  }
}

}  // namespace

TEST_CASE("batches of resting robots are answered to the last sample") {
  for (const std::string& path : shipped_robots()) check_batches(path);
  if (shared_robots().empty()) WARN("skipped: ../shared/robots is not there");
  for (const std::string& path : shared_robots()) check_batches(path);
}
