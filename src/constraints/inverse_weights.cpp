#include "inverse_weights.hpp"

#include <stdexcept>

#include "dense/symmetric.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/detail/coordinate_map.hpp"

namespace sparsedyn {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

InverseWeights inverse_weights(const Model& model) {
  const int nv = model.nv;
  InverseWeights weights;
  weights.body.resize(model.bodies.size());
  if (nv == 0) return weights;
  std::vector<double> q(model.nq);
  neutral(model, q.data());
  Workspace<double> ws(model);
  Matrix M(nv, nv);
  crba(model, ws, q.data(), M.data());
  const std::optional<Eigen::MatrixXd> found = dense_algebra::inverse_of_positive(M);
  if (!found) throw std::invalid_argument("the robot's mass matrix at the zero posture is singular: some joint moves no mass");
  const Matrix inverse = *found;
  for (int k = 0; k < model.tree().nv; ++k) {  // those of followers by their multipliers
    const CoordinateMap::Entry at = entry_of(model, k);
    weights.freedom.push_back(at.multiplier * at.multiplier * inverse(at.index, at.index));
  }
  forward_kinematics<double>(model, ws, q.data(), nullptr, nullptr);
  Matrix J(6, nv);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const int link = model.leading_link(static_cast<int>(b));
    if (link < 0 || model.links[link].body != static_cast<int>(b)) continue;  // inside a joint of several axes
    link_jacobian(model, ws, link, Axes::link, J.data());
    const Pose<double>& in_body = model.links[link].pose;
    const Inertia<double>& I = model.bodies[b].inertia;
    const Vec3<double> com = I.m == 0 ? in_body.d : (1 / I.m) * I.h;
    const Vec3<double> c = transposed_times(in_body.R, com - in_body.d);  // from the link's origin, in its axes
    Eigen::Matrix3d across;
    across << 0, -c[2], c[1], c[2], 0, -c[0], -c[1], c[0], 0;
    const Matrix angular = J.topRows<3>(), linear = J.bottomRows<3>() - across * J.topRows<3>();
    weights.body[b].linear = (linear * inverse * linear.transpose()).trace() / 3;
    weights.body[b].angular = (angular * inverse * angular.transpose()).trace() / 3;
  }
  return weights;
}

}  // namespace sparsedyn
