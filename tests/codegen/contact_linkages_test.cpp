// Generated derivatives under linkages on any body, some of whose rows follow from others, of robots that hard rows hold fully,
// and under hard rows with any inverse weight, beside ConstrainedDynamics::derivatives: a right answer has code 0.
#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "compiled.hpp"
#include "constraints/rows.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/json/files.hpp"
#include "support/contact_loops.hpp"
#include "support/contact_robots.hpp"
#include "support/linkages.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// ddq, λ, gap; then ∂ddq and ∂λ by q, v, τ.
struct SlopesBeside {
  SlopesBeside(const Model& model, const ConstrainedDynamics& dynamics) {
    const auto n = static_cast<std::size_t>(model.nv), forces = dynamics.force_columns().size();
    all[0].resize(n), all[1].resize(forces), all[2].resize(dynamics.gap_columns().size() + 1);
    for (std::size_t k = 3; k < 9; ++k) all[k].assign((k < 6 ? n : forces) * n, -7);
  }
  ConstraintDerivatives out() {
    return {all[0].data(), all[1].data(), all[2].data(), all[3].data(), all[4].data(),
            all[5].data(), all[6].data(), all[7].data(), all[8].data()};
  }
  int call(const CompiledProgram& f, const State& s) {
    const double* arg[] = {s.q.data(), s.v.data(), s.tau.data(), nullptr};
    double next[1000], solver[3];
    double* res[] = {all[0].data(), all[1].data(), all[2].data(), next,          solver,       all[3].data(),
                     all[4].data(), all[5].data(), all[6].data(), all[7].data(), all[8].data()};
    return f.call(arg, res);
  }
  std::array<std::vector<double>, 9> all;
};

/// Motions that keep the loops closed, as columns: only along these is ∂λ/∂q of redundant rows one matrix.
Eigen::MatrixXd closed_motions(const Model& model, const ConstraintSet& set, const State& s) {
  ConstraintRows rows(model, resolved(model, set, inverse_weights(model)));
  Workspace<double> ws(model);
  rows.at(ws, s.q.data(), s.v.data());
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(rows.rows(), model.nv);
  for (const RowBlock& b : rows.blocks())
    for (int r = b.first_row; r < b.first_row + b.rows; ++r)
      for (int i : b.freedoms) J(r, i) = rows.row(r)[i];
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(J, Eigen::ComputeFullV);
  return svd.matrixV().rightCols(model.nv - hard_rows(model, set).rank);
}

/// A matrix of nv columns, times others.
std::vector<double> along(const std::vector<double>& matrix, const Eigen::MatrixXd& motions) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Index n = motions.rows();
  const RowMajor product = Eigen::Map<const RowMajor>(matrix.data(), static_cast<Eigen::Index>(matrix.size()) / n, n) * motions;
  return {product.data(), product.data() + product.size()};
}

void hold_slopes(const Model& model, const ConstraintSet& set, const std::vector<State>& states) {
  ContactCodeOptions with_slopes;
  with_slopes.derivatives = true;
  const CompiledProgram f(contact_dynamics_code(model, set, "f", with_slopes).files, "f", strictly(quick_compiler(), "-O0"));
  ConstrainedDynamics dynamics(model, set);
  SlopesBeside expected(model, dynamics), found(model, dynamics);
  for (std::size_t at = 0; at < states.size(); ++at) {
    const State& s = states[at];
    CAPTURE(at);
    for (SlopesBeside* one : {&expected, &found}) one->all[6] = std::vector<double>(one->all[7].size(), -7);
    const ConstraintStatus status = dynamics.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, expected.out());
    INFO(dynamics.describe(status));
    REQUIRE(status.ok());
    REQUIRE(found.call(f, s) == 0);
    if (!hard_rows(model, set).redundant.empty()) {
      const Eigen::MatrixXd closed = closed_motions(model, set, s);
      for (SlopesBeside* one : {&expected, &found}) one->all[6] = along(one->all[6], closed);
    }
    for (const std::size_t k : {0, 1, 3, 4, 5, 6, 7, 8}) {
      CAPTURE(k);
      double size = 1, apart = 0;
      for (std::size_t e = 0; e < expected.all[k].size(); ++e) {
        size = std::max(size, std::abs(expected.all[k][e]));
        apart = std::max(apart, std::abs(found.all[k][e] - expected.all[k][e]));
      }
      CHECK(apart <= 1e-9 * size);
    }
  }
}

}  // namespace

TEST_CASE("generated derivatives of linkages on any body are the library's") {
  if (missing(quick_compiler())) return;
  const std::string where = GENERATE("hand", "trunk"),
                    how = GENERATE("oblique", "weld", "about a point", "one on the other", "free end");
  const bool floating = GENERATE(false, true);
  CAPTURE(where, how, floating);
  Linkage robot = linkage_on(where, how, floating);
  for (Constraint& loop : robot.loops.constraints) loop.omega = 3;
  hold_slopes(robot.model, robot.loops, states_on_loops(robot));
}

TEST_CASE("generated derivatives of the four-bar linkage on a floating base are the library's") {
  if (missing(quick_compiler())) return;
  LoadOptions load;
  load.floating = true;
  const Model model = load_urdf(source_folder() + "/robots/four-bar.urdf", load);
  const ConstraintSet set = load_constraint_set(source_folder() + "/examples/constraints/four-bar.json", model);
  std::mt19937 rng(5);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<State> states;
  for (int k = 0; k < 6; ++k) {  // joints at 0, where the loop is closed; at rest and turned, and in motion
    State s;
    s.q.resize(10), s.v.resize(9), s.tau.resize(9);
    std::vector<double> turn(9);
    for (int i = 0; i < 6; ++i) turn[i] = k % 2 ? any(rng) : 0, s.v[i] = k > 2 ? any(rng) : 0;
    for (double& x : s.tau) x = k > 0 ? any(rng) : 0;
    neutral(model, s.q.data());
    integrate(model, s.q.data(), turn.data(), s.q.data());
    states.push_back(s);
  }
  hold_slopes(model, set, states);
}

TEST_CASE("generated derivatives of a robot that hard rows hold fully are the library's, where rows are redundant too") {
  if (missing(quick_compiler())) return;
  const bool loop = GENERATE(false, true);
  CAPTURE(loop);
  Linkage robot = linkage_on("hand", "oblique", false);
  const std::vector<State> states = states_on_loops(robot);
  if (!loop) robot.loops.constraints.clear();
  for (const Joint& joint : robot.model.joints) {
    if (loop && (joint.name == "b" || joint.name == "c")) continue;
    Constraint held;
    held.name = "held " + joint.name, held.type = ConstraintType::joint, held.joints = {joint.name}, held.polynomial = {0.1};
    held.hard = true;
    robot.loops.constraints.push_back(held);
  }
  for (Constraint& c : robot.loops.constraints) c.omega = 3;
  ConstrainedDynamics dynamics(robot.model, robot.loops);
  SlopesBeside found(robot.model, dynamics);
  const State& s = states.front();
  REQUIRE(dynamics.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, found.out()).ok());
  for (double x : found.all[5]) CHECK(std::abs(x) <= 1e-12);
  hold_slopes(robot.model, robot.loops, states);
}

TEST_CASE("generated derivatives under hard rows with any inverse weight are the library's") {
  if (missing(quick_compiler())) return;
  const double weight = GENERATE(1e-8, 1e-7, 1e-5, 1e6);
  CAPTURE(weight);
  Linkage robot = linkage_on("hand", "oblique", true);
  robot.loops.constraints[0].inverse_weight = {{weight, weight}};
  std::vector<State> states = states_on_loops(robot);
  State still = states[1];
  std::fill(still.tau.begin(), still.tau.end(), 0.0);
  states.push_back(still);
  hold_slopes(robot.model, robot.loops, states);
  const Model humanoid = shipped_model("humanoid", true);
  ConstraintSet hands;
  hands.constraints = {pair_of(humanoid, ConstraintType::weld, "l_hand", "r_hand", true)};
  hands.constraints[0].inverse_weight = {{weight, weight}};
  std::mt19937 rng(6);
  states.clear();
  for (int k = 0; k < 6; ++k) states.push_back(random_state(humanoid, rng));
  hold_slopes(humanoid, hands, states);
}
