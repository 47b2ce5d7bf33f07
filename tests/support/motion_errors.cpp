#include "support/motion_errors.hpp"

#include <array>
#include <cmath>

#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "support/rounding_sizes.hpp"

namespace sparsedyn::test {
namespace {

using rounding::Collector;

double length(const Vec3<double>& a) { return std::hypot(a[0], a[1], a[2]); }

class MotionComparison {
 public:
  MotionComparison(const AwkwardRobot& robot, WorldDynamics& world, std::vector<AwkwardError>& found)
      : robot_(robot), model_(robot.model), nv_(model_.nv), world_(world), work_(model_), found_(found) {}

  void set(const AwkwardState& state) { forward_kinematics(model_, work_, state.q.data(), state.v.data(), state.a.data()); }

  void links() {
    const int links = static_cast<int>(model_.links.size());
    Collector pose, orientation, velocity, acceleration;
    for (int l = 0; l < links; ++l) {
      const WorldMotion& m = world_.motion(l);
      const MotionSizes& s = world_.sizes(l);
      const Pose<double> at = link_pose(model_, work_, l);
      const std::array<double, 4> u = quaternion_from_rotation(at.R);
      const Quad wide[4] = {u[0], u[1], u[2], u[3]};
      const Mat3<Quad> R = quad_rotation_from_quaternion(wide);
      for (int i = 0; i < 3; ++i) {
        pose.add(at.d[i], m.pose.d[i], s.distance);
        for (int k = 0; k < 3; ++k) {
          pose.add(at.R(i, k), m.pose.R(i, k), 1);
          orientation.add(static_cast<double>(R(i, k)), m.pose.R(i, k), 1);
        }
      }
      velocity.add(link_velocity(model_, work_, l), {own(m, m.w), own(m, m.v)}, s.w, s.v);
      const Vec3<Quad> a = m.a - cross(m.w, m.v) - cast<Quad>(robot_.gravity);
      acceleration.add(link_acceleration(model_, work_, l), {own(m, m.al), own(m, a)}, s.al,
                       s.a + s.w * s.v + length(robot_.gravity));
    }
    take("kinematics: pose", pose);
    take("kinematics: quaternion", orientation);
    take("kinematics: velocity", velocity);
    take("kinematics: acceleration", acceleration);
  }

  void jacobian() {
    const int link = static_cast<int>(model_.links.size()) - 1;
    std::vector<double> J(static_cast<std::size_t>(6 * nv_));
    link_jacobian(model_, work_, link, Axes::link, J.data());
    Collector columns;
    const std::vector<Quad> still(static_cast<std::size_t>(nv_));
    for (int k = 0; k < nv_; ++k) {
      std::vector<Quad> one = still;
      one[k] = 1;
      world_.move(one, still);
      const WorldMotion& m = world_.motion(link);
      const MotionSizes& s = world_.sizes(link);
      const Vec3<Quad> w = own(m, m.w), u = own(m, m.v);
      for (int r = 0; r < 3; ++r) columns.add(J[r * nv_ + k], w[r], s.w), columns.add(J[(3 + r) * nv_ + k], u[r], s.v);
    }
    take("jacobian", columns);
  }

  void totals() {
    const WorldTotals t = world_.totals();
    double kinetic = 0, potential = 0, mass = 0, reach = 0, linear = 0, pull = 0, angular = 0, turning = 0;
    struct Part {
      double reach, linear, pull;
    };
    std::vector<Part> parts;
    const double g = length(robot_.gravity);
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      if (model_.links[i].body < 0) continue;
      const AwkwardLink& link = robot_.links[i];
      const MotionSizes& s = world_.sizes(static_cast<int>(i));
      const double c = length(link.com), r = s.distance + c, tensor = link.tensor.xx + link.tensor.yy + link.tensor.zz;
      const double speed = s.v + s.w * c, change = s.a + (s.al + s.w * s.w) * c + g;
      kinetic += 0.5 * (link.mass * speed * speed + tensor * s.w * s.w);
      potential += link.mass * g * r;
      mass += link.mass, reach += link.mass * r;
      parts.push_back({r, link.mass * speed, link.mass * change});
      angular += tensor * s.w, turning += tensor * (s.al + s.w * s.w);
    }
    if (mass == 0) return;
    reach /= mass;
    for (const Part& part : parts) {
      linear += part.linear, pull += part.pull;
      angular += (part.reach + reach) * part.linear, turning += (part.reach + reach) * part.pull;
    }
    const auto number = [&](const char* algorithm, double x, const Quad& r, double s) {
      Collector c;
      c.add(x, r, s);
      take(algorithm, c);
    };
    number("kinetic_energy", kinetic_energy(model_, work_), t.kinetic, kinetic);
    number("potential_energy", potential_energy(model_, work_), t.potential, potential);
    Collector com, momenta, rates;
    const Vec3<double> c = centre_of_mass(model_, work_);
    for (int k = 0; k < 3; ++k) com.add(c[k], t.com[k], reach);
    momenta.add(momentum(model_, work_), t.momentum, angular, linear);
    rates.add(momentum_rate(model_, work_), t.rate, turning, pull);
    take("centre_of_mass", com);
    take("momentum", momenta);
    take("momentum_rate", rates);
  }

 private:
  static Vec3<Quad> own(const WorldMotion& m, const Vec3<Quad>& a) { return transposed_times(m.pose.R, a); }
  void take(const std::string& algorithm, const Collector& c) { found_.push_back(c.error_of(algorithm)); }

  const AwkwardRobot& robot_;
  const Model& model_;
  const int nv_;
  WorldDynamics& world_;
  Workspace<double> work_;
  std::vector<AwkwardError>& found_;
};

}  // namespace

void motion_errors(const AwkwardRobot& robot, const AwkwardState& state, WorldDynamics& world,
                   std::vector<AwkwardError>& found) {
  MotionComparison comparison(robot, world, found);
  comparison.set(state);
  comparison.links();
  comparison.totals();
  comparison.jacobian();
}

}  // namespace sparsedyn::test
