// Programs of derivatives beside complex steps of the programs that they are of, and beside the recursions' derivatives.
#include "codegen/differentiate/program_derivatives.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <random>

#include "codegen/ir/health_states.hpp"
#include "codegen/ir/pivot_health.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "support/evaluated.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Complex = std::complex<double>;
template <class S>
using Vectors = std::vector<std::vector<S>>;

Vectors<double> random_inputs(const std::vector<Port>& ports, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  Vectors<double> x;
  for (const Port& port : ports) {
    x.emplace_back(port.elements.size());
    for (double& each : x.back()) each = normal(rng);  // quaternions too: of any norm
  }
  return x;
}

/// Im f(x + i h d) / h.
Vectors<double> complex_step(const Program& program, const Vectors<double>& x, const Vectors<double>& d) {
  constexpr double h = 1e-100;
  Vectors<Complex> z;
  for (std::size_t k = 0; k < x.size(); ++k) {
    z.emplace_back();
    for (std::size_t e = 0; e < x[k].size(); ++e) z.back().emplace_back(x[k][e], h * d[k][e]);
  }
  Vectors<double> slopes;
  for (const std::vector<Complex>& output : evaluated_as(program, z)) {
    slopes.emplace_back();
    for (const Complex& each : output) slopes.back().push_back(each.imag() / h);
  }
  return slopes;
}

double dot(const Vectors<double>& a, const Vectors<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    for (std::size_t e = 0; e < a[k].size(); ++e) sum += a[k][e] * b[k][e];
  return sum;
}

Vectors<double> joined(Vectors<double> a, const Vectors<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Forward beside complex steps; reverse beside forward: times · (J along) = (Jᵀ times) · along.
void compare(const Program& program, std::mt19937& rng) {
  const Program forward = forward_derivative(program), reverse = reverse_derivative(program);
  for (int k = 0; k < 3; ++k) {
    const Vectors<double> x = random_inputs(program.inputs(), rng), along = random_inputs(program.inputs(), rng),
                          times = random_inputs(program.outputs(), rng);
    const Vectors<double> slopes = evaluated_as(forward, joined(x, along)), expected = complex_step(program, x, along);
    for (std::size_t o = 0; o < expected.size(); ++o) CHECK(norm_error(slopes[o], expected[o]) < 1e-10);
    const Vectors<double> back = evaluated_as(reverse, joined(x, times));
    for (std::size_t p = 0; p < x.size(); ++p) {
      std::vector<double> steps;
      for (std::size_t e = 0; e < x[p].size(); ++e) {
        Vectors<double> unit = x;
        for (std::vector<double>& port : unit) std::fill(port.begin(), port.end(), 0.0);
        unit[p][e] = 1;
        steps.push_back(dot(times, complex_step(program, x, unit)));
      }
      CHECK(norm_error(back[p], steps) < 1e-10);
    }
  }
}

Model tree(bool floating) {
  TreeOptions options;
  options.floating = floating, options.kinds = every_joint_kind();
  return with_joint_physics(random_tree(5, 3, options), 4);
}

}  // namespace

TEST_CASE("Forward and reverse derivatives of every kind of program are those of complex steps") {
  std::mt19937 rng(1);
  for (const std::string name : {"rnea", "aba", "crba", "minverse", "coriolis", "bias", "gravity", "energy", "kinematics",
                                 "jacobians", "jacobian-rates", "momentum", "momentum-rate", "centroidal-momentum-matrix",
                                 "centre-of-mass-jacobian", "regressor", "regressor-times", "hamilton", "rnea-derivatives"}) {
    INFO(name);
    const Model model = tree(true);
    compare(with_normalised_quaternions(algorithm_program(model, name), model), rng);
  }
}

TEST_CASE("Second derivatives are derivatives of the first, in all four orders") {
  std::mt19937 rng(2);
  const Model model = random_tree(3, 7);
  for (const std::string first : {"nf", "nr"}) compare(derived_program(algorithm_program(model, "aba"), model, first), rng);
}

TEST_CASE("Directional derivatives of forward dynamics are the recursion's") {
  std::mt19937 rng(3);
  const Model model = random_tree(6, 5);
  const Program forward = forward_derivative(algorithm_program(model, "aba"));
  const State s = random_state(model, rng);
  const auto n = static_cast<std::size_t>(model.nv);
  AbaDerivativeWorkspace<double> work(model);
  std::vector<double> a(n), by_q(n * n), by_v(n * n), by_tau(n * n);
  const AbaDerivatives<double> out{a.data(), by_q.data(), by_v.data(), by_tau.data()};
  const Force<double>* const none = nullptr;
  REQUIRE(aba_derivatives(model, work, s.q.data(), s.v.data(), s.tau.data(), none, out).ok());
  const Vectors<double> along = random_inputs(algorithm_program(model, "aba").inputs(), rng);
  std::vector<double> expected(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      expected[i] += by_q[i * n + k] * along[0][k] + by_v[i * n + k] * along[1][k] + by_tau[i * n + k] * along[2][k];
  CHECK(norm_error(evaluated_as(forward, joined({s.q, s.v, s.tau}, along))[0], expected) < 1e-11);
}

TEST_CASE("A normalised program is a function of the quaternion's direction") {
  std::mt19937 rng(4);
  const Model model = tree(true);
  const Program plain = algorithm_program(model, "crba"), normalised = with_normalised_quaternions(plain, model);
  Vectors<double> x = {random_state(model, rng).q};
  const std::vector<double> expected = evaluated_as(plain, x)[0];
  const Vectors<double> unit = x;
  Vectors<double> itself = x;
  for (double& each : itself[0]) each = 0;
  for (const Body& body : model.bodies)
    if (const int offset = quaternion_offset(body.joint); offset >= 0)
      for (int k = 0; k < 4; ++k) {
        const auto e = static_cast<std::size_t>(body.q + offset + k);
        itself[0][e] = unit[0][e], x[0][e] *= 2.5;
      }
  CHECK(norm_error(evaluated_as(normalised, x)[0], expected) < 1e-13);
  const Vectors<double> slopes = evaluated_as(forward_derivative(normalised), joined(x, itself));
  for (const double slope : slopes[0]) CHECK(std::fabs(slope) < 1e-12);
}

TEST_CASE("Programs without a derivative are refused") {
  const Model model = random_tree(6, 5);
  const Program program = algorithm_program(model, "aba");
  const Program health = with_health(program, health_states(model, program));
  CHECK_THROWS_WITH(forward_derivative(health), Catch::Contains("health"));
  CHECK_THROWS_WITH(reverse_derivative(health), Catch::Contains("health"));
  CHECK_THROWS_WITH(derived_program(program, model, "fx"), Catch::Contains("'x'"));
}
