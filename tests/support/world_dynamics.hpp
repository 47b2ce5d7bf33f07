// A robot's dynamics to 34 digits by another way: Newton and Euler's equations of each body about its centre of mass, written
// in the world's axes from the numbers that a file would give (xyz, rpy, axis, mass, inertia tensor). No frame is turned to a
// joint's axis, but for the x and y of planar joints, which are defined so.
#pragma once

#include <vector>

#include "support/awkward_robots.hpp"
#include "support/quad.hpp"

namespace sparsedyn::test {

/// Row by row.
struct QuadMatrix {
  int rows = 0, columns = 0;
  std::vector<Quad> e;
  QuadMatrix(int r, int c) : rows(r), columns(c), e(static_cast<std::size_t>(r) * static_cast<std::size_t>(c)) {}
  Quad& operator()(int i, int k) { return e[static_cast<std::size_t>(i * columns + k)]; }
  const Quad& operator()(int i, int k) const { return e[static_cast<std::size_t>(i * columns + k)]; }
};

/// A⁻¹ by Gauss–Jordan with row exchanges. Entries are not finite if a pivot is zero.
QuadMatrix inverse(const QuadMatrix& A);
std::vector<Quad> product(const QuadMatrix& A, const std::vector<Quad>& x);

/// Where a link is, in the world: pose, angular velocity and acceleration, velocity and acceleration of its origin.
struct WorldMotion {
  Pose<Quad> pose;
  Vec3<Quad> w, v, al, a;
};

/// Sums of the sizes of the terms in a link's motion, and of its distances from joint to joint.
struct MotionSizes {
  double distance = 0, w = 0, v = 0, al = 0, a = 0;
};

/// What moves, summed: of all links that are not fixed to the world.
struct WorldTotals {
  Quad mass, kinetic, potential;  // the latter zero with all mass at the world's origin
  Vec3<Quad> com;
  Force<Quad> momentum, rate;  // about the centre of mass
};

class WorldDynamics {
 public:
  explicit WorldDynamics(const AwkwardRobot& robot);

  /// Sets the poses, and with them the motion. `shift`: nv, a tangent along one freedom at most that moves q on the right;
  /// empty: none.
  void pose(const std::vector<Quad>& q, const std::vector<Quad>& shift = {});
  void move(const std::vector<Quad>& v, const std::vector<Quad>& a);
  /// Torques for the motion set; wrenches of the world on each link in its frame, or none; without gravity if so asked.
  /// `sizes`: for each torque the sum of the sizes of all terms that make it, to which rounding is in proportion.
  std::vector<Quad> torques(const std::vector<Force<double>>& wrenches, bool gravity = true,
                            std::vector<double>* sizes = nullptr) const;
  /// Of link i, as set.
  const WorldMotion& motion(int link) const { return motions_[carrier_[static_cast<std::size_t>(link)]]; }
  const MotionSizes& sizes(int link) const { return sizes_[carrier_[static_cast<std::size_t>(link)]]; }
  WorldTotals totals() const;

  /// In the poses set. The motion set is overwritten. `sizes`: as for torques, row by row.
  QuadMatrix mass_matrix(std::vector<double>* sizes = nullptr);
  /// ∂τ/∂q on the tangent space and ∂τ/∂v of torques(), by differences of fourth order. Poses and motion are overwritten.
  QuadMatrix torques_by_q(const AwkwardState& state);
  QuadMatrix torques_by_v(const AwkwardState& state);

 private:
  /// A joint of at most one axis or plane, and the link (or the massless frame) that it carries.
  struct Stage {
    int parent, link;  // stage; link or -1
    JointKind kind;
    Pose<Quad> placement;
    Mat3<Quad> frame;  // third column: the axis; first two: x and y of a planar joint
    Quad pitch;
    int q, v;
  };
  void add(int parent, int link, JointKind kind, const Pose<Quad>& placement, const Vec3<double>& axis, double pitch);
  Pose<Quad> joint_pose(const Stage& stage, const Quad* q, const Quad* shift) const;
  Motion<Quad> along(const Stage& stage, const Mat3<Quad>& R, const Quad* x) const;
  QuadMatrix differences(const AwkwardState& state, bool by_q);

  const AwkwardRobot& robot_;
  std::vector<Stage> stages_;
  std::vector<WorldMotion> motions_;  // of stages
  std::vector<MotionSizes> sizes_;
  std::vector<double> steps_;  // of stages: distance from the parent's origin
  std::vector<int> carrier_;   // of links: their stage
  int nq_ = 0, nv_ = 0;
};

/// The rotation about a unit axis by an angle (Rodrigues), of rpy, of a quaternion of any length, and the shortest one from
/// e_z.
Mat3<Quad> quad_rotation(const Vec3<Quad>& axis, const Quad& angle);
Mat3<Quad> quad_rotation_from_rpy(const Vec3<double>& rpy);
Mat3<Quad> quad_rotation_from_quaternion(const Quad* u);
Mat3<Quad> quad_shortest_rotation(const Vec3<double>& axis);

std::vector<Quad> quads(const std::vector<double>& x);

}  // namespace sparsedyn::test
