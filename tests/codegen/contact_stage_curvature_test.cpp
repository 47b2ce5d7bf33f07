// The Hessian of a generated step under contacts, times multipliers: beside differences of generated first derivatives at the
// ends of the step, and beside programs of steps without contacts where none is near.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "compiled.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "support/contact_loops.hpp"
#include "support/contact_robots.hpp"
#include "support/evaluated.hpp"
#include "support/four_bar.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using StageNumbers = std::vector<double>;

/// g and H of a step at x, u and dt.
class CurvedStep {
 public:
  CurvedStep(const Model& model, const ConstraintSet& set, const ContactState& s, double duration)
      : x(s.q),
        dt{duration},
        model_(model),
        n_(static_cast<std::size_t>(model.nv)),
        base_(model.floating() ? 6 : 0),
        function_(contact_stage_code(model, set, {"x_next", "g", "H"}, "f").files, "f", strictly(quick_compiler(), "-O0")) {
    x.insert(x.end(), s.v.begin(), s.v.end());
    u.assign(s.tau.begin() + static_cast<std::ptrdiff_t>(base_), s.tau.end());
    for (int k = 0; k < 2 * model.nv; ++k) lambda.push_back(std::cos(1 + k * k));
  }
  std::size_t size() const { return 3 * n_ - base_ + 1; }

  int hessian() {
    H.assign(size() * (size() + 1) / 2, -7), g.assign(size(), -7), next.resize(1000);
    double* res[] = {nullptr, g.data(), H.data(), next.data(), nullptr};
    const double* arg[] = {x.data(), u.data(), dt.data(), lambda.data(), nullptr};
    return function_.call(arg, res);
  }

  /// λᵀ of the derivatives of f(x ⊕ δx, u + δu, dt + δt) ⊖ x⁺ at entry k of δ moved by `by`: of positions those along the
  /// tangent at the moved x⁺, carried to x⁺ by half of the bracket, which cancels in half of the sum of both orders.
  StageNumbers gradient_beside(std::size_t k, double by) {
    StageNumbers moved_x = x, moved_u = u, moved_dt = dt, slopes(size());
    if (k < n_) {
      StageNumbers delta(n_);
      delta[k] = by;
      integrate(model_, x.data(), delta.data(), moved_x.data());
    } else if (k < 2 * n_) {
      moved_x[static_cast<std::size_t>(model_.nq) + k - n_] += by;
    } else if (k + 1 < size()) {
      moved_u[k - 2 * n_] += by;
    } else {
      moved_dt[0] += by;
    }
    double* res[] = {nullptr, slopes.data(), nullptr, nullptr, nullptr};
    const double* arg[] = {moved_x.data(), moved_u.data(), moved_dt.data(), lambda.data(), next.data()};
    REQUIRE(function_.call(arg, res) == 0);
    return slopes;
  }

  StageNumbers by_differences(double step) {
    std::vector<StageNumbers> bent;
    for (std::size_t k = 0; k < size(); ++k) {
      bent.emplace_back(size());
      for (const auto& [at, weight] : {std::pair(1, 45.0), {2, -9.0}, {3, 1.0}}) {
        const StageNumbers ahead = gradient_beside(k, at * step), back = gradient_beside(k, -at * step);
        for (std::size_t i = 0; i < size(); ++i) bent[k][i] += weight * (ahead[i] - back[i]) / (60 * step);
      }
    }
    StageNumbers all;
    for (std::size_t i = 0; i < size(); ++i)
      for (std::size_t k = 0; k <= i; ++k) all.push_back(0.5 * (bent[i][k] + bent[k][i]));
    return all;
  }

  StageNumbers x, u, dt, lambda, g, H, next;

 private:
  const Model& model_;
  std::size_t n_, base_;
  CompiledProgram function_;
};

double difference_of_hessian(CurvedStep& step) {
  double least = 1;
  for (const double by : {1e-3, 1e-4, 3e-5, 1e-5})
    if (least > 1e-7) least = std::min(least, relative_difference(step.H, step.by_differences(by)));
  return least;
}

}  // namespace

TEST_CASE("the Hessian of a generated step under contacts is differences of first derivatives, in motion and at rest") {
  if (missing(quick_compiler())) return;
  const Model model = shipped_model("quadruped", true);
  ConstraintSet set = spheres_on_leaves(model, {{0.8}});
  add_stops_and_friction(set);
  std::mt19937 rng(3);
  for (int k = 0; k < 4; ++k) {
    CAPTURE(k);
    ContactState s = touching_state(model, set, rng);
    s.q[2] += 0.0003;  // within the width of the impedance
    if (k == 3) std::fill(s.v.begin(), s.v.end(), 0.0), std::fill(s.tau.begin(), s.tau.end(), 0.0);
    CurvedStep step(model, set, s, 0.01);
    REQUIRE(step.hessian() == 0);
    CHECK(difference_of_hessian(step) <= 1e-6);
  }
}

TEST_CASE("the Hessian of a generated step under contacts of every kind of joint is differences of first derivatives") {
  if (missing(quick_compiler())) return;
  for (unsigned seed = 0; seed < 1; ++seed) {
    const ContactRobot slope = robot_on_a_slope(seed), followers = robot_with_followers(seed, 0.1);
    for (const ContactRobot* robot : {&slope, &followers}) {
      CAPTURE(seed, robot == &slope);
      std::mt19937 rng(seed);
      CurvedStep step(robot->model, robot->set, touching_state(robot->model, robot->set, rng), 0.001);
      REQUIRE(step.hessian() == 0);
      CHECK(difference_of_hessian(step) <= 1e-5);
    }
  }
}

TEST_CASE("the Hessian of a generated step under contacts is that of a step without contacts where none is near") {
  if (missing(quick_compiler())) return;
  const Model model = shipped_model("quadruped", true);
  ConstraintSet set = spheres_on_leaves(model, {{0.8}});
  std::mt19937 rng(4);
  ContactState s = touching_state(model, set, rng);
  s.q[2] += 10;
  CurvedStep step(model, set, s, 0.02);
  REQUIRE(step.hessian() == 0);
  const Program plain = stage_program(model, "semi-implicit", {"g", "H"});
  const auto without = evaluated_as<double>(plain, {step.x, step.u, step.dt, step.lambda});
  StageNumbers H(step.H.size());
  for (std::size_t e = 0; e < without[1].size(); ++e) {
    const std::string& name = plain.outputs()[1].elements[e];
    const std::size_t i = std::stoul(name.substr(2)), k = std::stoul(name.substr(name.rfind('.') + 1));
    H[i * (i + 1) / 2 + k] = without[1][e];
  }
  CHECK(relative_difference(step.H, H) <= 1e-10);
  CHECK(relative_difference(step.g, without[0]) <= 1e-10);
}

TEST_CASE("the Hessian of a generated step with loops, hard and soft, is differences of first derivatives") {
  if (missing(quick_compiler())) return;
  const Model humanoid = shipped_model("humanoid", true), bars = four_bar();
  for (const bool hard : {true, false}) {
    ConstraintSet gripping, loop;
    gripping.constraints = {pair_of(humanoid, ConstraintType::weld, "l_hand", "r_hand", hard)};
    loop.constraints = {four_bar_loop()};
    loop.constraints[0].hard = hard;
    for (const auto& [model, set] : {std::pair(&humanoid, &gripping), {&bars, &loop}})
      for (const bool rest : {false, true}) {
        if (model == &humanoid && rest == hard) continue;
        CAPTURE(hard, model->name, rest);
        std::mt19937 rng(2);
        ContactState s = touching_state(*model, *set, rng);
        if (rest) std::fill(s.v.begin(), s.v.end(), 0.0), std::fill(s.tau.begin(), s.tau.end(), 0.0);
        CurvedStep step(*model, *set, s, 0.001);
        REQUIRE(step.hessian() == 0);
        CHECK(difference_of_hessian(step) <= 1e-6);
      }
  }
}
