#include "body_prior.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dense/orthogonal.hpp"
#include "dense/symmetric.hpp"
#include "pseudo_inertia.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {
namespace {

using Eigen::Vector3d;

constexpr double sloppy = 0.1;                // of the reach: mass that is all nearer to its centre is not believed
constexpr double rounding = 1e-9;             // of lengths beside those that cancel in them
constexpr double rounding_of_square = 1e-12;  // of k² beside |c|², from which it is subtracted

Vector3d of(const Vec3<double>& x) { return {x[0], x[1], x[2]}; }

Vector3d centre(const double* ten) { return Vector3d(ten[1], ten[2], ten[3]) / ten[0]; }

double radius_of_gyration(const double* ten) {
  const double about_frame = 0.5 * (ten[4] + ten[6] + ten[9]) / ten[0], shift = centre(ten).squaredNorm();
  const double square = about_frame - shift;
  return square > rounding_of_square * shift ? std::sqrt(square) : 0;
}

/// From a point to the axis of a screw, both in one frame: the point's speed across the axis at a unit rate. 0 of a slide, and
/// where it is rounding of the terms that cancel.
double distance(const Motion<double>& screw, const Vector3d& point) {
  const Vector3d w = of(screw.w), turned = w.cross(point), v = of(screw.v) + turned;
  if (!(w.norm() > 0)) return 0;
  const double across = (v - w * (w.dot(v) / w.squaredNorm())).norm();
  return across > rounding * (of(screw.v).norm() + w.norm() * point.norm()) ? across / w.norm() : 0;
}

/// To the farthest axis of a joint, in the frame that `placement` is in. A joint that floats has no place.
double farthest_axis(const Body& body, const Pose<double>& placement, const Vector3d& point) {
  double farthest = 0;
  for (int k = 0; body.joint != BodyJoint::floating && k < freedoms(body.joint); ++k)
    farthest = std::max(farthest, distance(to_parent(placement, motion_subspace(body, k)), point));
  return farthest;
}

double reach(const Model& tree, std::size_t j, const double* ten) {
  const Joint& joint = tree.joints[j];
  const int own = joint.first_body + joint.bodies - 1;
  const Pose<double>& link = tree.links[static_cast<std::size_t>(joint.child_link)].pose;
  const Vector3d c = centre(ten);
  const Vector3d point = of(link.R * Vec3<double>{{c[0], c[1], c[2]}} + link.d);
  double farthest = farthest_axis(tree.bodies[static_cast<std::size_t>(own)], identity_pose<double>(), point);
  for (const Body& body : tree.bodies)
    if (body.parent == own) farthest = std::max(farthest, farthest_axis(body, body.placement, point));
  return farthest;
}

}  // namespace

std::vector<double> body_sizes(const Model& model, const std::vector<double>& start) {
  const Model& tree = model.tree();
  std::vector<double> sizes(tree.joints.size(), 0.0);
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    const double* const ten = &start[10 * j];
    if (!(ten[0] > 0)) continue;
    const double k = radius_of_gyration(ten), r = reach(tree, j, ten);
    sizes[j] = k >= sloppy * r ? k : r;
  }
  double largest = 0;
  for (double size : sizes) largest = std::max(largest, size);
  for (double& size : sizes)
    if (size == 0) size = largest > 0 ? largest : 1;
  return sizes;
}

Eigen::Matrix<double, 10, 10> from_point(const Vector3d& c) {
  Eigen::Matrix4d X = Eigen::Matrix4d::Identity();
  X.topRightCorner<3, 1>() = c;
  Eigen::Matrix<double, 10, 10> T;
  for (int k = 0; k < 10; ++k) T.col(k) = ten_of(X * pseudo_inertia_basis()[static_cast<std::size_t>(k)] * X.transpose());
  return T;
}

BodyPrior::BodyPrior(const double* ten, double size, double relative) : point(centre(ten)), to_frame(from_point(point)) {
  const double m = ten[0];
  start = from_point(-point) * Eigen::Map<const Eigen::Matrix<double, 10, 1>>(ten);
  start.segment<3>(1).setZero();  // but for rounding
  deviation << m, Vector3d::Constant(m * size), Eigen::Matrix<double, 6, 1>::Constant(m * size * size);
  deviation *= relative;
}

Eigen::VectorXd BodyPrior::in_frame(const std::vector<int>& free) const {
  const Eigen::Matrix<double, 10, 1> of_all = (to_frame * deviation.asDiagonal()).rowwise().norm();
  if (free.size() == 10) return of_all;
  const Eigen::MatrixXd root = deviation.cwiseInverse().asDiagonal() * from_point(-point);  // rootᵀ root = C⁻¹
  const auto n = static_cast<Eigen::Index>(free.size());
  Eigen::MatrixXd columns(10, n);
  Eigen::VectorXd unit(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const int f = free[static_cast<std::size_t>(k)];
    unit[k] = of_all[f], columns.col(k) = root.col(f) * of_all[f];
  }
  const Eigen::MatrixXd L = dense_algebra::triangle(columns).transpose();
  return unit.cwiseProduct(dense_algebra::solve_lower(L, Eigen::MatrixXd::Identity(n, n)).colwise().norm().transpose().eval());
}

}  // namespace sparsedyn
