// Generated dynamics under loops and couplings beside ConstrainedDynamics, which is held against MuJoCo and Pinocchio: connect,
// weld and joint, soft and hard, redundant rows, with contacts, stops and dry friction, cold and warm; rows that contradict.
// Last digits of the reference are those of Lagrange's multipliers.
#include "support/contact_loops.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "compiled.hpp"
#include "constraints/derivatives/robot_row_derivatives.hpp"
#include "constraints/rows.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/json/files.hpp"
#include "support/contact_robots.hpp"
#include "support/coupled.hpp"
#include "support/four_bar.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

struct LoopAnswer {
  LoopAnswer(const ConstrainedDynamics& d, int nv)
      : a(static_cast<std::size_t>(nv)), lambda(d.force_columns().size()), gap(d.gap_columns().size()), next(1000), solver(3) {}
  std::vector<double> a, lambda, gap, next, solver;

  ConstraintStatus reference(ConstrainedDynamics& d, const ContactState& s) {
    return d.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, a.data(), lambda.data(), gap.data());
  }
  int call(const CompiledProgram& f, const ContactState& s, const double* start = nullptr) {
    const double* arg[] = {s.q.data(), s.v.data(), s.tau.data(), start};
    double* res[] = {a.data(), lambda.data(), gap.data(), next.data(), solver.data()};
    return f.call(arg, res);
  }
};

using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// ∂q̈/∂q, ∂q̈/∂v, ∂q̈/∂τ, then of λ.
using SlopesOfLoops = std::array<Square, 6>;

/// ConstrainedDynamics, and a step of Newton's from its answer with multipliers for the hard rows:
///   (M + Jᵀ h J) δa − Jᵀ λ = τ − bias + Jᵀ f(j) − M a  (J of the hard rows before λ, of all others in the rest),  J δa = −j.
/// The same equations give the derivatives.
class ByMultipliers {
 public:
  ByMultipliers(const Model& model, const ConstraintSet& set)
      : model_(model),
        dynamics_(model, set),
        rows_(model, resolved(model, set, inverse_weights(model))),
        moved_(model, rows_,
               model.coordinate_map ? resolved(model, set, inverse_weights(model), Freedoms::tree) : std::vector<RowBlock>{}),
        ws_(model) {}

  ConstrainedDynamics& dynamics() { return dynamics_; }

  ConstraintStatus solve(const ContactState& s, LoopAnswer& x) {
    const ConstraintStatus status = x.reference(dynamics_, s);
    if (!status.ok()) return status;
    const int n = model_.nv, m = rows_.rows();
    find_laws(s, x);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(n + m);
    right.head(n) = residual(s, x) + J_.transpose() * f_;
    for (int r = 0; r < m; ++r) right[n + r] = hard_[r] ? -j_[r] : 0;
    const Eigen::VectorXd found = K_.solve(right), soft = f_ - h_ * (J_ * found.head(n));
    for (int i = 0; i < n; ++i) x.a[static_cast<std::size_t>(i)] += found[i];
    lambda_ = hard_.select(found.tail(m), soft);
    rows_.write(lambda_.data(), x.lambda.data(), x.gap.data());
    return status;
  }

  /// After solve() of the same.
  SlopesOfLoops slopes(const ContactState& s, const LoopAnswer& x) {
    const int n = model_.nv, m = rows_.rows(), forces = static_cast<int>(x.lambda.size());
    rows_.at(ws_, s.q.data(), s.v.data());
    moved_.at(ws_, s.q.data(), s.v.data(), x.a.data(), lambda_.data());
    Square by_q(n, n), by_v(n, n), M(n, n);
    Eigen::VectorXd tau(n);
    MomentWorkspace<double> moments(model_);
    rnea_derivatives<double>(model_, moments, s.q.data(), s.v.data(), x.a.data(), nullptr,
                             {tau.data(), by_q.data(), by_v.data(), M.data()});
    SlopesOfLoops all;
    for (int kind = 0; kind < 3; ++kind) {
      Square side = Square::Identity(n, n), miss = Square::Zero(m, n), firm = miss;
      if (kind == 0) side = Square::Map(moved_.push_by_q().data(), n, n) - by_q;
      if (kind == 1) side = -by_v;
      for (int r = 0; r < m && kind < 2; ++r)
        for (int c = 0; c < n; ++c) {
          miss(r, c) = kind == 0 ? moved_.miss_by_q(r)[c] : moved_.miss_by_v(r)[c];
          if (kind == 0 && !hard_[r]) firm(r, c) = lambda_[r] * moved_.stiffness_by_q(r)[c];
        }
      Square right = Square::Zero(n + m, n);
      right.topRows(n) = side + J_.transpose() * (firm - h_ * miss);
      for (int r = 0; r < m; ++r)
        if (hard_[r]) right.row(n + r) = -miss.row(r);
      const Square found = K_.solve(right), soft = firm - h_ * (miss + J_ * found.topRows(n));
      all[static_cast<std::size_t>(kind)] = found.topRows(n);
      Square& written = all[static_cast<std::size_t>(3 + kind)] = Square::Zero(forces, n);
      for (int c = 0; c < n; ++c) {
        const Eigen::VectorXd of_rows = hard_.select(found.col(c).tail(m), soft.col(c));
        Eigen::VectorXd out(forces);
        std::vector<double> gap(x.gap.size() + 1);
        rows_.write(of_rows.data(), out.data(), gap.data());
        written.col(c) = out;
      }
      if (kind == 0) written += Square::Map(moved_.written_by_q().data(), forces, n);
    }
    return all;
  }

 private:
  void find_laws(const ContactState& s, const LoopAnswer& x) {
    const int n = model_.nv, m = rows_.rows();
    rows_.at(ws_, s.q.data(), s.v.data());
    j_ = f_ = Eigen::VectorXd::Zero(m), hard_ = Eigen::Array<bool, Eigen::Dynamic, 1>::Constant(m, false);
    J_ = Eigen::MatrixXd::Zero(m, n), h_ = Eigen::MatrixXd::Zero(m, m);
    rows_.miss(x.a.data(), j_.data());
    for (std::size_t k = 0; k < rows_.blocks().size(); ++k) {
      const RowBlock& b = rows_.blocks()[k];
      const RowBlockState& state = rows_.states()[k];
      if (!state.active) continue;
      double forces[10], slopes[100];
      force(state.law, j_.data() + b.first_row, forces, slopes);
      for (int r = 0; r < b.rows; ++r) {
        for (int i : b.freedoms) J_(b.first_row + r, i) = rows_.row(b.first_row + r)[i];
        hard_[b.first_row + r] = b.hard;
        for (int c = 0; c < b.rows && !b.hard; ++c) h_(b.first_row + r, b.first_row + c) = slopes[r * b.rows + c];
        if (!b.hard) f_[b.first_row + r] = forces[r];
      }
    }
    Eigen::MatrixXd M(n, n), K = Eigen::MatrixXd::Zero(n + m, n + m);
    crba(model_, ws_, s.q.data(), M.data());
    K.topLeftCorner(n, n) = M + J_.transpose() * h_ * J_;
    for (int r = 0; r < m; ++r)
      if (hard_[r]) K.row(n + r).head(n) = J_.row(r), K.col(n + r).head(n) = -J_.row(r).transpose();
    K_.compute(K);
  }
  /// τ − ID(q, v, a).
  Eigen::VectorXd residual(const ContactState& s, const LoopAnswer& x) {
    Eigen::VectorXd tau(model_.nv);
    rnea<double>(model_, ws_, s.q.data(), s.v.data(), x.a.data(), nullptr, tau.data());
    return Eigen::VectorXd::Map(s.tau.data(), model_.nv) - tau;
  }

  const Model& model_;
  ConstrainedDynamics dynamics_;
  ConstraintRows rows_;
  RobotRowDerivatives moved_;
  Workspace<double> ws_;
  Eigen::VectorXd j_, f_, lambda_;
  Eigen::Array<bool, Eigen::Dynamic, 1> hard_;
  Eigen::MatrixXd J_, h_;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> K_;
};

/// What the generated function returns, and gives.
int generated_slopes(const CompiledProgram& f, const ContactState& s, LoopAnswer& x, SlopesOfLoops& all) {
  const auto n = static_cast<Eigen::Index>(x.a.size()), forces = static_cast<Eigen::Index>(x.lambda.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = Square::Constant(k < 3 ? n : forces, n, -7);
  const double* arg[] = {s.q.data(), s.v.data(), s.tau.data(), nullptr};
  double* res[] = {x.a.data(),    x.lambda.data(), x.gap.data(),  x.next.data(), x.solver.data(), all[0].data(),
                   all[1].data(), all[2].data(),   all[3].data(), all[4].data(), all[5].data()};
  return f.call(arg, res);
}

void hold_loops_against_reference(const Model& model, const ConstraintSet& set, int states, unsigned seed,
                                  const std::string& compiler = quick_compiler(), const std::string& flags = "-O0") {
  CAPTURE(model.name, seed, compiler, flags);
  ContactCodeOptions with_slopes;
  with_slopes.derivatives = true;
  const CompiledProgram f(contact_dynamics_code(model, set, "f").files, "f", strictly(compiler, flags)),
      g(contact_dynamics_code(model, set, "g", with_slopes).files, "g", strictly(compiler, flags));
  ByMultipliers reference(model, set);
  LoopAnswer cold(reference.dynamics(), model.nv), warm(cold), expected(cold);
  std::mt19937 rng(seed);
  int unsolved = 0;
  for (int k = 0; k < states; ++k) {
    ContactState s = touching_state(model, set, rng);
    CAPTURE(k);
    if (!reference.solve(s, expected).ok()) {  // hard rows that rounding keeps apart
      CHECK(++unsolved <= 1);
      continue;
    }
    REQUIRE(cold.call(f, s) == 0);
    CHECK(relative_difference(cold.a, expected.a) <= 1e-9);
    CHECK(relative_difference(cold.lambda, expected.lambda) <= 1e-9);
    const SlopesOfLoops slopes = reference.slopes(s, expected);
    SlopesOfLoops found;
    const int code = generated_slopes(g, s, warm, found);
    if (code == 3) CHECK(++unsolved <= 1);  // the same of what they change by, with a loop's name
    if (code == 3) continue;
    REQUIRE(code == 0);
    for (std::size_t m = 0; m < slopes.size(); ++m) {
      CAPTURE(m);
      CHECK((found[m] - slopes[m]).cwiseAbs().maxCoeff() <= 1e-9 * std::max(1.0, slopes[m].cwiseAbs().maxCoeff()));
    }
    for (double& x : s.tau) x *= 1.01;
    REQUIRE(reference.solve(s, expected).ok());
    REQUIRE(warm.call(f, s, cold.next.data()) == 0);
    CHECK(relative_difference(warm.a, expected.a) <= 1e-9);
    CHECK(relative_difference(warm.lambda, expected.lambda) <= 1e-9);
  }
}

/// The linkage in a plane along which no axis lies, so that its redundant row is one of rounding.
Model oblique_four_bar() {
  JointSpec hinge;
  hinge.kind = JointKind::revolute, hinge.axis = {{0, 1, 0}};
  const Mat3<double> R = rotation_from_rpy({{0.5, 0.3, -0.7}});
  const Inertia<double> rod = inertia_about_com(1, {{0.2, 0, 0}}, {0.01, 0, 0, 0.02, 0, 0.02});
  return ModelBuilder("oblique")
      .root("ground", zero_inertia<double>(), false)
      .link("crank", rod, "ground", "a", hinge, {R, zero3<double>()})
      .link("coupler", rod, "crank", "b", hinge, {identity3<double>(), {{0.3, 0, 0}}})
      .link("rocker", rod, "ground", "c", hinge, {R, R * Vec3<double>{{0.5, 0, 0}}})
      .build();
}

}  // namespace

TEST_CASE("generated dynamics of a four-bar linkage: one row of its hard loop follows from the others") {
  const Model model = four_bar();
  for (const std::string compiler : {"gcc", "clang"})
    for (const bool hard : {true, false}) {
      if (missing(compiler)) continue;
      ConstraintSet set;
      set.constraints = {four_bar_loop()};
      set.constraints[0].hard = hard;
      hold_loops_against_reference(model, set, 40, 1, compiler, "-O1");
    }
}

TEST_CASE("generated dynamics under loops: the least force in an oblique plane, whatever the inverse weight") {
  if (missing(quick_compiler())) return;
  const Model model = oblique_four_bar();
  for (const double weight : {0.0, 1e-8, 1e-6, 1e6}) {
    CAPTURE(weight);
    ConstraintSet set;
    set.constraints = {four_bar_loop()};
    if (weight > 0) set.constraints[0].inverse_weight = {{weight, weight}};
    const CompiledProgram f(contact_dynamics_code(model, set, "f").files, "f", strictly(quick_compiler(), "-O0"));
    ByMultipliers reference(model, set);
    LoopAnswer found(reference.dynamics(), model.nv), expected(found);
    std::mt19937 rng(3);
    for (int k = 0; k < 20; ++k) {
      const ContactState s = touching_state(model, set, rng);
      CAPTURE(k);
      REQUIRE(reference.solve(s, expected).ok());
      REQUIRE(found.call(f, s) == 0);
      CHECK(relative_difference(found.a, expected.a) <= 1e-9);
      CHECK(relative_difference(found.lambda, expected.lambda) <= 1e-9);
    }
  }
}

TEST_CASE("generated dynamics of the linkage that ships, under the constraints that ship") {
  if (missing(quick_compiler())) return;
  const Model model = shipped_model("four-bar", false);
  hold_loops_against_reference(model, load_constraint_set(source_folder() + "/examples/constraints/four-bar.json", model), 40,
                               2);
  for (const std::string name : {"quadruped", "humanoid"}) {
    const Model robot = shipped_model(name, true);
    hold_loops_against_reference(robot, load_constraint_set(source_folder() + "/examples/constraints/" + name + ".json", robot),
                                 20, 2);
  }
}

TEST_CASE("generated dynamics of a humanoid whose hands are welded, standing") {
  if (missing(quick_compiler())) return;
  const Model model = shipped_model("humanoid", true);
  for (const bool hard : {true, false}) {
    ConstraintSet set = spheres_on_leaves(model, {{0.8}});
    add_stops_and_friction(set);
    set.constraints.push_back(pair_of(model, ConstraintType::weld, "l_hand", "r_hand", hard));
    hold_loops_against_reference(model, set, 30, 3);
  }
}

TEST_CASE("generated dynamics under loops and couplings of random robots: every joint, soft and hard, with all else") {
  if (missing(quick_compiler())) return;
  TreeOptions options;
  options.kinds = every_joint_kind();
  for (unsigned seed = 0; seed < 12; ++seed) {
    options.floating = seed % 2 == 0;
    const Model tree = random_tree(7, seed, options);
    const Model model = seed % 3 == 2 ? random_coupled_robot(tree, seed).model : tree;
    const bool hard = seed % 4 < 2;
    ConstraintSet set;
    if (seed > 3) set = spheres_on_leaves(model, all_frictions);
    for (Constraint& c : set.constraints) c.plane_point = {{0.1, 0, 0.2}}, c.margin = 0.1;
    const std::string first = model.links[2].name, last = model.links.back().name;
    const ConstraintType type = seed % 2 && !hard ? ConstraintType::weld : ConstraintType::connect;
    set.constraints.push_back(pair_of(model, type, last, options.floating && seed % 3 == 0 ? "world" : first, hard));
    const Constraint coupling = coupling_of(model, !hard);
    if (seed > 5 && !coupling.joints.empty() && coupling.of != coupling.joints[0]) set.constraints.push_back(coupling);
    if (seed > 7) {
      Constraint rub;
      rub.name = "rub", rub.type = ConstraintType::dry_friction, rub.all = true, rub.loss = 0.4;
      set.constraints.push_back(rub);
    }
    hold_loops_against_reference(model, set, 20, seed);
  }
}

TEST_CASE("generated dynamics under loops: batches, rows that contradict each other") {
  if (missing(quick_compiler())) return;
  const Model model = four_bar();
  ConstraintSet set;
  set.constraints = {four_bar_loop()};
  const CompiledProgram f(contact_dynamics_code(model, set, "f").files, "f", strictly(quick_compiler(), "-O0"));
  ByMultipliers reference(model, set);
  LoopAnswer expected(reference.dynamics(), model.nv);
  std::mt19937 rng(4);
  std::vector<ContactState> states;
  for (int s = 0; s < 3; ++s) states.push_back(touching_state(model, set, rng));
  states[1].q[0] = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> q, v, tau, a(9);
  for (std::size_t e = 0; e < 3; ++e)
    for (const ContactState& s : states) q.push_back(s.q[e]), v.push_back(s.v[e]), tau.push_back(s.tau[e]);
  const double* arg[] = {q.data(), v.data(), tau.data(), nullptr};
  double* res[5] = {a.data()};
  int status[3];
  const auto batch = reinterpret_cast<long (*)(const double* const*, double* const*, long, int*)>(f.symbol("f_batch_status"));
  CHECK(batch(arg, res, 3, status) == 1);
  CHECK((status[0] == 0 && status[1] == 1 && status[2] == 0));
  for (std::size_t s : {0, 2}) {
    REQUIRE(reference.solve(states[s], expected).ok());
    CHECK(relative_difference({a[s], a[3 + s], a[6 + s]}, expected.a) <= 1e-9);
  }
  CHECK(std::isnan(a[1]));

  // two points of the ground at once
  set.constraints.push_back(four_bar_loop());
  set.constraints[1].name = "elsewhere", set.constraints[1].frames[0].d[2] = 0.2;
  const CompiledProgram g(contact_dynamics_code(model, set, "g").files, "g", strictly(quick_compiler(), "-O0"));
  ConstrainedDynamics contradictory(model, set);
  LoopAnswer none(contradictory, model.nv);
  CHECK(none.reference(contradictory, states[0]).state == ConstraintState::not_converged);
  CHECK(none.call(g, states[0]) == 3);
  CHECK((none.solver[0] == 100 && none.solver[1] > 1e-11 && none.solver[2] >= 0));
}
