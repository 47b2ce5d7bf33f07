// Generated second derivatives through contacts, times multipliers, beside differences of generated first derivatives: all
// cones and frictions, open, sticking and sliding contacts, stops, dry friction; at random states and at rest; where no
// contact is near, beside those of forward dynamics.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "compiled.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "support/contact_loops.hpp"
#include "support/contact_robots.hpp"
#include "support/coupled.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;

namespace {

using CurveVector = std::vector<double>;

ContactCodeOptions with_second_derivatives(bool wrenches = false) {
  ContactCodeOptions options;
  options.derivatives = options.second = true, options.wrenches = wrenches;
  return options;
}

/// The function at states and multipliers.
class CurvedContacts {
 public:
  CurvedContacts(const Model& model, const ConstraintSet& set, const std::string& compiler = quick_compiler(),
                 const std::string& flags = "-O0", bool wrenches = false)
      : model_(model),
        n_(static_cast<std::size_t>(model.nv)),
        forces_(ConstrainedDynamics(model, set).force_columns().size()),
        gaps_(ConstrainedDynamics(model, set).gap_columns().size()),
        function_(contact_dynamics_code(model, set, "f", with_second_derivatives(wrenches)).files, "f",
                  strictly(compiler, flags)),
        wrenches_(wrenches) {
    next.resize(1000);
    for (int k = 0; wrenches && k < 6 * static_cast<int>(model.links.size()); ++k) fx.push_back(std::sin(2 + k));
    for (int k = 0; k < model.nv; ++k) lambda.push_back(std::cos(1 + k * k));
  }

  /// H: the lower triangle. Returns the function's code.
  int second(const ContactState& s, CurveVector& H) {
    H.assign(3 * n_ * (3 * n_ + 1) / 2, -7);
    force.resize(forces_), gap.resize(gaps_), ddq.resize(n_);
    double* res[12] = {ddq.data(), force.data(), gap.data(), next.data(), solver_};
    res[11] = H.data();
    return call(s, nullptr, res);
  }

  /// λᵀ [∂a/∂q ∂a/∂v ∂a/∂τ] from the first derivatives.
  CurveVector first(const ContactState& s, const double* start) {
    CurveVector by[3], g;
    double* res[12] = {};
    for (int k = 0; k < 3; ++k) by[k].resize(n_ * n_), res[5 + k] = by[k].data();
    REQUIRE(call(s, start, res) == 0);
    for (const CurveVector& matrix : by)
      for (std::size_t c = 0; c < n_; ++c) {
        g.push_back(0);
        for (std::size_t r = 0; r < n_; ++r) g.back() += lambda[r] * matrix[r * n_ + c];
      }
    return g;
  }

  /// First derivatives at a state moved along entry k of (q, v, τ).
  CurveVector first_beside(const ContactState& s, std::size_t k, double by) {
    ContactState moved = s;
    if (k < n_) {
      CurveVector delta(n_);
      delta[k] = by;
      integrate(model_, s.q.data(), delta.data(), moved.q.data());
    } else {
      (k < 2 * n_ ? moved.v[k - n_] : moved.tau[k - 2 * n_]) += by;
    }
    return first(moved, next.data());
  }

  std::size_t size() const { return 3 * n_; }

  CurveVector lambda, next, force, gap, ddq, fx;

 private:
  int call(const ContactState& s, const double* start, double** res) {
    const double* arg[] = {s.q.data(), s.v.data(), s.tau.data(), lambda.data(), start};
    const double* with_fx[] = {s.q.data(), s.v.data(), s.tau.data(), fx.data(), lambda.data(), start};
    return function_.call(wrenches_ ? with_fx : arg, res);
  }
  const Model& model_;
  std::size_t n_, forces_, gaps_;
  CompiledProgram function_;
  bool wrenches_;
  double solver_[3] = {};
};

/// Differences of sixth order.
CurveVector slope_of_first(CurvedContacts& f, const ContactState& s, std::size_t k, double step) {
  CurveVector sum(f.size());
  for (const auto& [at, weight] : {std::pair(1, 45.0), {2, -9.0}, {3, 1.0}}) {
    const CurveVector ahead = f.first_beside(s, k, at * step), back = f.first_beside(s, k, -at * step);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight * (ahead[i] - back[i]) / (60 * step);
  }
  return sum;
}

/// Blocks of a lower triangle: by q and q, v and q, v and v, and so on; each of them as a list.
std::vector<CurveVector> blocks_of(const CurveVector& triangle, std::size_t size) {
  std::vector<CurveVector> blocks(6);
  for (std::size_t i = 0, e = 0; i < size; ++i)
    for (std::size_t k = 0; k <= i; ++k, ++e) {
      const std::size_t row = 3 * i / size, column = 3 * k / size;
      blocks[row * (row + 1) / 2 + column].push_back(triangle[e]);
    }
  return blocks;
}

/// Of each block its largest difference beside its largest entry.
std::vector<double> block_differences(const CurveVector& found, const CurveVector& expected, std::size_t size) {
  const std::vector<CurveVector> one = blocks_of(found, size), other = blocks_of(expected, size);
  std::vector<double> all;
  for (std::size_t b = 0; b < one.size(); ++b) all.push_back(relative_difference(one[b], other[b]));
  return all;
}

/// H by differences of first derivatives: half of the sum of both orders of differentiation.
CurveVector hessian_by_differences(CurvedContacts& f, const ContactState& s, double step) {
  std::vector<CurveVector> bent;
  for (std::size_t k = 0; k < f.size(); ++k) bent.push_back(slope_of_first(f, s, k, step));
  CurveVector H;
  for (std::size_t i = 0; i < f.size(); ++i)
    for (std::size_t k = 0; k <= i; ++k) H.push_back(0.5 * (bent[k][i] + bent[i][k]));
  return H;
}

/// Half of the spheres in the ground, by less than the width of the impedance, over which a contact becomes firmer.
ContactState within_width(const Model& model, const ConstraintSet& set, std::mt19937& rng) {
  ContactState s = touching_state(model, set, rng);
  if (model.floating()) s.q[2] += 0.0003;
  return s;
}

/// Each block beside differences of the best of several steps: long ones may reach where a contact changes its kind, or its
/// impedance its power, and short ones carry the rounding of first derivatives, whose forces have settled to 1e-11 of the
/// largest.
double difference_of_second(CurvedContacts& f, const ContactState& s, const CurveVector& H, double bound) {
  std::vector<double> least(6, 1.0);
  double most = 1;
  for (const double step : {1e-3, 1e-4, 3e-5, 1e-5}) {
    if (most <= bound) break;
    const std::vector<double> now = block_differences(H, hessian_by_differences(f, s, step), f.size());
    for (std::size_t b = 0; b < least.size(); ++b) least[b] = std::min(least[b], now[b]);
    most = *std::max_element(least.begin(), least.end());
  }
  return most;
}

struct SecondCheck {
  int states = 4;
  std::string compiler = quick_compiler(), flags = "-O0";
  bool wrenches = false;
  double bound = 1e-6;
};

Seen hold_second_against_differences(const Model& model, const ConstraintSet& set, unsigned seed, const SecondCheck& check) {
  CAPTURE(model.name, seed, check.compiler, check.flags);
  CurvedContacts f(model, set, check.compiler, check.flags, check.wrenches);
  std::mt19937 rng(seed);
  Seen seen;
  for (int k = 0; k < check.states; ++k) {
    ContactState s = within_width(model, set, rng);
    if (k % 4 == 3) std::fill(s.v.begin(), s.v.end(), 0.0), std::fill(s.tau.begin(), s.tau.end(), 0.0);
    CAPTURE(k);
    CurveVector H;
    REQUIRE(f.second(s, H) == 0);
    count_kinds(set, f.force, f.gap, seen);
    CHECK(difference_of_second(f, s, H, check.bound) <= check.bound);
  }
  return seen;
}

}  // namespace

TEST_CASE("generated second derivatives through contacts are differences of first ones: all cones and frictions") {
  const Model model = shipped_model("quadruped", true);
  for (const std::string compiler : {"gcc", "clang"})
    for (const Cone cone : {Cone::elliptic, Cone::pyramidal}) {
      if (missing(compiler)) continue;
      const bool plain = compiler == "gcc";
      ConstraintSet set = spheres_on_leaves(model, plain ? std::vector<std::vector<double>>{{0.8}} : all_frictions);
      set.parameters.cone = cone, set.parameters.impratio = plain ? 1 : 5;
      if (!plain) add_stops_and_friction(set);
      const Seen seen =
          hold_second_against_differences(model, set, 3, {8, compiler, plain && cone == Cone::elliptic ? "-O1" : "-O0"});
      CHECK(seen.open > 0);
      if (cone == Cone::elliptic) CHECK((seen.sticking > 0 && seen.sliding > 0));
    }
}

TEST_CASE("generated second derivatives through contacts of every joint, on slopes, with wrenches, and with followers") {
  if (missing(quick_compiler())) return;
  for (unsigned seed = 1; seed < 3; ++seed) {
    ContactRobot robot = robot_on_a_slope(seed, 0.1);
    if (seed > 1) robot.set.constraints[0].solref = SolverReference{0.05, 0.7};  // contacts that differ in B
    robot.set.parameters.solimp = {0.5, 0.95, 0.1, 0.4, 3};
    hold_second_against_differences(robot.model, robot.set, seed, {3, quick_compiler(), "-O0", seed % 2 == 1, 1e-5});
    const ContactRobot followers = robot_with_followers(seed, 0.1);
    hold_second_against_differences(followers.model, followers.set, seed, {3, quick_compiler(), "-O0", false, 1e-5});
  }
}

TEST_CASE("generated second derivatives through contacts of robots that stand, at rest and in motion") {
  if (missing(quick_compiler())) return;
  for (const ContactRobot& robot : standing_robots({"hyq"})) hold_second_against_differences(robot.model, robot.set, 1, {});
}

TEST_CASE("generated second derivatives through contacts are those of forward dynamics where no contact is near") {
  if (missing(quick_compiler())) return;
  const Model model = shipped_model("quadruped", true);
  const ConstraintSet set = spheres_on_leaves(model, {{0.8}});
  CurvedContacts f(model, set);
  std::mt19937 rng(4);
  ContactState s = touching_state(model, set, rng);
  s.q[2] += 10;
  CurveVector H;
  REQUIRE(f.second(s, H) == 0);
  const auto n = static_cast<std::size_t>(model.nv);
  CurveVector qq(n * n), qv(qq), vv(qq), qtau(qq), by_q(qq), by_v(qq), by_tau(qq), a(n), expected;
  AbaContractionWorkspace<double> work(model);
  REQUIRE(aba_contraction(model, work, s.q.data(), s.v.data(), s.tau.data(), static_cast<const Force<double>*>(nullptr),
                          f.lambda.data(), {a.data(), by_q.data(), by_v.data(), by_tau.data()},
                          AbaContraction<double>{qq.data(), qv.data(), vv.data(), qtau.data()})
              .ok());
  for (std::size_t i = 0; i < 3 * n; ++i)
    for (std::size_t k = 0; k <= i; ++k)
      expected.push_back(i < n                ? 0.5 * (qq[i * n + k] + qq[k * n + i])
                         : k < n && i < 2 * n ? qv[k * n + i - n]
                         : k < n              ? qtau[k * n + i - 2 * n]
                         : i < 2 * n          ? vv[(i - n) * n + k - n]
                                              : 0);
  for (const double difference : block_differences(H, expected, f.size())) CHECK(difference <= 1e-10);
}

TEST_CASE("generated second derivatives through contacts: what is not asked for, codes, what is refused") {
  if (missing(quick_compiler())) return;
  const Model model = shipped_model("quadruped", true);
  ConstraintSet set = spheres_on_leaves(model, {{0.8}});
  CurvedContacts f(model, set);
  std::mt19937 rng(5);
  ContactState s = within_width(model, set, rng);
  CurveVector H, again;
  REQUIRE(f.second(s, H) == 0);
  CurvedContacts none(model, set);
  std::fill(none.lambda.begin(), none.lambda.end(), 0.0);
  REQUIRE(none.second(s, again) == 0);
  CHECK(std::all_of(again.begin(), again.end(), [](double x) { return x == 0; }));
  f.lambda[2] = std::nan("");
  CHECK(f.second(s, again) == 1);
  CHECK(again == CurveVector(again.size(), -7));
  ContactCodeOptions alone;
  alone.second = true;
  CHECK_THROWS_WITH(contact_dynamics_code(model, set, "f", alone), Contains("go with first ones"));
  set.constraints.push_back(pair_of(model, ConstraintType::connect, "lf_foot", "rf_foot", false));
  CHECK_THROWS_WITH(contact_dynamics_code(model, set, "f", with_second_derivatives()), Contains("connect, weld and joint"));
}
