// Generated second derivatives through connect, weld and joint constraints, hard and soft: beside Lagrange's equations, twice
// differentiated in numbers that carry their derivatives, and beside differences of generated first derivatives where contacts,
// stops and dry friction act, too; open loops and closed ones, in motion and at rest.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "curved_contacts.hpp"
#include "lagrange_loops.hpp"
#include "support/contact_loops.hpp"
#include "support/coupled.hpp"
#include "support/four_bar.hpp"
#include "support/parallelogram.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// The pair's second frame where the first one is at q.
void close_at(const Model& model, const std::vector<double>& q, Constraint& c) {
  Workspace<double> ws(model);
  forward_kinematics<double>(model, ws, q.data(), nullptr, nullptr);
  const auto pose = [&](const std::string& link) {
    return link == "world" ? identity_pose<double>() : link_pose(model, ws, model.find_link(link));
  };
  c.frames[1] = inverse(pose(c.links[1])) * pose(c.links[0]) * c.frames[0];
}

void bring_to_rest(ContactState& s) { std::fill(s.v.begin(), s.v.end(), 0.0), std::fill(s.tau.begin(), s.tau.end(), 0.0); }

/// Along random directions of each block of H, (q, v, τ) by (q, v, τ): the largest difference beside the terms of yᵀHz.
double difference_from_lagrange(const Model& model, const ConstraintSet& set, const CurvedContacts& f, const ContactState& s,
                                const CurveVector& H, std::mt19937& rng) {
  const std::vector<RowBlock> loops = resolved(model, set, inverse_weights(model));
  const std::size_t n = s.v.size();
  std::normal_distribution<double> normal;
  double worst = 0;
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column <= row; ++column) {
      CurveVector y(3 * n), z(3 * n);
      for (std::size_t e = 0; e < n; ++e) y[row * n + e] = normal(rng), z[column * n + e] = normal(rng);
      double sum = 0, terms = 1e-3;
      for (std::size_t i = 0; i < 3 * n; ++i)
        for (std::size_t k = 0; k < 3 * n; ++k) {
          const double term = y[i] * z[k] * H[std::max(i, k) * (std::max(i, k) + 1) / 2 + std::min(i, k)];
          sum += term, terms += std::abs(term);
        }
      const double expected = lagrange_bend(model, loops, s.q, s.v, s.tau, f.lambda, y, z);
      REQUIRE((std::isfinite(expected) && std::isfinite(sum)));
      worst = std::max(worst, std::abs(sum - expected) / terms);
    }
  return worst;
}

/// At random states, at rest, and where the loops are closed but for rounding: there in motion and at rest.
void hold_against_lagrange(const Model& model, const ConstraintSet& open, unsigned seed, int states,
                           const std::string& compiler = quick_compiler()) {
  CAPTURE(model.name, seed);
  std::mt19937 rng(seed);
  const ContactState closed = touching_state(model, open, rng);
  ConstraintSet set = open;
  for (Constraint& c : set.constraints)
    if (c.type != ConstraintType::joint) close_at(model, closed.q, c);
  CurvedContacts f(model, set, compiler, "-O0");
  for (int k = 0; k < states; ++k) {
    CAPTURE(k);
    ContactState s = touching_state(model, set, rng);
    if (k % 4 > 1) s.q = closed.q;
    if (k % 2 == 1) bring_to_rest(s);
    CurveVector H;
    REQUIRE(f.second(s, H) == 0);
    CHECK(difference_from_lagrange(model, set, f, s, H, rng) <= 1e-10);
  }
}

/// In motion and at rest, with multipliers of forces and of accelerations; up: by so much a floating robot stands higher than
/// the half of its spheres in the ground, m.
void hold_against_differences(const Model& model, const ConstraintSet& set, unsigned seed, double up = 0) {
  CurvedContacts f(model, set, quick_compiler(), "-O0", false, true);
  std::mt19937 rng(seed);
  for (int k = 0; k < 2; ++k) {
    CAPTURE(k);
    f.take_multipliers(k + static_cast<int>(seed));
    ContactState s = touching_state(model, set, rng);
    if (up != 0) s.q[2] += up;
    if (k == 1) bring_to_rest(s);
    CurveVector H;
    REQUIRE(f.second(s, H) == 0);
    CHECK(difference_of_second(f, s, H, 1e-6) <= 1e-6);
  }
}

/// λᵀ [∂a/∂q ∂a/∂v ∂a/∂τ] without generated code.
CurveVector first_without_code(const Model& model, const ConstraintSet& set, const ContactState& s, const CurveVector& lambda) {
  const auto n = static_cast<std::size_t>(model.nv);
  ConstrainedDynamics dynamics(model, set);
  CurveVector a(n), forces(dynamics.force_columns().size()), gaps(dynamics.gap_columns().size()), all;
  std::vector<CurveVector> by(3, CurveVector(n * n)), pushed(3, CurveVector(forces.size() * n));
  REQUIRE(dynamics
              .derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr,
                           {a.data(), forces.data(), gaps.data(), by[0].data(), by[1].data(), by[2].data(), pushed[0].data(),
                            pushed[1].data(), pushed[2].data()})
              .ok());
  for (const CurveVector& matrix : by)
    for (std::size_t c = 0; c < n; ++c) {
      all.push_back(0);
      for (std::size_t r = 0; r < n; ++r) all.back() += lambda[r] * matrix[r * n + c];
    }
  return all;
}

}  // namespace

TEST_CASE("generated second derivatives of the four-bar linkage are those of Lagrange's equations, hard and soft") {
  for (const std::string compiler : {"gcc", "clang"})
    for (const bool hard : {true, false}) {
      if (missing(compiler)) continue;
      ConstraintSet set;
      set.constraints = {four_bar_loop()};
      set.constraints[0].hard = hard;
      set.parameters.solimp = {0.5, 0.95, 0.8, 0.4, 2};
      hold_against_lagrange(four_bar(), set, 1, 8, compiler);
    }
}

TEST_CASE("generated second derivatives of loops whose impedance has a kink where they are closed leave the kink out there") {
  if (missing(quick_compiler())) return;
  for (const SolverImpedance& law : {SolverImpedance{0.9, 0.95, 0.001, 0.5, 1}, SolverImpedance{0.5, 0.95, 0.8, 0.4, 1}}) {
    CAPTURE(law[2]);
    ConstraintSet set;
    set.constraints = {four_bar_loop()};
    set.constraints[0].hard = false;
    set.parameters.solimp = law;
    hold_against_lagrange(four_bar(), set, 1, 8);
    const Model humanoid = shipped_model("humanoid", true);
    set.constraints = {pair_of(humanoid, ConstraintType::weld, "l_hand", "r_hand", false)};
    hold_against_lagrange(humanoid, set, 3, 4);
  }
}

TEST_CASE("first derivatives of loops and couplings that are closed at a kink, generated and not, have no slope of the kink") {
  if (missing(quick_compiler())) return;
  const Model bars = four_bar();
  ConstraintSet set;
  set.constraints = {four_bar_loop(), Constraint{}};
  Constraint& coupling = set.constraints[1];
  coupling.name = "coupling", coupling.type = ConstraintType::joint, coupling.joints = {"b"}, coupling.of = "c";
  coupling.polynomial = {0, 1};
  set.constraints[0].hard = coupling.hard = false;
  set.parameters.solimp = {0.9, 0.95, 0.001, 0.5, 1};
  CurvedContacts f(bars, set);
  std::mt19937 rng(8);
  for (const double open : {0.0, 1e-16, 1e-13, -1e-13, 1e-4}) {
    CAPTURE(open);
    ContactState s = touching_state(bars, set, rng);
    s.q = {0, open, 0};
    CurveVector H;
    REQUIRE(f.second(s, H) == 0);
    CHECK(difference_from_lagrange(bars, set, f, s, H, rng) <= 1e-10);
    CHECK(relative_difference(f.first(s, f.next.data()), first_without_code(bars, set, s, f.lambda)) <= 1e-9);
  }
}

TEST_CASE("generated second derivatives of whole robots with loops are those of Lagrange's equations") {
  if (missing(quick_compiler())) return;
  const Model quadruped = shipped_model("quadruped", true), humanoid = shipped_model("humanoid", true);
  for (const bool hard : {true, false}) {
    ConstraintSet pinned, held;
    for (const std::string foot : {"lf_foot", "rf_foot", "lh_foot", "rh_foot"})
      pinned.constraints.push_back(pair_of(quadruped, ConstraintType::connect, foot, "world", hard));
    held.constraints.push_back(pair_of(humanoid, ConstraintType::weld, "l_hand", "r_hand", hard));
    pinned.parameters.solimp = {0.5, 0.95, 2, 0.4, 2}, held.parameters.solimp = {0.5, 0.95, 2, 0.4, 3};
    hold_against_lagrange(quadruped, pinned, 2, 4);
    hold_against_lagrange(humanoid, held, 3, 4);
  }
}

TEST_CASE("generated second derivatives of couplings of joints, hard and soft, are those of Lagrange's equations") {
  if (missing(quick_compiler())) return;
  TreeOptions options;
  options.kinds = every_joint_kind();
  int coupled = 0;
  for (unsigned seed = 0; seed < 8; ++seed) {
    options.floating = seed % 2 == 0;
    const Model model = random_tree(7, seed, options);
    const bool hard = seed % 4 < 2;
    const ConstraintType type = seed % 3 ? ConstraintType::weld : ConstraintType::connect;
    const std::string other = options.floating && seed % 4 == 0 ? "world" : model.links[2].name;
    ConstraintSet set;
    set.constraints = {pair_of(model, type, model.links.back().name, other, seed % 3 == 0)};
    set.parameters.solimp = {0.5, 0.95, 1, 0.4, 2};
    const Constraint coupling = coupling_of(model, hard);
    if (!coupling.joints.empty() && coupling.of != coupling.joints[0]) set.constraints.push_back(coupling), ++coupled;
    hold_against_lagrange(model, set, seed, 4);
  }
  CHECK(coupled > 3);
}

TEST_CASE(
    "generated second derivatives through loops, contacts, stops and dry friction together are differences of first ones") {
  if (missing(quick_compiler())) return;
  const Model model = shipped_model("humanoid", true);
  for (const bool hard : {true, false}) {
    ConstraintSet set = spheres_on_leaves(model, {{0.8}});
    add_stops_and_friction(set);
    set.constraints.push_back(pair_of(model, ConstraintType::weld, "l_hand", "r_hand", hard));
    hold_against_differences(model, set, 5, 0.0003);
  }
}

TEST_CASE("generated second derivatives through loops of joints that follow others are differences of first ones") {
  if (missing(quick_compiler())) return;
  for (unsigned seed = 0; seed < 4; ++seed) {
    TreeOptions options;
    options.floating = seed % 2 == 0;
    const Model model = random_coupled_robot(random_tree(7, seed, options), seed).model;
    ConstraintSet set;
    const ConstraintType type = seed < 2 ? ConstraintType::connect : ConstraintType::weld;
    const std::string other = options.floating ? "world" : model.links[2].name;
    set.constraints = {pair_of(model, type, model.links.back().name, other, options.floating)};
    set.parameters.solimp = {0.5, 0.95, 1, 0.4, 3};
    CAPTURE(seed);
    hold_against_differences(model, set, seed);
  }
}

TEST_CASE("generated second derivatives of a parallelogram that is nearly flat, and of loops that say the same twice") {
  if (missing(quick_compiler())) return;
  const Model flat = linkage::parallelogram(), bars = four_bar();
  const ConstraintSet set = linkage::flat_loop();
  CurvedContacts f(flat, set);
  std::mt19937 rng(6);
  for (const double rate : {0.0, 0.7})
    for (const double theta : {1.0, 0.1, 0.01, 1e-3, 1e-4}) {
      CAPTURE(rate, theta);
      const ContactState s = linkage::on_loop<ContactState>(theta, rate);
      CurveVector H;
      REQUIRE(f.second(s, H) == 0);
      CHECK(difference_from_lagrange(flat, set, f, s, H, rng) <= 1e-10);
    }
  ConstraintSet once, twice;
  once.constraints = {four_bar_loop()}, twice.constraints = {four_bar_loop(), four_bar_loop()};
  twice.constraints[1].name = "again";
  std::swap(twice.constraints[1].links[0], twice.constraints[1].links[1]);
  std::swap(twice.constraints[1].frames[0], twice.constraints[1].frames[1]);
  CurvedContacts one(bars, once), two(bars, twice);
  for (int k = 0; k < 4; ++k) {
    const ContactState s = touching_state(bars, once, rng);
    CurveVector expected, H;
    REQUIRE(one.second(s, expected) == 0);
    REQUIRE(two.second(s, H) == 0);
    for (const double difference : block_differences(H, expected, one.size())) CHECK(difference <= 1e-10);
  }
}

TEST_CASE(
    "generated second derivatives of rows that follow from others only where loops are closed, along motions that close them") {
  if (missing(quick_compiler())) return;
  const Model cranks = linkage::parallelogram(true);
  ConstraintSet set = linkage::flat_loop();
  set.constraints.push_back(linkage::pin("half", linkage::coupler / 2, "middle"));
  CurvedContacts f(cranks, set, quick_compiler(), "-O0", false, true);
  ConstrainedDynamics dynamics(cranks, set);
  CurveVector a(4), force(dynamics.force_columns().size()), gap(dynamics.gap_columns().size());
  const auto contracted = [&](const ContactState& s) {
    REQUIRE(dynamics.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, a.data(), force.data(), gap.data()).ok());
    return std::inner_product(a.begin(), a.end(), f.lambda.begin(), 0.0) +
           std::inner_product(force.begin(), force.end(), f.eta.begin(), 0.0);
  };
  const CurveVector turn{1, -1, 1, 1}, push{0, 1, 0, 2};
  constexpr double h = 1e-3;
  for (const double rate : {0.0, 1.0}) {
    const auto moved = [&](double by_q, double by_v, double by_tau) {
      ContactState s{{0.7, -0.7, 0.7, 0.7}, {rate, -rate, rate, rate}, {0.3, -0.2, 0.1, 0.4}};
      for (std::size_t k = 0; k < 4; ++k) s.q[k] += by_q * turn[k], s.v[k] += by_v * turn[k], s.tau[k] += by_tau * push[k];
      return s;
    };
    const auto along = [&](std::size_t i, double x, std::size_t k, double y) {
      double by[3] = {0, 0, 0};
      by[i] += x, by[k] += y;
      return contracted(moved(by[0], by[1], by[2]));
    };
    CurveVector H;
    REQUIRE(f.second(moved(0, 0, 0), H) == 0);
    const CurveVector first = f.first(moved(0, 0, 0), nullptr);
    for (std::size_t i = 0; i < 3; ++i) {
      const CurveVector& z = i == 2 ? push : turn;
      const double slope = std::inner_product(z.begin(), z.end(), first.begin() + static_cast<std::ptrdiff_t>(4 * i), 0.0);
      CAPTURE(rate, i);
      CHECK(std::abs(slope - (along(i, h, i, 0) - along(i, -h, i, 0)) / (2 * h)) <= 1e-5);
      for (std::size_t k = 0; k <= i; ++k) {
        const CurveVector& y = k == 2 ? push : turn;
        double bend = 0;
        for (std::size_t r = 0; r < 4; ++r)
          for (std::size_t c = 0; c < 4; ++c) {
            const std::size_t at = 4 * i + r, by = 4 * k + c;
            bend += z[r] * y[c] * H[std::max(at, by) * (std::max(at, by) + 1) / 2 + std::min(at, by)];
          }
        const double differences =
            (along(i, h, k, h) - along(i, h, k, -h) - along(i, -h, k, h) + along(i, -h, k, -h)) / (4 * h * h);
        CAPTURE(k);
        CHECK(std::abs(bend - differences) <= 2e-5);
      }
    }
  }
}

TEST_CASE("generated second derivatives of a parallelogram that floats, forces included, along motions that keep it closed") {
  if (missing(quick_compiler())) return;
  const Model model = linkage::parallelogram(false, identity_pose<double>(), true);
  ConstraintSet set = linkage::flat_loop();
  ContactState bent{CurveVector(10), CurveVector(9), CurveVector(9)};
  neutral(model, bent.q.data());
  for (std::size_t i = 0; i < 3; ++i) bent.q[7 + i] = 0.7 * linkage::B[i];
  for (const ConstraintType type : {ConstraintType::connect, ConstraintType::weld}) {
    set.constraints[0].type = type;  // a weld leaves the motions of the base alone
    if (type == ConstraintType::weld) close_at(model, bent.q, set.constraints[0]);
    CurvedContacts f(model, set, quick_compiler(), "-O0", false, true);
    std::mt19937 rng(12);
    std::normal_distribution<double> normal;
    const auto closed_motion = [&] {
      CurveVector x(9);
      for (std::size_t i = 0; i < 6; ++i) x[i] = normal(rng);
      const double turn = type == ConstraintType::connect ? normal(rng) : 0;
      for (std::size_t i = 0; i < 3; ++i) x[6 + i] = turn * linkage::B[i];
      return x;
    };
    for (int k = 0; k < 2; ++k) {
      ContactState s = bent;
      CurveVector away = closed_motion();
      integrate(model, s.q.data(), away.data(), s.q.data());
      if (k > 0) s.v = closed_motion();
      for (double& x : s.tau) x = k > 0 ? normal(rng) : 0;
      f.take_multipliers(k);
      CurveVector H, y[3], z[3];
      for (CurveVector* xs : {y, z})
        for (int part = 0; part < 3; ++part) xs[part] = closed_motion();
      REQUIRE(f.second(s, H) == 0);
      const auto change = [&](const CurveVector* of, const CurveVector* along, std::size_t row, std::size_t column) {
        const auto beside = [&](double by) {
          ContactState moved = s;
          CurveVector step = along[column];
          for (double& x : step) x *= by;
          if (column == 0) integrate(model, s.q.data(), step.data(), moved.q.data());
          for (std::size_t i = 0; i < 9 && column > 0; ++i) (column == 1 ? moved.v : moved.tau)[i] += step[i];
          return f.first(moved, nullptr);
        };
        const CurveVector slope = difference_of_sixth_order(beside, 1e-3);
        return std::inner_product(of[row].begin(), of[row].end(), slope.begin() + static_cast<std::ptrdiff_t>(9 * row), 0.0);
      };
      for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column <= row; ++column) {
          double sum = 0, terms = 1;
          for (std::size_t i = 0; i < 9; ++i)
            for (std::size_t c = 0; c < 9; ++c) {
              const std::size_t at = 9 * row + i, by = 9 * column + c;
              const double term =
                  y[row][i] * z[column][c] * H[std::max(at, by) * (std::max(at, by) + 1) / 2 + std::min(at, by)];
              sum += term, terms += std::abs(term);
            }
          double expected = change(y, z, row, column);
          if (row == column) expected = 0.5 * (expected + change(z, y, row, column));
          CAPTURE(k, row, column, type == ConstraintType::weld, sum, expected);
          CHECK(std::abs(sum - expected) <= 1e-7 * terms);
        }
    }
  }
}

TEST_CASE("generated second derivatives of robots that stand with feet held to the ground, and with hands welded") {
  if (missing(quick_compiler())) return;
  for (const ContactRobot& robot : standing_robots({"hyq", "atlas"})) {
    const bool hyq = robot.model.find_link("lf_foot") >= 0;
    ConstraintSet set;
    if (hyq)
      for (const std::string foot : {"lf_foot", "rf_foot", "lh_foot", "rh_foot"})
        set.constraints.push_back(pair_of(robot.model, ConstraintType::connect, foot, "world", true));
    else
      set.constraints = {pair_of(robot.model, ConstraintType::weld, "l_hand", "r_hand", true)};
    hold_against_lagrange(robot.model, set, 7, hyq ? 4 : 2);
  }
}
