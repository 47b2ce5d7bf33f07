// The recursive algorithms on Eigen's vectors and matrices: a double pendulum that is pushed at its lower rod, its linear model
// at that state, and the torques that hold it there.
#include <cstdio>

#include "sparsedyn/dynamics/eigen.hpp"

using namespace sparsedyn;

namespace {

Model double_pendulum() {
  JointSpec hinge;
  hinge.kind = JointKind::revolute;
  hinge.axis = {{0, 1, 0}};
  const Pose<double> at_tip{identity3<double>(), {{0, 0, -0.5}}};
  const Inertia<double> rod = inertia_about_com(1.0, {{0, 0, -0.25}}, {0.021, 0, 0, 0.021, 0, 0.001});
  return ModelBuilder("double pendulum")
      .root("ceiling", zero_inertia<double>(), false)
      .link("upper", rod, "ceiling", "shoulder", hinge, identity_pose<double>())
      .link("lower", rod, "upper", "elbow", hinge, at_tip)
      .build();
}

void print(const char* name, const Eigen::Ref<const Eigen::MatrixXd>& x) {
  for (Eigen::Index r = 0; r < x.rows(); ++r) {
    std::printf("%-9s", r == 0 ? name : "");
    for (Eigen::Index c = 0; c < x.cols(); ++c) std::printf(" %9.4f", x(r, c));
    std::printf("\n");
  }
}

}  // namespace

int main() {
  const Model model = double_pendulum();
  const int lower = model.link("lower");
  Eigen::VectorXd q(2), v(2), tau(2), held(2);
  q << 0.4, -0.9;
  v << 1.0, 2.0;
  tau << 0.0, 0.3;

  // 2 N along x of the lower link's frame, at its origin; moments first
  Eigen::Matrix<double, 6, Eigen::Dynamic> wrenches(6, 3);
  wrenches.setZero();
  wrenches(3, lower) = 2.0;
  ExternalWrenches fx(model);
  fx.set(model, wrenches);

  // δa = da_dq δq + da_dv δv + da_dtau δτ
  AbaDerivativeWorkspace<double> forward(model);
  AbaDerivativeMatrices by(model);
  if (!aba_derivatives(model, forward, q, v, tau, fx, by).ok()) return 1;
  print("a", by.a.transpose());
  print("da_dq", by.da_dq);
  print("da_dv", by.da_dv);
  print("da_dtau", by.da_dtau);

  // at rest, the joints hold the weight less Jᵀ times the push
  Workspace<double> workspace(model);
  RowMajorMatrix J(6, model.nv);
  Eigen::VectorXd weight(2), still = Eigen::VectorXd::Zero(2);
  bias_forces(model, workspace, q, still, fx, held);
  gravity_torques(model, workspace, q, weight);
  forward_kinematics(model, workspace, q);
  link_jacobian(model, workspace, lower, Axes::link, J);
  print("held", held.transpose());
  return (held - (weight - J.transpose() * wrenches.col(lower))).norm() < 1e-12 ? 0 : 1;
}
