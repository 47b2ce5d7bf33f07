// The lean formulations against the recursive algorithms, as numbers.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "codegen/minimal/minimal_crba.hpp"
#include "codegen/minimal/minimal_derivatives.hpp"
#include "codegen/minimal/minimal_dynamics.hpp"
#include "codegen/minimal/minimal_elimination.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

std::vector<Force<double>> in_tree(const MinimalTree& tree, const std::vector<Force<double>>& bodies) {
  std::vector<Force<double>> fx;
  for (std::size_t i = 0; i < bodies.size(); ++i) fx.push_back(to_parent(tree.bodies[i].body_frame, bodies[i]));
  return fx;
}

void check_state(const Model& model, const MinimalTree& tree, const State& s) {
  Workspace<double> work(model);
  const std::vector<Force<double>> fx = in_tree(tree, s.fx);
  std::vector<double> tau(s.v.size()), a(s.v.size());
  rnea(model, work, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), tau.data());
  CHECK(norm_error(minimal_rnea(tree, s.q.data(), s.v.data(), s.a.data(), fx.data()), tau) < 1e-12);
  // a light link's acceleration is large: what comes of tau is compared with the acceleration it was made from
  for (unsigned pattern : {0u, ~0u, 0x5a5a5a5au, 0x12345678u}) {
    EliminationBodies at;
    for (std::size_t i = 0; i < tree.bodies.size(); ++i) at.push_back((pattern >> (i % 32)) & 1u);
    CHECK(norm_error(minimal_forward_dynamics(tree, at, s.q.data(), s.v.data(), tau.data(), fx.data()), s.a) < 1e-10);
  }
  REQUIRE(aba(model, work, s.q.data(), s.v.data(), tau.data(), s.fx.data(), a.data()).ok());
  CHECK(norm_error(s.a, a) < 1e-10);
}

void check_model(const Model& model, unsigned seed) {
  std::mt19937 rng(seed);
  MinimalOptions own_axes, unbalanced, as_they_are, parted;
  for (int i = 0; i < static_cast<int>(model.bodies.size()); i += 2) own_axes.apart.push_back(i);
  unbalanced.balanced = false;
  as_they_are.base_parameters = false;
  std::uniform_real_distribution<double> amount(-1.0, 1.0);
  for (int i = 0; i < static_cast<int>(model.bodies.size()); ++i) {
    const Body& b = model.bodies[i];
    if (b.parent < 0 || b.joint != BodyJoint::revolute) continue;
    parted.other_shift.push_back(i);
    const double m = amount(rng), h = amount(rng), zz = amount(rng);
    parted.shares.push_back({i, m, h, zz});
  }
  for (const MinimalOptions& options : {MinimalOptions(), own_axes, unbalanced, as_they_are, parted}) {
    const MinimalTree tree = minimal_tree(model, options);
    for (int k = 0; k < 5; ++k) check_state(model, tree, random_state(model, rng));
    for (const State& s : special_states(model, rng, 5)) check_state(model, tree, s);
  }
}

/// A tree whose axes are parallel or antiparallel now and then, several in a row.
Model tree_with_parallel_axes(unsigned seed, bool floating) {
  ModelBuilder builder("parallel axes");
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> angle(-3.0, 3.0);
  builder.root("root", random_inertia(rng), floating);
  for (int i = 0; i < 9; ++i) {
    const std::string number = std::to_string(i),
                      parent = i == 0 ? "root" : "link" + std::to_string(i - 1 - static_cast<int>(rng() % 2) * (i > 1));
    const bool tilted = rng() % 4 == 0;
    const Vec3<double> rpy{{tilted ? angle(rng) : rng() % 3 == 0 ? std::acos(-1.0) : 0.0, 0, rng() % 2 ? angle(rng) : 0.0}};
    builder.link("link" + number, random_inertia(rng), parent, "joint" + number,
                 {rng() % 6 == 0 ? JointKind::prismatic : JointKind::revolute, {{0, 0, rng() % 3 ? 1.0 : -1.0}}, 0, {}, {}},
                 {rotation_from_rpy(rpy), random_vector(rng, 0.4)});
  }
  return builder.build();
}

/// Two links on axes that are parallel up to `tilt`: their common normal lies far away.
Model nearly_parallel(double tilt) {
  ModelBuilder builder("nearly parallel");
  std::mt19937 rng(3);
  builder.root("root", random_inertia(rng), false);
  std::string parent = "root";
  for (int i = 0; i < 4; ++i) {
    const std::string number = std::to_string(i);
    builder.link("link" + number, random_inertia(rng), parent, "joint" + number,
                 {JointKind::revolute, {{tilt * i, 0, 1}}, 0, {}, {}}, {identity3<double>(), {{0.3, 0.1, 0.2}}});
    parent = "link" + number;
  }
  return builder.build();
}

/// The results of a function that fills RneaDerivatives.
struct JointDerivatives {
  template <class Fill>
  JointDerivatives(const Model& model, Fill fill) {
    const auto n = static_cast<std::size_t>(model.nv);
    tau.resize(n);
    for (auto* matrix : {&dq, &dv, &M}) matrix->resize(n * n);
    fill({tau.data(), dq.data(), dv.data(), M.data()});
  }
  std::vector<double> tau, dq, dv, M;
};

std::vector<double> dense(const JointSpaceMatrix<double>& M) {
  const std::size_t n = M.lower.size();
  std::vector<double> full(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k <= i; ++k) full[i * n + k] = full[k * n + i] = M.lower[i][k];
  return full;
}

}  // namespace

TEST_CASE("minimal programs of light and short robots keep small numbers") {
  const auto scaled = [](Model model, double mass, double length) {
    for (Body& b : model.bodies) {
      b.placement.d = length * b.placement.d;
      const Sym3<double>& s = b.inertia.moments;
      const double h = mass * length, k = h * length;
      b.inertia = {mass * b.inertia.m, h * b.inertia.h, {k * s.xx, k * s.xy, k * s.xz, k * s.yy, k * s.yz, k * s.zz}};
    }
    return model;
  };
  const Model robot = tree_with_parallel_axes(3, false);
  std::mt19937 rng(8);
  for (const auto& [mass, length] : {std::pair(1e-12, 1.0), {1e-25, 1.0}, {1e-18, 1e-6}, {1.0, 1e-3}}) {
    INFO(mass << ' ' << length);
    const Model model = scaled(robot, mass, length);
    const State s = random_state(model, rng);
    Workspace<double> work(model);
    std::vector<double> tau(s.v.size());
    rnea(model, work, s.q.data(), s.v.data(), s.a.data(), static_cast<const Force<double>*>(nullptr), tau.data());
    std::vector<double> found = minimal_rnea(minimal_tree(model), s.q.data(), s.v.data(), s.a.data());
    double size = 0;
    for (double each : tau) size = std::max(size, std::fabs(each));
    for (std::size_t k = 0; k < tau.size(); ++k) CHECK(std::fabs(found[k] - tau[k]) < 1e-13 * size);
  }
  // by powers of two nothing is rounded: the same numbers
  const double step = std::ldexp(1.0, -40);
  const MinimalTree light = minimal_tree(scaled(robot, step, 1)), lighter = minimal_tree(scaled(robot, step * step, 1));
  for (std::size_t i = 0; i < light.bodies.size(); ++i) {
    const Inertia<double>&a = light.bodies[i].moved, &b = lighter.bodies[i].moved;
    CHECK(b.m == step * a.m);
    for (int k = 0; k < 3; ++k) CHECK(b.h[k] == step * a.h[k]);
    CHECK(b.moments.xy == step * a.moments.xy);
    CHECK(b.moments.yz == step * a.moments.yz);
    CHECK(b.moments.zz == step * a.moments.zz);
  }
}

TEST_CASE("minimal inverse and forward dynamics are those of the recursive algorithms") {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 12; ++seed) check_model(random_tree(9, seed, {floating, true, 0.4}), seed);
}

TEST_CASE("parallel axes share an orientation") {
  int shared = 0;
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 12; ++seed) {
      const Model model = tree_with_parallel_axes(seed, floating);
      const MinimalTree tree = minimal_tree(model);
      for (std::size_t i = 0; i < tree.bodies.size(); ++i) shared += tree.bodies[i].leader != static_cast<int>(i);
      check_model(model, seed);
    }
  CHECK(shared > 50);
}

TEST_CASE("minimal programs do not depend on the unit of length") {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 4; ++seed) {
      const Model model = random_tree(7, seed, {floating, true, 0.4});
      for (double unit : {0.3, 2.0, length_units(model).back()}) {
        MinimalOptions options;
        options.unit = unit;
        const MinimalTree tree = minimal_tree(model, options);
        std::mt19937 rng(seed);
        State s = random_state(model, rng);
        std::fill(s.fx.begin(), s.fx.end(), Force<double>{zero3<double>(), zero3<double>()});
        check_state(model, tree, s);
      }
    }
}

TEST_CASE("inertia matrices and derivatives are those of the recursive algorithms in any unit of length") {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 6; ++seed) {
      const Model model = random_tree(7, seed, {floating, true, 0.4});
      std::mt19937 rng(seed);
      const State s = random_state(model, rng);
      MomentWorkspace<double> work(model);
      const JointDerivatives expected(model, [&](const RneaDerivatives<double>& out) {
        rnea_derivatives(model, work, s.q.data(), s.v.data(), s.a.data(), static_cast<const Force<double>*>(nullptr), out);
      });
      for (double unit : {1.0, 0.3, 2.0, length_units(model).back()}) {
        MinimalOptions options;
        options.unit = unit;
        const std::vector<double> lower = dense(minimal_crba(minimal_tree(model, options), s.q.data(), false)),
                                  by_tensors = dense(minimal_crba(minimal_tree(model, options), s.q.data(), true));
        const ColumnOptions some{seed % 2 == 0, seed % 3 == 0, {0, 2, 3, 5}}, all{true, true, {0, 1, 2, 3, 4, 5, 6}};
        for (const ColumnOptions& columns : {some, all})
          CHECK(norm_error(dense(minimal_crba(minimal_tree(model, options), s.q.data(), true, columns)), expected.M) < 1e-12);
        options.balanced = false;
        const MinimalTree tree = minimal_tree(model, options);
        const JointDerivatives minimal(model, [&](const RneaDerivatives<double>& out) {
          minimal_derivatives(tree, s.q.data(), s.v.data(), s.a.data(), static_cast<const Force<double>*>(nullptr), out);
        });
        INFO(unit);
        CHECK(norm_error(lower, expected.M) < 1e-12);
        CHECK(norm_error(by_tensors, expected.M) < 1e-12);
        CHECK(norm_error(minimal.M, expected.M) < 1e-12);
        CHECK(norm_error(minimal.tau, expected.tau) < 1e-12);
        CHECK(norm_error(minimal.dq, expected.dq) < 1e-12);
        CHECK(norm_error(minimal.dv, expected.dv) < 1e-12);
      }
    }
}

TEST_CASE("axes that are nearly parallel lose no digits") {
  for (double tilt : {0.0, 1e-15, 1e-13, 1e-12, 1e-10, 1e-9, 1e-7, 1e-5, 1e-3, 0.1}) {
    INFO(tilt);
    check_model(nearly_parallel(tilt), 1);
  }
}

TEST_CASE("canonical frames and base parameters") {
  const MinimalTree tree = minimal_tree(random_tree(12, 4, {false, true, 0.3}));
  for (const MinimalBody& b : tree.bodies) {
    CHECK(b.alpha.c * b.alpha.c + b.alpha.s * b.alpha.s == Approx(1));
    if (b.joint != BodyJoint::revolute) continue;
    CHECK(b.inertia.m == 0);
    CHECK(b.inertia.h[2] == 0);
    CHECK(b.inertia.moments.zz == 0);
  }
}

TEST_CASE("a joint without a minimal form is refused") {
  const Model model = random_tree(3, 1, {false, true, 0.3, {JointKind::spherical}});
  CHECK(!has_minimal_tree(model));
  CHECK_THROWS_AS(minimal_tree(model), std::invalid_argument);
}

TEST_CASE("a leaf without mass does not change inverse dynamics") {
  std::mt19937 rng(2);
  ModelBuilder builder("massless leaf");
  builder.root("root", random_inertia(rng), false);
  builder.link("arm", random_inertia(rng), "root", "shoulder", {JointKind::revolute, {{0, 1, 0}}, 0, {}, {}}, random_pose(rng));
  builder.link("tip", zero_inertia<double>(), "arm", "wrist", {JointKind::revolute, {{1, 0, 0}}, 0, {}, {}}, random_pose(rng));
  const Model model = builder.build();
  const MinimalTree tree = minimal_tree(model);
  for (int k = 0; k < 5; ++k) {
    const State s = random_state(model, rng);
    Workspace<double> work(model);
    std::vector<double> tau(s.v.size());
    rnea(model, work, s.q.data(), s.v.data(), s.a.data(), static_cast<const Force<double>*>(nullptr), tau.data());
    CHECK(norm_error(minimal_rnea(tree, s.q.data(), s.v.data(), s.a.data()), tau) < 1e-12);
  }
}
