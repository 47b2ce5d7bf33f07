// KDL (LGPL-2.1): inverse dynamics of trees on a fixed base; mass matrix and forward dynamics of unbranched chains.
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>

#include "contender.hpp"

namespace peers {
namespace {

using sparsedyn::Body;
using sparsedyn::BodyJoint;

KDL::Frame frame(const sparsedyn::Pose<double>& p) {
  const auto& R = p.R;
  return {KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)),
          KDL::Vector(p.d[0], p.d[1], p.d[2])};
}

/// Body frames turn about their own z, KDL's segments about an axis of the parent's frame: pose the axis there.
KDL::Segment segment(const Body& body, int index) {
  const KDL::Frame placement = frame(body.placement);
  const auto type = body.joint == BodyJoint::revolute ? KDL::Joint::RotAxis : KDL::Joint::TransAxis;
  const std::string name = std::to_string(index);
  const KDL::Joint joint("joint" + name, placement.p, placement.M.UnitZ(), type);
  const auto& I = body.inertia;
  const KDL::Vector com = I.m > 0 ? KDL::Vector(I.h[0], I.h[1], I.h[2]) / I.m : KDL::Vector::Zero();
  const auto T = sparsedyn::trace_minus(I.moments);
  const KDL::RigidBodyInertia about_origin(0.0, KDL::Vector::Zero(),
                                           KDL::RotationalInertia(T.xx, T.yy, T.zz, T.xy, T.xz, T.yz));
  // KDL's constructor wants the tensor about the centre of mass: take a point mass away from the one about the origin.
  const KDL::RigidBodyInertia point(I.m, com);
  const auto whole = about_origin.getRotationalInertia(), moved = point.getRotationalInertia();
  KDL::RotationalInertia about_com;
  for (int k = 0; k < 9; ++k) about_com.data[k] = whole.data[k] - moved.data[k];
  return KDL::Segment(name, joint, placement, KDL::RigidBodyInertia(I.m, com, about_com));
}

struct KdlState {
  KDL::JntArray q, v, a, tau;
};

KDL::JntArray array(const std::vector<double>& x) {
  KDL::JntArray out(static_cast<unsigned>(x.size()));
  for (unsigned i = 0; i < x.size(); ++i) out(i) = x[i];
  return out;
}

class KdlContender : public Contender {
 public:
  KdlContender(const sparsedyn::Model& model, const std::vector<State>& states, const KDL::Tree& tree, const KDL::Chain& chain)
      : tree_(tree),
        chain_(chain),
        inverse_(tree_, gravity(model)),
        mass_(chain_, gravity(model)),
        forward_(chain_, gravity(model)),
        result_(static_cast<unsigned>(model.nv)),
        matrix_(static_cast<unsigned>(model.nv)),
        no_chain_wrenches_(chain_.getNrOfSegments(), KDL::Wrench::Zero()) {
    for (const State& state : states) states_.push_back({array(state.q), array(state.v), array(state.a), array(state.tau)});
  }

  std::string label() const override { return "KDL"; }
  bool offers(Algorithm algorithm) const override {
    const bool is_chain = chain_.getNrOfSegments() == tree_.getNrOfSegments();
    return algorithm == Algorithm::rnea || (is_chain && (algorithm == Algorithm::crba || algorithm == Algorithm::aba));
  }

  void run(Algorithm algorithm, int s) override {
    const KdlState& x = states_[s];
    if (algorithm == Algorithm::rnea) inverse_.CartToJnt(x.q, x.v, x.a, {}, result_);
    if (algorithm == Algorithm::crba) mass_.JntToMass(x.q, matrix_);
    if (algorithm == Algorithm::aba) forward_.CartToJnt(x.q, x.v, x.tau, no_chain_wrenches_, result_);
  }

  std::vector<double> result(Algorithm algorithm, int s) override {
    run(algorithm, s);
    std::vector<double> out;
    for (unsigned i = 0; i < result_.rows(); ++i) {
      if (algorithm != Algorithm::crba)
        out.push_back(result_(i));
      else
        for (unsigned k = 0; k < result_.rows(); ++k) out.push_back(matrix_(i, k));
    }
    return out;
  }

 private:
  static KDL::Vector gravity(const sparsedyn::Model& model) { return {model.gravity[0], model.gravity[1], model.gravity[2]}; }

  KDL::Tree tree_;
  KDL::Chain chain_;
  KDL::TreeIdSolver_RNE inverse_;
  KDL::ChainDynParam mass_;
  KDL::ChainFdSolver_RNE forward_;
  KDL::JntArray result_;
  KDL::JntSpaceInertiaMatrix matrix_;
  KDL::Wrenches no_chain_wrenches_;
  std::vector<KdlState> states_;
};

}  // namespace

std::unique_ptr<Contender> kdl_contender(const sparsedyn::Model& model, const std::vector<State>& states) {
  KDL::Tree tree("world");
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.joint != BodyJoint::revolute && body.joint != BodyJoint::prismatic) return nullptr;
    tree.addSegment(segment(body, static_cast<int>(i)), body.parent < 0 ? "world" : std::to_string(body.parent));
  }
  KDL::Chain chain;
  tree.getChain("world", std::to_string(model.bodies.size() - 1), chain);
  return std::make_unique<KdlContender>(model, states, tree, chain);
}

}  // namespace peers
