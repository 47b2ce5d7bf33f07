// What the program `generate` writes, compiled with the project's compilers: C called from C++, and the C++ header on scalars
// that are and are not numbers.
#include <arm_fd.h>
#include <arm_id.h>
#include <quadruped_fd.h>

#include <arm_M.hpp>
#include <arm_fd.hpp>
#include <arm_id.hpp>
#include <catch2/catch.hpp>
#include <quadruped_fd.hpp>

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/scalar/autodiff.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

const Force<double>* const no_wrenches = nullptr;

Model shipped(const std::string& name, bool floating) {
  LoadOptions options;
  options.floating = floating;
  return load_urdf(source_folder() + "/robots/" + name + ".urdf", options);
}

std::vector<double> inverse_dynamics(const Model& model, const State& s) {
  Workspace<double> work(model);
  std::vector<double> tau(s.v.size());
  rnea(model, work, s.q.data(), s.v.data(), s.a.data(), no_wrenches, tau.data());
  return tau;
}

std::vector<double> forward_dynamics(const Model& model, const State& s) {
  Workspace<double> work(model);
  std::vector<double> a(s.v.size());
  REQUIRE(aba(model, work, s.q.data(), s.v.data(), s.tau.data(), no_wrenches, a.data()).ok());
  return a;
}

template <class Scalar>
using Function = void (*)(const Scalar* const*, Scalar* const*);

/// The header's result for a scalar that the state is converted to; `more` results follow the vector.
template <class Scalar>
std::vector<Scalar> by_header(Function<Scalar> f, const State& s, const std::vector<double>& third, Scalar* more = nullptr) {
  const std::vector<Scalar> q(s.q.begin(), s.q.end()), v(s.v.begin(), s.v.end()), x(third.begin(), third.end());
  std::vector<Scalar> out(s.v.size());
  const Scalar* arg[] = {q.data(), v.data(), x.data()};
  Scalar* res[] = {out.data(), more};
  f(arg, res);
  return out;
}

std::vector<double> by_c(int (*f)(const double**, double**, long long*, double*, int), const State& s,
                         const std::vector<double>& third) {
  std::vector<double> out(s.v.size());
  const double* arg[] = {s.q.data(), s.v.data(), third.data()};
  double* res[] = {out.data(), nullptr};
  REQUIRE(f(arg, res, nullptr, nullptr, 0) == 0);
  return out;
}

std::vector<State> states(const Model& model) {
  std::mt19937 rng(4);
  std::vector<State> all = special_states(model, rng, 5);
  for (int k = 0; k < 10; ++k) all.push_back(random_state(model, rng));
  return all;
}

}  // namespace

TEST_CASE("generated C and C++ equal the recursive algorithms") {
  const Model arm = shipped("arm", false), quadruped = shipped("quadruped", true);
  for (const State& s : states(arm)) {
    const std::vector<double> tau = inverse_dynamics(arm, s), a = forward_dynamics(arm, s);
    CHECK(norm_error(by_c(arm_id, s, s.a), tau) < 1e-12);
    CHECK(norm_error(by_c(arm_fd, s, s.tau), a) < 1e-12);
    CHECK(norm_error(by_header<double>(::arm_id, s, s.a), tau) < 1e-12);
    double health = 0;
    CHECK(norm_error(by_header<double>(::arm_fd, s, s.tau, &health), a) < 1e-12);
    CHECK((health > 1e-5 && health <= 1));
  }
  for (const State& s : states(quadruped)) {
    const std::vector<double> a = forward_dynamics(quadruped, s);
    CHECK(norm_error(by_c(quadruped_fd, s, s.tau), a) < 1e-12);
    CHECK(norm_error(by_header<double>(::quadruped_fd, s, s.tau), a) < 1e-12);
  }
}

TEST_CASE("a generated header with more results than operations") {
  const Model arm = shipped("arm", false);
  Workspace<double> work(arm);
  for (const State& s : states(arm)) {
    std::vector<double> expected(s.v.size() * s.v.size()), M(expected.size());
    crba(arm, work, s.q.data(), expected.data());
    const double* arg[] = {s.q.data()};
    double* res[] = {M.data()};
    arm_M(arg, res);
    CHECK(norm_error(M, expected) < 1e-12);
  }
}

TEST_CASE("the generated header on float") {
  const Model arm = shipped("arm", false);
  for (const State& s : states(arm)) {
    const std::vector<float> tau = by_header<float>(::arm_id, s, s.a);
    CHECK(norm_error({tau.begin(), tau.end()}, inverse_dynamics(arm, s)) < 2e-6);
  }
}

TEST_CASE("the generated header on dual numbers gives derivatives") {
  const Model arm = shipped("arm", false);
  const auto n = static_cast<std::size_t>(arm.nv);
  for (const State& s : states(arm)) {
    std::vector<Dual<>> q(s.q.begin(), s.q.end()), v(s.v.begin(), s.v.end()), a(s.a.begin(), s.a.end()), tau(n);
    for (std::size_t k = 0; k < n; ++k) q[k].d[0] = s.v[k], v[k].d[0] = s.a[k];  // along the motion
    const Dual<>* arg[] = {q.data(), v.data(), a.data()};
    Dual<>* res[] = {tau.data()};
    arm_id(arg, res);
    State before = s, after = s;
    const double h = 1e-5;
    for (std::size_t k = 0; k < n; ++k) {
      before.q[k] -= h * s.v[k], before.v[k] -= h * s.a[k];
      after.q[k] += h * s.v[k], after.v[k] += h * s.a[k];
    }
    const std::vector<double> low = inverse_dynamics(arm, before), high = inverse_dynamics(arm, after);
    std::vector<double> slope, difference;
    for (std::size_t k = 0; k < n; ++k) slope.push_back(tau[k].d[0]), difference.push_back((high[k] - low[k]) / (2 * h));
    CHECK(norm_error(slope, difference) < 1e-7);
  }
}
