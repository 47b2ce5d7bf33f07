// Derivatives of linkages in a plane and about a point, on any body of a robot, some of whose rows follow from others: along
// motions that keep the loops closed beside differences of forward dynamics, forces too; along all others beside differences of
// dense equations that leave out, at every posture, what the rows do not say where the loops are closed.
#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>

#include "constraints/derivatives/constrained_derivatives.hpp"
#include "constraints/hard_row_ranks.hpp"
#include "constraints/newton_iteration.hpp"
#include "constraints/rows.hpp"
#include "derivative_differences.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "support/contact_robots.hpp"
#include "support/heap.hpp"
#include "support/linkages.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// E^½ J, E⁻¹ the rows' weights, by its singular vectors: the rank that the loops have where they are closed.
struct SaidRows {
  Eigen::MatrixXd U;       // rows × rank
  Eigen::VectorXd weight;  // E^½
};

class FrozenRank {
 public:
  explicit FrozenRank(const Linkage& robot)
      : model_(robot.model),
        rows_(robot.model, resolved(robot.model, robot.loops, inverse_weights(robot.model))),
        ws_(robot.model),
        rank_(hard_rows(robot.model, robot.loops).rank) {}

  SaidRows said(const Instant& s) {
    const Eigen::MatrixXd J = rows_at(s);
    Eigen::VectorXd weight(J.rows());
    for (const RowBlock& b : rows_.blocks())
      for (int r = 0; r < b.rows; ++r) weight[b.first_row + r] = 1 / std::sqrt(r < 3 ? b.linear_weight : b.angular_weight);
    Eigen::JacobiSVD<Eigen::MatrixXd> svd(weight.asDiagonal() * J, Eigen::ComputeThinU);
    return {svd.matrixU().leftCols(rank_), weight};
  }

  /// M a − Jᵀ λ = τ − bias with λ = E^½ U μ, and Uᵀ E^½ (J a − a*) = 0: [a; λ].
  std::vector<double> answer(const Instant& s) {
    const SaidRows said = this->said(s);
    const Eigen::MatrixXd J = said.U.transpose() * said.weight.asDiagonal() * rows_at(s);
    const int n = model_.nv;
    std::vector<double> M(static_cast<std::size_t>(n) * n), bias(static_cast<std::size_t>(n));
    crba(model_, ws_, s.q.data(), M.data());
    rnea<double>(model_, ws_, s.q.data(), s.v.data(), nullptr, nullptr, bias.data());
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + rank_, n + rank_);
    Eigen::VectorXd right(n + rank_);
    K.topLeftCorner(n, n) = Eigen::Map<Eigen::MatrixXd>(M.data(), n, n);
    K.bottomLeftCorner(rank_, n) = J, K.topRightCorner(n, rank_) = -J.transpose();
    for (int i = 0; i < n; ++i) right[i] = s.tau[static_cast<std::size_t>(i)] - bias[static_cast<std::size_t>(i)];
    const Eigen::VectorXd aim = Eigen::Map<const Eigen::VectorXd>(rows_.aim().data(), rows_.rows());
    right.tail(rank_) = said.U.transpose() * said.weight.cwiseProduct(aim);
    const Eigen::VectorXd found = K.fullPivLu().solve(right), force = said.weight.cwiseProduct(said.U * found.tail(rank_));
    std::vector<double> all(found.data(), found.data() + n), lambda(static_cast<std::size_t>(rows_.forces()));
    rows_.write(force.data(), lambda.data(), nullptr);
    all.insert(all.end(), lambda.begin(), lambda.end());
    return all;
  }

 private:
  Eigen::MatrixXd rows_at(const Instant& s) {
    rows_.at(ws_, s.q.data(), s.v.data());
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(rows_.rows(), model_.nv);
    for (const RowBlock& b : rows_.blocks())
      for (int r = b.first_row; r < b.first_row + b.rows; ++r)
        for (int i : b.freedoms) J(r, i) = rows_.row(r)[i];
    return J;
  }

  const Model& model_;
  ConstraintRows rows_;
  Workspace<double> ws_;
  int rank_;
};

/// Of the steps the one whose slope differs least from that of the step before it: near a stretched linkage answers bend much.
template <typename AnswerAt>
std::vector<double> fourth_order(const AnswerAt& answer_of, std::size_t results) {
  std::vector<double> before, best;
  double least = INFINITY;
  for (const double step : {4e-3, 1e-3, 3e-4, 1e-4, 3e-5}) {
    const std::vector<double> far = answer_of(2 * step), near = answer_of(step), back = answer_of(-step),
                              farthest = answer_of(-2 * step);
    std::vector<double> slope;
    for (std::size_t k = 0; k < far.size(); ++k)
      slope.push_back((8 * (near[k] - back[k]) - (far[k] - farthest[k])) / (12 * step));
    const double change = before.empty() ? INFINITY : apart(slope, before, {0, results});
    if (best.empty() || change < least) least = change, best = slope;
    before = slope;
  }
  return best;
}

Linkage pulled_linkage(const std::string& where, const std::string& how, bool floating) {
  Linkage robot = linkage_on(where, how, floating);
  for (Constraint& loop : robot.loops.constraints) loop.omega = 3;
  return robot;
}

/// The state moved along δ, η, ξ, and put back onto the loops.
Instant moved_closed(const Linkage& robot, LoopProjection& loops, const Instant& from, const Instant& along, double step) {
  Instant s = from;
  std::vector<double> shift(along.q);
  for (double& x : shift) x *= step;
  integrate(robot.model, from.q.data(), shift.data(), s.q.data());
  for (std::size_t i = 0; i < s.v.size(); ++i) s.v[i] += step * along.v[i], s.tau[i] += step * along.tau[i];
  const ProjectionStatus status = loops.project(s.q.data(), s.v.data());
  INFO(loops.describe(status));
  REQUIRE(status.ok());
  return s;
}

Instant random_direction(const Model& model, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  Instant along;
  for (auto* part : {&along.q, &along.v, &along.tau}) {
    part->resize(static_cast<std::size_t>(model.nv));
    for (double& x : *part) x = normal(rng);
  }
  return along;
}

/// bound: of the derivatives.
void check_same(const Derivatives& found, const Derivatives& expected, double bound) {
  CHECK(apart(found.at.a, expected.at.a) <= 1e-10);
  CHECK(apart(found.at.lambda, expected.at.lambda) <= 1e-10);
  for (int kind = 0; kind < 3; ++kind) {
    CHECK(apart(found.da[kind], expected.da[kind]) <= bound);
    CHECK(apart(found.dlambda[kind], expected.dlambda[kind]) <= bound);
  }
}

/// Of the humanoid, where they are open.
ConstraintSet welded_hands() {
  Constraint weld;
  weld.name = "hands", weld.type = ConstraintType::weld, weld.links = {"l_hand", "r_hand"}, weld.hard = true;
  weld.frames[0].d = {{0.05, -0.02, 0.03}}, weld.frames[1].d = {{-0.01, 0.04, 0.02}};
  ConstraintSet set;
  set.constraints = {weld};
  return set;
}

}  // namespace

TEST_CASE("derivatives of linkages on any body, forces too, are the differences along motions that keep the loops closed") {
  const std::string where = GENERATE("hand", "trunk"), how = GENERATE("upright", "quarter turn", "oblique", "weld",
                                                                      "about a point", "one on the other", "light", "free end");
  const bool floating = GENERATE(false, true);
  CAPTURE(where, how, floating);
  const Linkage robot = pulled_linkage(where, how, floating);
  const auto n = static_cast<std::size_t>(robot.model.nv);
  ConstrainedDynamics dynamics(robot.model, robot.loops);
  LoopProjection loops(robot.model, robot.loops);
  Derivatives found(robot.model, dynamics);
  std::mt19937 rng(5);
  for (const State& state : states_on_loops(robot)) {
    const Instant s{state.q, state.v, state.tau};
    const ConstraintStatus status = dynamics.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, found.out());
    INFO(dynamics.describe(status));
    REQUIRE(status.ok());
    const Instant along = random_direction(robot.model, rng);
    const auto answer = [&](double step) {  // [a; λ; q from here; v; τ]
      const Instant there = moved_closed(robot, loops, s, along, step);
      ConstrainedAnswer x(robot.model, dynamics);
      REQUIRE(solve(dynamics, there, x).ok());
      std::vector<double> all(x.a), shift(n);
      difference(robot.model, s.q.data(), there.q.data(), shift.data());
      for (const auto* part : {&std::as_const(x.lambda), &std::as_const(shift), &there.v, &there.tau})
        all.insert(all.end(), part->begin(), part->end());
      return all;
    };
    const std::size_t results = n + dynamics.force_columns().size();
    const std::vector<double> slope = fourth_order(answer, results);
    std::vector<double> expected(slope.begin(), slope.begin() + static_cast<std::ptrdiff_t>(results)), sum(results, 0.0);
    for (int kind = 0; kind < 3; ++kind)
      for (std::size_t i = 0; i < n; ++i) {
        const std::vector<double> column = found.column(kind, static_cast<int>(i));
        for (std::size_t k = 0; k < results; ++k) sum[k] += column[k] * slope[results + static_cast<std::size_t>(kind) * n + i];
      }
    CHECK(apart(sum, expected, {0, n}) <= 1e-7);
    CHECK(apart(sum, expected, {n, results}) <= 1e-7);
  }
}

TEST_CASE("derivatives of linkages on any body by all of q, v and torques are those of the rows that say something") {
  const std::string where = GENERATE("hand", "trunk"),
                    how = GENERATE("upright", "quarter turn", "oblique", "about a point", "one on the other");
  const bool floating = GENERATE(false, true);
  CAPTURE(where, how, floating);
  const Linkage robot = pulled_linkage(where, how, floating);
  const auto n = static_cast<std::size_t>(robot.model.nv);
  ConstrainedDynamics dynamics(robot.model, robot.loops);
  FrozenRank dense(robot);
  Derivatives found(robot.model, dynamics);
  const std::vector<State> states = states_on_loops(robot);
  for (std::size_t at = 0; at < 3; ++at) {  // one of them still
    const Instant s{states[at].q, states[at].v, states[at].tau};
    REQUIRE(dynamics.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, found.out()).ok());
    const SaidRows said = dense.said(s);
    const auto least = [&](std::vector<double> x) {  // of the part of λ that moves something; rows are forces here
      Eigen::Map<Eigen::VectorXd> force(x.data() + n, said.weight.size());
      force = said.weight.cwiseProduct(said.U * (said.U.transpose() * force.cwiseQuotient(said.weight)).eval()).eval();
      return x;
    };
    for (int kind = 0; kind < 3; ++kind)
      for (int i = 0; i < robot.model.nv; ++i) {
        CAPTURE(kind, i);
        const auto answer = [&](double step) { return dense.answer(moved_along(robot.model, s, kind, i, step)); };
        const std::vector<double> expected = least(fourth_order(answer, n + static_cast<std::size_t>(said.weight.size()))),
                                  column = least(found.column(kind, i));
        CHECK(apart(column, expected, {0, n}) <= 1e-7);
        CHECK(apart(column, expected, {n, expected.size()}) <= 1e-7);
      }
  }
}

TEST_CASE(
    "linkages have one answer and one derivative, whatever inverse weight their hard rows state, at rest without gravity too") {
  const double weight = GENERATE(1e-8, 1e-6, 1e6);
  const std::string where = GENERATE("hand", "trunk"), how = GENERATE("upright", "oblique", "about a point");
  const bool floating = GENERATE(false, true), still = GENERATE(false, true);
  CAPTURE(weight, where, how, floating, still);
  Linkage robot = pulled_linkage(where, how, floating);
  if (still) robot.model.gravity = zero3<double>();
  ConstraintSet weighted = robot.loops;
  for (Constraint& loop : weighted.constraints) loop.inverse_weight = {{weight, weight}};
  ConstrainedDynamics plain(robot.model, robot.loops), dynamics(robot.model, weighted);
  LoopProjection loops(robot.model, robot.loops), as_well(robot.model, weighted);
  Derivatives expected(robot.model, plain), found(robot.model, dynamics);
  for (const State& state : states_on_loops(robot)) {
    Instant s{state.q, state.v, state.tau};
    if (still) std::fill(s.v.begin(), s.v.end(), 0.0), std::fill(s.tau.begin(), s.tau.end(), 0.0);
    std::vector<double> q(s.q), v(s.v);
    REQUIRE(as_well.project(q.data(), v.data()).ok());
    CHECK(apart(q, s.q) <= 1e-12);
    REQUIRE(plain.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, expected.out()).ok());
    const ConstraintStatus status = dynamics.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, found.out());
    CAPTURE(dynamics.describe(status));
    REQUIRE(status.ok());
    check_same(found, expected, 1e-10);
  }
}

TEST_CASE("welded hands have one derivative, whatever the inverse weight of their rows") {
  const Model model = shipped_model("humanoid", true);
  ConstraintSet set = welded_hands();
  ConstrainedDynamics plain(model, set);
  Derivatives expected(model, plain);
  std::mt19937 rng(8);
  for (int k = 0; k < 6; ++k) {
    const Instant s = instant(model, rng);
    REQUIRE(plain.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, expected.out()).ok());
    for (const double weight : {1e-8, 1e-7, 1e-6, 1e-5, 1e8}) {
      CAPTURE(k, weight);
      set.constraints[0].inverse_weight = {{weight, weight}};
      ConstrainedDynamics dynamics(model, set);
      Derivatives found(model, dynamics);
      const ConstraintStatus status = dynamics.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, found.out());
      CAPTURE(dynamics.describe(status));
      REQUIRE(status.ok());
      check_same(found, expected, 1e-9);
    }
  }
}

TEST_CASE("proximal steps settle the derivatives of a floating robot under loops without redundant rows") {
  const Model model = shipped_model("humanoid", true);
  const ConstraintSet set = welded_hands();
  const std::vector<RowBlock> blocks = resolved(model, set, inverse_weights(model));
  ConstraintRows rows(model, blocks);
  NewtonIteration newton(model, rows, {}, hard_row_postures(model, set));
  ConstrainedDerivatives derivatives(model, rows, {});
  ConstrainedDynamics dynamics(model, set);
  Derivatives found(model, dynamics), expected(model, dynamics);
  Workspace<double> ws(model);
  std::mt19937 rng(3);
  for (int k = 0; k < 6; ++k) {
    const Instant s = instant(model, rng);
    rows.at(ws, s.q.data(), s.v.data());
    crba(model, ws, s.q.data(), newton.M.data());
    rnea<double>(model, ws, s.q.data(), s.v.data(), nullptr, nullptr, newton.push.data());
    for (std::size_t i = 0; i < s.tau.size(); ++i) newton.push[i] = s.tau[i] - newton.push[i];
    REQUIRE(newton.iterate(false).ok());
    REQUIRE(newton.step(false) < 0);
    REQUIRE(newton.by_hard_factor() == nullptr);
    REQUIRE(derivatives.solve(
                ws, newton.factor, nullptr,
                {s.q.data(), s.v.data(), newton.a.data(), nullptr, newton.lambda.data(), newton.H.data(), newton.slopes.data()},
                found.out()) < 0);
    REQUIRE(dynamics.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, expected.out()).ok());
    for (int kind = 0; kind < 3; ++kind) CHECK(apart(found.da[kind], expected.da[kind]) <= 1e-10);
  }
}

TEST_CASE("derivatives of a linkage on a hand take no memory") {
  const Linkage robot = pulled_linkage("hand", "oblique", true);
  ConstrainedDynamics dynamics(robot.model, robot.loops);
  Derivatives found(robot.model, dynamics);
  const State s = states_on_loops(robot)[0];
  ConstraintStatus status;
  const ConstraintDerivatives out = found.out();
  CHECK(allocations_of([&] { status = dynamics.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr, out); }) == 0);
  CHECK(status.ok());
}
