// A robot in consistent motion, computed in the world's axes from Newton's and Euler's laws for each link on its own: what
// every sensor must read, independent of the library's spatial algebra. Only poses, velocities and accelerations of bodies
// come from the library's kinematics.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <string>
#include <vector>

#include "dense.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn::test {

using Eigen::Matrix3d;
using Eigen::Vector3d;

inline Vector3d eigen(const Vec3<double>& v) { return {v[0], v[1], v[2]}; }
inline Matrix3d eigen(const Mat3<double>& R) {
  Matrix3d M;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) M(r, c) = R(r, c);
  return M;
}

/// A frame that moves: place, axes, angular velocity and acceleration, velocity and true classical acceleration of its
/// origin, all in the world's axes.
struct MovingFrame {
  Matrix3d R;
  Vector3d p, w, dw, v, a;
  MovingFrame at(const Pose<double>& frame) const {
    const Vector3d r = R * eigen(frame.d);
    return {R * eigen(frame.R), p + r, w, dw, v + w.cross(r), a + dw.cross(r) + w.cross(w.cross(r))};
  }
};

class Truth {
 public:
  Truth(const Model& model, std::mt19937& rng, bool moving) : model_(model), gravity_(eigen(model.gravity)), ws_(model) {
    state = random_state(model, rng);
    if (!moving) std::fill(state.v.begin(), state.v.end(), 0.0);
    ddq.resize(model.nv);
    for (double& x : ddq) x = std::normal_distribution<double>()(rng);
    tau.resize(model.nv);
    for (std::size_t l = 0; l < model.links.size(); ++l) wrenches.push_back({random_vector(rng), random_vector(rng)});
    std::vector<Force<double>> bodies(model.bodies.size());
    for (std::size_t l = 0; l < model.links.size(); ++l)
      if (const Link& link = model.links[l]; link.body >= 0)
        bodies[link.body] = bodies[link.body] + to_parent(link.pose, wrenches[l]);
    rnea(model, ws_, state.q.data(), state.v.data(), ddq.data(), bodies.data(), tau.data());
    forward_kinematics(model, ws_, state.q.data(), state.v.data(), ddq.data());
  }

  MovingFrame link(int l) const {
    const Link& link = model_.links[l];
    if (link.body < 0)
      return {eigen(link.pose.R), eigen(link.pose.d), Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero()};
    return body(link.body).at(link.pose);
  }
  MovingFrame body(int b) const {
    const Pose<double>& X = ws_.world_pose[b];
    const Matrix3d R = eigen(X.R);
    const Vector3d w = R * eigen(ws_.velocity[b].w), v = R * eigen(ws_.velocity[b].v);
    return {R, eigen(X.d), w, R * eigen(ws_.acceleration[b].w), v, R * eigen(ws_.acceleration[b].v) + w.cross(v) + gravity_};
  }

  /// Σ over links of what their motion takes beyond their weight, as moment about p, then force.
  Eigen::Matrix<double, 6, 1> inertial(const std::vector<int>& links, const Vector3d& p) const {
    Vector3d n = Vector3d::Zero(), f = n;
    for (int l : links) {
      const Inertia<double>& I = model_.links[l].inertia;
      if (I.m == 0.0) continue;
      const MovingFrame com = link(l).at({identity3<double>(), (1.0 / I.m) * I.h});
      const Inertia<double> central = shifted(I, (-1.0 / I.m) * I.h);
      const Matrix3d J = com.R * eigen(sparsedyn::dense(trace_minus(central.moments))) * com.R.transpose();
      const Vector3d force = I.m * (com.a - gravity_);
      n += J * com.dw + com.w.cross(J * com.w) + (com.p - p).cross(force);
      f += force;
    }
    Eigen::Matrix<double, 6, 1> sum;
    sum << n, f;
    return sum;
  }
  /// Σ over links of the wrenches of the world, likewise.
  Eigen::Matrix<double, 6, 1> external(const std::vector<int>& links, const Vector3d& p) const {
    Vector3d n = Vector3d::Zero(), f = n;
    for (int l : links) {
      const MovingFrame at = link(l);
      const Vector3d force = at.R * eigen(wrenches[l].f);
      n += at.R * eigen(wrenches[l].n) + (at.p - p).cross(force);
      f += force;
    }
    Eigen::Matrix<double, 6, 1> sum;
    sum << n, f;
    return sum;
  }

  /// The link and all links that hang on it, through whatever joints.
  std::vector<int> behind(int link) const {
    std::vector<int> out;
    std::vector<char> inside(model_.links.size(), 0);
    for (int l = 0; l < static_cast<int>(model_.links.size()); ++l) {
      inside[l] = l == link || (model_.links[l].parent >= 0 && inside[model_.links[l].parent]);
      if (inside[l]) out.push_back(l);
    }
    return out;
  }
  std::vector<int> moving_links() const {
    std::vector<int> out;
    for (int l = 0; l < static_cast<int>(model_.links.size()); ++l)
      if (model_.links[l].body >= 0) out.push_back(l);
    return out;
  }

  /// Wrench (n, f) through the joint above a link, parent on child, about and in the axes of `frame`, whose place in the link's
  /// frame is given.
  Eigen::Matrix<double, 6, 1> through_joint(int child, const Pose<double>& frame) const {
    const MovingFrame s = link(child).at(frame);
    const auto links = behind(child);
    return in_axes(s.R, inertial(links, s.p) - external(links, s.p));
  }
  static Eigen::Matrix<double, 6, 1> in_axes(const Matrix3d& R, const Eigen::Matrix<double, 6, 1>& x) {
    Eigen::Matrix<double, 6, 1> y;
    y << R.transpose() * x.head<3>(), R.transpose() * x.tail<3>();
    return y;
  }

  const Model& model_;
  Vector3d gravity_;
  State state;
  std::vector<double> ddq, tau;
  std::vector<Force<double>> wrenches;  // on links, in their frames

 private:
  Workspace<double> ws_;
};

}  // namespace sparsedyn::test
