// All algorithms against each other on real robots, fixed and floating.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

double largest_entry(const std::vector<double>& x) {
  double size = 0;
  for (double e : x) size = std::max(size, std::fabs(e));
  return size;
}

void check(const Model& model, Workspace<double>& ws, const State& s) {
  const std::size_t n = s.v.size();
  std::vector<double> tau(n), bias(n), a(n), M(n * n), inverse(n * n), Ma(n, 0.0), again(n, 0.0);
  rnea(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), tau.data());
  rnea<double>(model, ws, s.q.data(), s.v.data(), nullptr, s.fx.data(), bias.data());
  REQUIRE(aba(model, ws, s.q.data(), s.v.data(), tau.data(), s.fx.data(), a.data()).ok());
  crba(model, ws, s.q.data(), M.data());
  REQUIRE(minverse(model, ws, s.q.data(), inverse.data()).ok());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      Ma[i] += M[i * n + j] * s.a[j];
      again[i] += inverse[i * n + j] * (tau[j] - bias[j]);
    }
  for (std::size_t i = 0; i < n; ++i) Ma[i] += bias[i];
  CHECK(norm_error(Ma, tau) < 1e-12);
  // rounding of the torques, 1e-16 of the largest, comes back through M⁻¹: 1e9 / (kg m²) for the smallest fingers
  const double rounding = 1e-14 * std::max(1.0, largest_entry(inverse) * largest_entry(tau));
  CHECK(worst_error(a, s.a) < rounding);
  CHECK(worst_error(again, s.a) < rounding);
}

}  // namespace

TEST_CASE("the algorithms agree with each other on whole robots") {
  for (const std::string& path : all_robots())
    for (bool floating : {false, true}) {
      INFO(path << (floating ? ", floating" : ", fixed"));
      LoadOptions options;
      options.floating = floating;
      const Model model = load_urdf(path, options);
      Workspace<double> ws(model);
      std::mt19937 rng(5);
      for (int k = 0; k < 50; ++k) check(model, ws, random_state(model, rng));
      for (const State& s : special_states(model, rng, 50)) check(model, ws, s);
    }
}
