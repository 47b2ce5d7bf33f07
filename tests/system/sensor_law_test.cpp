// One law for every type of sensor: at a state that obeys the laws of motion, with readings made from these laws link by link
// in the world, no row of the system has a residual. Frames are offset and turned, so that a force transform in place of a
// motion transform cannot hide.
#include <catch2/catch.hpp>
#include <functional>

#include "sparsedyn/spatial/detail/component.hpp"
#include "system/sensors/link_motion.hpp"
#include "truth.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;

/// What the sensor reads, all components in the type's order.
Eigen::VectorXd reading(const Truth& t, const Sensor& s, const Measurement& m) {
  const Model& model = t.model_;
  switch (m.kind) {
    case SensorKind::joint_torque:
      return Eigen::Map<const Eigen::VectorXd>(t.tau.data(), model.nv)
          .segment(model.joints[m.joint].v, model.joints[m.joint].nv);
    case SensorKind::joint_acceleration:
      return Eigen::Map<const Eigen::VectorXd>(t.ddq.data(), model.nv)
          .segment(model.joints[m.joint].v, model.joints[m.joint].nv);
    case SensorKind::force_torque: return (s.child_to_parent ? -1.0 : 1.0) * t.through_joint(m.link, s.frame);
    case SensorKind::torque_combination: {
      double sum = 0;
      for (const auto& [joint, coefficient] : s.coefficients)
        sum += coefficient * t.tau[model.joints[model.find_joint(joint.name)].v];
      return Eigen::VectorXd::Constant(1, sum);
    }
    case SensorKind::com_acceleration:
    case SensorKind::momentum_rate: {
      double mass = 0;
      Vector3d com = Vector3d::Zero();
      for (int l : t.moving_links()) {
        mass += model.links[l].inertia.m;
        com += model.links[l].inertia.m * t.link(l).p + t.link(l).R * eigen(model.links[l].inertia.h);
      }
      Vector6 rate = t.inertial(t.moving_links(), com / mass);
      rate.tail<3>() += mass * t.gravity_;
      if (m.kind == SensorKind::momentum_rate) return rate;
      return rate.tail<3>() / mass;
    }
    default: break;
  }
  const MovingFrame frame = t.link(m.link).at(s.frame);
  const Vector3d proper = frame.R.transpose() * (frame.a - t.gravity_), dw = frame.R.transpose() * frame.dw;
  const Vector6 wrench = Truth::in_axes(frame.R, t.external({m.link}, frame.p));
  switch (m.kind) {
    case SensorKind::external_wrench: return wrench;
    case SensorKind::normal_force:
      return Eigen::VectorXd::Constant(1, eigen(s.normal).normalized().dot(frame.R * wrench.tail<3>()));
    case SensorKind::load_cell: return Vector3d(wrench[5], wrench[0], wrench[1]);
    case SensorKind::centre_of_pressure: return Eigen::Vector2d(-wrench[1] / wrench[5], wrench[0] / wrench[5]);
    case SensorKind::accelerometer: return proper;
    case SensorKind::angular_accelerometer: return dw;
    case SensorKind::link_acceleration: {
      Vector6 a;
      a << dw, proper - (frame.R.transpose() * frame.w).cross(frame.R.transpose() * frame.v);
      return a;
    }
    default: FAIL("a sensor type without a law");
  }
  return {};
}

/// Every unknown of the system, from the laws of motion.
Eigen::VectorXd solution(const System& system, const Truth& t) {
  const Model& model = system.model();
  Eigen::VectorXd x(system.unknowns().size());
  for (int k = 0; k < x.size(); ++k) {
    const Variable& var = system.unknowns()[k];
    const int c = var.component;
    switch (var.kind) {
      case VariableKind::tau: x[k] = t.tau[c]; break;
      case VariableKind::ddq: x[k] = t.ddq[c]; break;
      case VariableKind::fx: x[k] = component(t.wrenches[var.owner], c); break;
      case VariableKind::f: x[k] = t.through_joint(model.joints[var.owner].child_link, identity_pose<double>())[c]; break;
      case VariableKind::net: FAIL("no net forces in newton-euler"); break;
      case VariableKind::lambda: FAIL("no constraints in these sets"); break;
      case VariableKind::acc: {
        const MovingFrame f = t.link(var.owner);
        const Vector3d spatial = f.a - t.gravity_ - f.w.cross(f.v);
        x[k] = c < 3 ? (f.R.transpose() * f.dw)[c] : (f.R.transpose() * spatial)[c - 3];
        break;
      }
    }
  }
  return x;
}

void check_law(const Model& model, const SensorSet& set, unsigned seed, bool moving) {
  const System system(model, set);
  std::mt19937 rng(seed);
  const Truth truth(model, rng, moving);
  std::vector<double> y;
  for (const Input& input : system.inputs()) {
    const Measurement& m = system.measurements()[input.measurement];
    y.push_back(reading(truth, set.sensors[m.sensor], m)[m.components[input.component]]);
  }
  const Dense d = dense(system, truth.state, y);
  const Eigen::VectorXd x = solution(system, truth), residual = d.A * x - d.b;
  const Eigen::VectorXd size = d.A.cwiseAbs() * x.cwiseAbs();
  for (int r = 0; r < residual.size(); ++r) {
    INFO(system.equation_names()[r]);
    CHECK(std::abs(residual[r]) <= 1e-10 * std::max(1.0, size[r]));
  }
}

Pose<double> offset() { return {rotation_from_rpy({{0.4, -0.7, 1.9}}), {{0.11, -0.23, 0.31}}}; }

Sensor framed(const std::string& type, const std::vector<std::string>& on, const std::string& name) {
  Sensor s = sensor(type, on, name);
  s.framed = true;
  s.frame = offset();
  return s;
}

/// A tree with welded links, the wrenches of all of which are unknown; `fixed` and `welded` are names on it.
struct Robot {
  Model model;
  std::vector<NameAt> unknown;
  std::vector<std::string> moving_joints, fixed_joints, links;
};

Robot robot(bool floating, unsigned seed) {
  TreeOptions options;
  options.floating = floating;
  Robot r{random_tree(6, seed, options), {}, {}, {}, {}};
  for (const Link& link : r.model.links) {
    if (link.body >= 0) r.unknown.push_back({"fx." + link.name}), r.links.push_back(link.name);
    if (link.parent >= 0) (link.moving_joint >= 0 ? r.moving_joints : r.fixed_joints).push_back(link.joint);
  }
  return r;
}

void check_on_robots(const std::vector<std::function<std::vector<Sensor>(const Robot&)>>& sets) {
  for (bool floating : {false, true})
    for (bool moving : {false, true})
      for (unsigned seed = 1; seed <= 3; ++seed) {
        const Robot r = robot(floating, seed);
        REQUIRE_FALSE(r.fixed_joints.empty());
        for (const auto& sensors : sets) {
          SensorSet set;
          set.unknown = r.unknown;
          set.sensors = sensors(r);
          check_law(r.model, set, seed + 10, moving);
        }
      }
}

using Sensors = std::vector<Sensor>;

}  // namespace

TEST_CASE("law: joint torques, accelerations and combinations of torques") {
  check_on_robots({[](const Robot& r) {
    Sensor tendon = sensor("torque_combination", {}, "tendon");
    tendon.all = false;
    tendon.coefficients = {{{r.moving_joints[0]}, 0.7}, {{r.moving_joints[2]}, -1.3}};
    return Sensors{sensor("joint_torque"), sensor("joint_acceleration"), tendon};
  }});
}

TEST_CASE("law: external wrenches, load cells, centres of pressure in offset frames") {
  check_on_robots({[](const Robot& r) { return Sensors{framed("external_wrench", r.links, "plate")}; },
                   [](const Robot& r) { return Sensors{framed("load_cell", r.links, "cells")}; },
                   [](const Robot& r) { return Sensors{framed("centre_of_pressure", r.links, "pressure")}; }});
}

TEST_CASE("law: forces along a direction of the world") {
  check_on_robots({[](const Robot& r) {
    Sensor up = sensor("normal_force", r.links, "up"), askew = sensor("normal_force", r.links, "askew");
    askew.normal = {{0.3, -2.0, 0.7}};
    return Sensors{up, askew};
  }});
}

TEST_CASE("law: force/torque sensors on moving and fixed joints, both directions") {
  check_on_robots({[](const Robot& r) {
    Sensor back = framed("force_torque", r.fixed_joints, "back");
    back.child_to_parent = true;
    return Sensors{framed("force_torque", r.moving_joints, "moving"), framed("force_torque", r.fixed_joints, "welded"), back};
  }});
}

TEST_CASE("law: accelerometers, angular accelerometers, link accelerations in offset frames") {
  check_on_robots({[](const Robot& r) {
    return Sensors{framed("accelerometer", r.links, "acc"), framed("angular_accelerometer", r.links, "angular"),
                   framed("link_acceleration", r.links, "link"), framed("imu", r.links, "imu")};
  }});
}

TEST_CASE("law: centre of mass and momentum") {
  check_on_robots({[](const Robot&) {
    Sensors sensors{sensor("com_acceleration"), sensor("momentum_rate")};
    for (Sensor& s : sensors) s.all = false;
    return sensors;
  }});
}

TEST_CASE("law: a contact's rows are the accelerometer's, with true acceleration zero") {
  // The rows of contact at a free state read minus its true accelerations; compare with the world's.
  for (bool floating : {false, true})
    for (int dof : {3, 6}) {
      const Robot r = robot(floating, 2);
      SensorSet set;
      set.unknown = r.unknown;
      set.sensors = {framed("contact", {r.links.back()}, "foot")};
      set.sensors[0].dof = dof;
      const System system(r.model, set);
      std::mt19937 rng(3);
      const Truth truth(r.model, rng, true);
      const Dense d = dense(system, truth.state, {});
      const Eigen::VectorXd residual = d.A * solution(system, truth) - d.b;
      const MovingFrame f = truth.link(r.model.find_link(r.links.back())).at(offset());
      REQUIRE(system.inputs().empty());
      const Vector3d linear = residual.tail<3>(), expected = f.R.transpose() * f.a;
      CHECK((linear - expected).norm() < 1e-10);
      if (dof == 6) CHECK((residual.segment<3>(residual.size() - 6) - f.R.transpose() * f.dw).norm() < 1e-10);
      CHECK(residual.head(residual.size() - dof).cwiseAbs().maxCoeff() < 1e-10);
    }
}

TEST_CASE("law: a gyroscope gives no row, and is predicted") {
  const Robot r = robot(true, 2);
  SensorSet set;
  set.sensors = {framed("gyroscope", {r.links.back()}, "gyro")};
  const System system(r.model, set);
  CHECK(system.measurements()[0].rows() == 0);
  CHECK(system.inputs().empty());
  std::mt19937 rng(3);
  const Truth truth(r.model, rng, true);
  SystemWorkspace<double> work(system);
  std::vector<double> values(system.pattern().entries()), rhs(system.pattern().rows);
  system.assemble(truth.state.q.data(), truth.state.v.data(), static_cast<double*>(nullptr), values.data(), rhs.data(), work);
  const MovingFrame f = truth.link(r.model.find_link(r.links.back())).at(offset());
  const Vec3<double> w = sensors::predicted_angular_velocity(system.measurements()[0], work);
  CHECK((eigen(w) - f.R.transpose() * f.w).norm() < 1e-12);
}

TEST_CASE("law: force/torque sensors under what is fixed to the world, with known wrenches on lumped links") {
  const Robot r = robot(false, 2);
  SensorSet set;
  set.sensors = {sensor("external_wrench"), framed("force_torque", {"world"}, "floor")};
  for (const std::string& joint : r.fixed_joints) set.sensors.push_back(framed("force_torque", {joint}, joint));
  for (bool moving : {false, true}) check_law(r.model, set, 5, moving);
}
