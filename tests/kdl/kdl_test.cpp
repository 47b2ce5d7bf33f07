// Inverse and forward dynamics against KDL, an independent library: trees of revolute and prismatic joints.
#include <algorithm>
#include <catch2/catch.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

KDL::Vector to_kdl(const Vec3<double>& a) { return {a[0], a[1], a[2]}; }

std::string segment_name(int body) { return body < 0 ? "world" : "body" + std::to_string(body); }

/// KDL wants the tensor about the centre of mass.
KDL::RigidBodyInertia to_kdl(const Inertia<double>& I) {
  if (I.m == 0) return KDL::RigidBodyInertia::Zero();
  const Vec3<double>& h = I.h;
  const Sym3<double>& s = I.moments;
  const Sym3<double> about_com{s.xx - h[0] * h[0] / I.m, s.xy - h[0] * h[1] / I.m, s.xz - h[0] * h[2] / I.m,
                               s.yy - h[1] * h[1] / I.m, s.yz - h[1] * h[2] / I.m, s.zz - h[2] * h[2] / I.m};
  const Sym3<double> T = trace_minus(about_com);
  return KDL::RigidBodyInertia(I.m, to_kdl((1 / I.m) * h), KDL::RotationalInertia(T.xx, T.yy, T.zz, T.xy, T.xz, T.yz));
}

KDL::Tree to_kdl(const Model& model) {
  KDL::Tree tree(segment_name(-1));
  for (int i = 0; i < static_cast<int>(model.bodies.size()); ++i) {
    const Body& body = model.bodies[i];
    const Mat3<double>& R = body.placement.R;
    const KDL::Rotation rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2));
    const KDL::Frame placement(rotation, to_kdl(body.placement.d));
    const auto type = body.joint == BodyJoint::revolute ? KDL::Joint::RotAxis : KDL::Joint::TransAxis;
    const KDL::Joint joint(segment_name(i), placement.p, rotation.UnitZ(), type);
    tree.addSegment(KDL::Segment(segment_name(i), joint, placement, to_kdl(body.inertia)), segment_name(body.parent));
  }
  return tree;
}

KDL::JntArray to_kdl(const std::vector<double>& x) {
  KDL::JntArray out(static_cast<unsigned>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) out(static_cast<unsigned>(i)) = x[i];
  return out;
}

std::vector<double> from_kdl(const KDL::JntArray& x) { return {x.data.data(), x.data.data() + x.data.size()}; }

KDL::Wrench to_kdl(const Force<double>& f) { return {to_kdl(f.f), to_kdl(f.n)}; }

/// KDL knows joints of one freedom, numbered as we number them: in the order in which segments are added.
bool knows(const Model& model) {
  return std::all_of(model.bodies.begin(), model.bodies.end(),
                     [](const Body& b) { return b.joint == BodyJoint::revolute || b.joint == BodyJoint::prismatic; });
}

void check_rnea(const Model& model, const State& s) {
  const KDL::Tree tree = to_kdl(model);
  KDL::TreeIdSolver_RNE solver(tree, to_kdl(model.gravity));
  KDL::WrenchMap wrenches;
  for (std::size_t b = 0; b < s.fx.size(); ++b) wrenches[segment_name(static_cast<int>(b))] = to_kdl(s.fx[b]);
  KDL::JntArray expected(tree.getNrOfJoints());
  REQUIRE(solver.CartToJnt(to_kdl(s.q), to_kdl(s.v), to_kdl(s.a), wrenches, expected) == 0);
  Workspace<double> ws(model);
  std::vector<double> tau(s.v.size());
  rnea(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), tau.data());
  CHECK(norm_error(tau, from_kdl(expected)) < 1e-11);
}

/// Chains only: the bodies from the world to the last one.
void check_aba(const Model& model, const State& s) {
  KDL::Chain chain;
  REQUIRE(to_kdl(model).getChain(segment_name(-1), segment_name(static_cast<int>(model.bodies.size()) - 1), chain));
  KDL::ChainFdSolver_RNE solver(chain, to_kdl(model.gravity));
  KDL::Wrenches wrenches;
  for (const Force<double>& f : s.fx) wrenches.push_back(to_kdl(f));
  KDL::JntArray expected(chain.getNrOfJoints());
  REQUIRE(solver.CartToJnt(to_kdl(s.q), to_kdl(s.v), to_kdl(s.tau), wrenches, expected) == 0);
  Workspace<double> ws(model);
  std::vector<double> a(s.v.size());
  REQUIRE(aba(model, ws, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(), a.data()).ok());
  CHECK(norm_error(a, from_kdl(expected)) < 1e-9);  // KDL solves with the dense M: the square of ours in condition
}

bool is_chain(const Model& model) {
  for (int i = 0; i < static_cast<int>(model.bodies.size()); ++i)
    if (model.bodies[i].parent != i - 1) return false;
  return true;
}

void check(const Model& model, int random, int mixed) {
  std::mt19937 rng(11);
  std::vector<State> states = special_states(model, rng, mixed);
  for (int k = 0; k < random; ++k) states.push_back(random_state(model, rng));
  for (const State& s : states) {
    check_rnea(model, s);
    if (is_chain(model)) check_aba(model, s);
  }
}

}  // namespace

TEST_CASE("KDL agrees on random trees and chains") {
  for (unsigned seed = 0; seed < 10; ++seed)
    for (double branching : {0.0, 0.4}) check(random_tree(8, seed, {false, true, branching}), 20, 10);
}

TEST_CASE("KDL agrees on whole robots") {
  for (const std::string& path : all_robots()) {
    INFO(path);
    const Model model = load_urdf(path);
    if (knows(model)) check(model, 10, 10);
  }
}
