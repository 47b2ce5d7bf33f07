// What readings do not tell keeps its prior, and is called by name: forces of closed loops beside the null space of a Jacobian
// by differences and a dense problem, offsets, accelerations and forces of feet beside what physics says of them.
#include <Eigen/Dense>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <random>

#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/tracking/tracked_log.hpp"
#include "sparsedyn/tracking/visibility.hpp"
#include "support/four_bar.hpp"
#include "support/heap.hpp"
#include "support/legged_robot.hpp"
#include "support/parallelogram.hpp"
#include "support/tracker_columns.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Strings = std::vector<std::string>;

namespace {

constexpr double loop_prior = 1e5, torque_noise = 0.1, encoder_noise = 1e-5, acceleration_prior = 300;

Sensor of_joints(const std::string& type, double noise) {
  Sensor s;
  s.name = type, s.type = type, s.sigma = {noise}, s.all = true;
  return s;
}

SensorSet linkage_sensors(const ConstraintSet& loops, bool torques) {
  SensorSet set;
  set.sensors = {of_joints("joint_position", encoder_noise)};
  if (torques) set.sensors.push_back(of_joints("joint_torque", torque_noise));
  set.sensors.push_back(of_joints("external_wrench", 0));
  set.sensors.back().value = {0.0};
  set.prior["ddq"] = acceleration_prior;
  set.constraints = loops;
  return set;
}

ConstraintSet only(std::vector<Constraint> constraints) {
  ConstraintSet set;
  set.constraints = std::move(constraints);
  return set;
}

/// How far the ends of connects are apart, by constraint.
VectorXd ends_apart(const Model& model, const ConstraintSet& set, const std::vector<double>& q) {
  Workspace<double> ws(model);
  forward_kinematics<double>(model, ws, q.data(), nullptr, nullptr);
  VectorXd found(3 * static_cast<Eigen::Index>(set.constraints.size()));
  Eigen::Index row = 0;
  for (const Constraint& c : set.constraints) {
    const Vec3<double> ends[2] = {(link_pose(model, ws, model.find_link(c.links[0])) * c.frames[0]).d,
                                  (link_pose(model, ws, model.find_link(c.links[1])) * c.frames[1]).d};
    for (int k = 0; k < 3; ++k) found[row++] = ends[0][k] - ends[1][k];
  }
  return found;
}

MatrixXd loop_jacobian(const Model& model, const ConstraintSet& set, const std::vector<double>& q) {
  constexpr double h = 1e-4;
  MatrixXd J(3 * static_cast<Eigen::Index>(set.constraints.size()), model.nv);
  for (int v = 0; v < model.nv; ++v) {
    const auto at = [&](double s) {
      std::vector<double> step(static_cast<std::size_t>(model.nv), 0.0), moved(q);
      step[static_cast<std::size_t>(v)] = s;
      integrate(model, q.data(), step.data(), moved.data());
      return ends_apart(model, set, moved);
    };
    J.col(v) = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
  }
  return J;
}

/// How much of the square of each force lies where J^T takes it to nothing.
VectorXd unfelt_shares(const MatrixXd& J) {
  const Eigen::JacobiSVD<MatrixXd> svd(J, Eigen::ComputeFullU);
  VectorXd shares = VectorXd::Zero(J.rows());
  for (Eigen::Index d = 0; d < J.rows(); ++d)
    if (d >= svd.singularValues().size() || svd.singularValues()[d] < 1e-8) shares += svd.matrixU().col(d).cwiseAbs2();
  return shares;
}

Strings names_where(const ConstraintSet& set, const VectorXd& shares, double above) {
  Strings names;
  Eigen::Index row = 0;
  for (const Constraint& c : set.constraints)
    for (const char* axis : {"x", "y", "z"})
      if (shares[row++] > above) names.push_back("lambda." + c.name + "." + axis);
  return names;
}

std::vector<double> closed(const Model& model, const ConstraintSet& set, std::vector<double> q) {
  std::vector<double> rest(static_cast<std::size_t>(model.nv), 0.0);
  const ProjectionStatus status = LoopProjection(model, set).project(q.data(), rest.data());
  INFO(model.name << ": " << static_cast<int>(status.state));
  REQUIRE(status.ok());
  return q;
}

TrackerOptions whole(const Strings& outputs) {
  TrackerOptions wanted;
  wanted.outputs = outputs, wanted.deviations = true, wanted.rows = TrackRows::whole_body;
  return wanted;
}

/// A robot that rests at q without torques: `steps` samples; the last outputs.
std::vector<double> rested(Tracker& tracker, const std::vector<double>& q, double dt, int steps) {
  std::vector<double> y(tracker.inputs().size(), 0.0), out(tracker.columns().size());
  std::copy(q.begin(), q.end(), y.begin());
  for (int k = 0; k < steps; ++k) REQUIRE(tracker.step(y.data(), dt, out.data()).ok);
  return out;
}

double number_of(const Tracker& tracker, const std::vector<double>& out, const std::string& name) {
  return out[column_of(tracker, name)];
}

struct Linkage {
  Model model;
  ConstraintSet set;
  std::vector<double> q;
};

std::vector<Linkage> linkages() {
  using namespace linkage;
  std::vector<Linkage> found;
  found.push_back({four_bar(), only({four_bar_loop()}), {1.6, -1.2, 2}});
  found.push_back({parallelogram(true),
                   only({pin("rod", linkage::coupler, "rocker"), pin("middle", linkage::coupler / 2, "middle")}),
                   {0.7, -0.7, 0.7, 0.7}});
  for (Linkage& l : found) l.q = closed(l.model, l.set, l.q);
  return found;
}

Strings forces_among(const Strings& names) {
  Strings found;
  for (const std::string& name : names)
    if (name.rfind("lambda.", 0) == 0) found.push_back(name);
  return found;
}

}  // namespace

TEST_CASE("forces of loops that no torque feels are called by name, and keep the prior's share that the null space says") {
  for (const Linkage& l : linkages()) {
    const VectorXd shares = unfelt_shares(loop_jacobian(l.model, l.set, l.q));
    const Strings expected = names_where(l.set, shares, 1e-6);
    INFO(l.model.name);
    REQUIRE(!expected.empty());
    Tracker tracker(std::make_shared<const System>(l.model, linkage_sensors(l.set, true)), whole({"q", "lambda"}));
    CHECK(forces_among(tracker.unobservable()) == expected);
    const std::vector<double> out = rested(tracker, l.q, 0.002, 50);
    CHECK(forces_among(tracker.at_prior()) == expected);
    for (Eigen::Index i = 0; i < shares.size(); ++i) {
      const std::string name = names_where(l.set, VectorXd::Unit(shares.size(), i), 0.5).front();
      INFO(name);
      const double deviation = number_of(tracker, out, "sd." + name);
      const double of_prior = deviation / (loop_prior * std::sqrt(shares[i]));
      if (shares[i] > 1e-6) {
        CAPTURE(of_prior);
        CHECK(of_prior < 1.001);
        CHECK(of_prior > (l.set.constraints.size() == 1 ? 0.999 : 0.8));  // cranks are parallel to what encoders tell
      } else
        CHECK(deviation < 1e-3 * loop_prior);
    }
  }
}

TEST_CASE("deviations of a loop's forces are those of a dense problem in accelerations and forces") {
  const Linkage l = linkages().front();
  const MatrixXd J = loop_jacobian(l.model, l.set, l.q);
  const Eigen::Index nv = l.model.nv, forces = J.rows();
  Workspace<double> ws(l.model);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> M(nv, nv);
  crba(l.model, ws, l.q.data(), M.data());
  MatrixXd information = MatrixXd::Zero(nv + forces, nv + forces), torques(nv, nv + forces), loops(forces, nv + forces);
  torques << M, -J.transpose();
  loops << J, MatrixXd::Zero(forces, forces);
  information.diagonal().head(nv).setConstant(1 / (acceleration_prior * acceleration_prior));
  information.diagonal().tail(forces).setConstant(1 / (loop_prior * loop_prior));
  information += torques.transpose() * torques / (torque_noise * torque_noise) + 1e10 * loops.transpose() * loops;
  const MatrixXd covariance = information.inverse();
  Tracker tracker(std::make_shared<const System>(l.model, linkage_sensors(l.set, true)), whole({"q", "lambda"}));
  const std::vector<double> out = rested(tracker, l.q, 0.02, 2);  // the second sample: velocities are hardly known
  for (Eigen::Index i = 0; i < forces; ++i) {
    const std::string name = names_where(l.set, VectorXd::Unit(forces, i), 0.5).front();
    CAPTURE(name);
    CHECK(number_of(tracker, out, "sd." + name) == Approx(std::sqrt(covariance(nv + i, nv + i))).epsilon(0.02));
  }
}

TEST_CASE("without torques all forces of a loop are at their prior, and at a high rate accelerations too") {
  const Linkage l = linkages().front();
  SensorSet set = linkage_sensors(l.set, false);
  Tracker tracker(std::make_shared<const System>(l.model, set), whole({"q", "lambda"}));
  const Strings all{"lambda.rod.x", "lambda.rod.y", "lambda.rod.z"};
  CHECK(forces_among(tracker.unobservable()) == all);
  rested(tracker, l.q, 0.01, 20);
  CHECK(tracker.at_prior() == all);
  tracker.start();
  CHECK(tracker.at_prior().empty());
  set.sensors[0].sigma = {1e-3}, set.constraints.constraints.clear();
  Tracker fast(std::make_shared<const System>(l.model, set), whole({"q", "ddq"}));
  const std::vector<double> out = rested(fast, l.q, 1e-4, 20);
  CHECK(fast.at_prior() == Strings{"ddq.a", "ddq.b", "ddq.c"});
  CHECK(number_of(fast, out, "sd.ddq.a") > 0.99 * acceleration_prior);
}

TEST_CASE("a whole log tells what it left at its prior, without accelerations, of which later samples tell") {
  const Linkage l = linkages().front();
  const Tracker tracker(std::make_shared<const System>(l.model, linkage_sensors(l.set, false)), whole({"q", "lambda"}));
  std::vector<double> y, dt(30, 0.01), out(tracker.columns().size() * dt.size());
  for (std::size_t k = 0; k < dt.size(); ++k) y.insert(y.end(), l.q.begin(), l.q.end());
  Strings names;
  smooth(tracker, y, dt, 2, out.data(), &names);
  CHECK(names == Strings{"lambda.rod.x", "lambda.rod.y", "lambda.rod.z"});
  SensorSet open = linkage_sensors(ConstraintSet{}, false);
  open.sensors[0].sigma = {1e-3};
  for (const bool batch : {false, true}) {
    Tracker fast(std::make_shared<const System>(l.model, open), whole({"q", "ddq"}));
    TrackedLogOptions options;
    options.batch = batch;
    TrackedLog log(fast, options, [](const double*, const char*) {});
    for (int k = 0; k < 30; ++k) log.add(l.q.data(), 1e-4 * k);
    log.finish();
    CHECK(log.figures().at_prior.size() == (batch ? 0u : 3u));
  }
}

namespace {

Strings left_after(Tracker& tracker, const std::vector<std::vector<double>>& rows, double dt) {
  std::vector<double> out(tracker.columns().size());
  for (const std::vector<double>& y : rows) REQUIRE(tracker.step(y.data(), dt, out.data()).ok);
  return tracker.at_prior();
}

/// Rows of a walk for a tracker of such sensors; without feet those of a flight that does the same.
std::vector<std::vector<double>> rows_of_walk(const Tracker& tracker, std::size_t samples) {
  const WalkLog log = walk(static_cast<int>(samples), 250, 4);
  const Efforts efforts = efforts_of(walking_quadruped(), log);
  std::mt19937 rng(1);
  std::vector<std::vector<double>> rows;
  for (std::size_t k = 0; k < samples; ++k) rows.push_back(row_of(tracker, log, efforts, k, rng));
  return rows;
}

}  // namespace

TEST_CASE("an IMU's offsets are at their prior as long as nothing stands or is seen, and tells of them when a foot does") {
  SensorSet set = walking_sensors(), flying = set;
  flying.sensors.erase(
      std::remove_if(flying.sensors.begin(), flying.sensors.end(), [](const Sensor& s) { return s.type == "contact"; }),
      flying.sensors.end());
  Strings offsets;
  for (const char* triad : {"gyroscope", "accelerometer"})
    for (const char* axis : {"x", "y", "z"}) offsets.push_back(std::string("bias.") + triad + "." + axis);
  std::sort(offsets.begin(), offsets.end());
  for (const TrackRows rows : {TrackRows::kinematic, TrackRows::whole_body}) {
    TrackerOptions options;
    options.rows = rows;
    Tracker alone(std::make_shared<const System>(walking_quadruped(), flying), options),
        standing(std::make_shared<const System>(walking_quadruped(), set), options);
    Strings kept;
    for (const std::string& name : left_after(alone, rows_of_walk(alone, 100), 0.004))
      if (name.rfind("bias.", 0) == 0) kept.push_back(name);
    std::sort(kept.begin(), kept.end());
    CHECK(kept == offsets);
    kept.clear();
    for (const std::string& name : left_after(standing, rows_of_walk(standing, 400), 0.004))
      if (name.rfind("bias.", 0) == 0) kept.push_back(name);
    CHECK(kept.empty());
  }
}

TEST_CASE("the force on a foot whose leg has no torque sensors is at its prior, and those in the air are known to be none") {
  SensorSet set = legged_sensors();
  Sensor& torques = *std::find_if(set.sensors.begin(), set.sensors.end(), [](const Sensor& s) { return s.name == "torques"; });
  for (const char* joint : {"roll2", "hip2", "knee2"}) torques.except.push_back({joint});
  set.model_wrench = {1e6, 1e8, true};  // nor does what the base needs tell of it
  TrackerOptions options;
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), set), options);
  std::vector<std::vector<double>> rows;
  const WalkLog log = walk(300, 250, 4);
  const Efforts efforts = efforts_of(walking_quadruped(), log);
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    std::vector<double> row;
    const Strings names = walk_columns(), velocities = velocity_names(walking_quadruped());
    for (const TrackerInput& input : tracker.inputs()) {
      const std::string& column = input.columns.front();
      const auto at = std::find(names.begin(), names.end(), column);
      const auto joint = std::find(velocities.begin(), velocities.end(), column.substr(column.rfind('.') + 1));
      row.push_back(at != names.end() ? log.readings[k][static_cast<std::size_t>(at - names.begin())]
                                      : efforts.tau[k][static_cast<std::size_t>(joint - velocities.begin()) - 6]);
    }
    rows.push_back(row);
  }
  const Strings left = left_after(tracker, rows, 0.004);
  CAPTURE(left);
  for (const char* force : {"fx.foot2.fx", "fx.foot2.fy", "fx.foot2.fz"})
    CHECK(std::count(left.begin(), left.end(), force) == 1);
  for (const char* force : {"fx.foot0.fx", "fx.foot1.fz", "fx.foot3.fy"})
    CHECK(std::count(left.begin(), left.end(), force) == 0);
}

namespace {

/// A trunk that floats, with a four-bar linkage on it, seen by a camera.
SensorSet floating_linkage_sensors(const ConstraintSet& loops) {
  SensorSet set = linkage_sensors(loops, true);
  set.sensors[0].sigma = {1e-3};
  Sensor gyroscope, camera;
  gyroscope.name = "turn", gyroscope.type = "gyroscope", gyroscope.targets = {{"ground"}}, gyroscope.sigma = {1e-3};
  gyroscope.over_time.offset = {0.01, 0, true};
  camera.name = "camera", camera.type = "link_pose", camera.targets = {{"ground"}}, camera.sigma = {0.01};
  set.sensors.push_back(gyroscope), set.sensors.push_back(camera);
  return set;
}

Model floating_linkage() {
  JointSpec hinge;
  hinge.kind = JointKind::revolute, hinge.axis = {{0, 1, 0}};
  const Inertia<double> rod = inertia_about_com(1, {{0.2, 0, 0}}, {0.01, 0, 0, 0.02, 0, 0.02});
  const auto at = [](double x) { return Pose<double>{identity3<double>(), {{x, 0, 0}}}; };
  return ModelBuilder("floating four-bar")
      .root("ground", inertia_about_com(5, {{0.1, 0, 0}}, {0.1, 0, 0, 0.1, 0, 0.1}), true)
      .link("crank", rod, "ground", "a", hinge, at(0))
      .link("coupler", rod, "crank", "b", hinge, at(0.3))
      .link("rocker", rod, "ground", "c", hinge, at(0.5))
      .build();
}

}  // namespace

TEST_CASE(
    "of a floating linkage the force across its plane is unseen, in each axis that the plane may lean to, and all else is "
    "seen") {
  const ConstraintSet loops = only({four_bar_loop()});
  const auto system = std::make_shared<const System>(floating_linkage(), floating_linkage_sensors(loops));
  const Strings forces = forces_among(Tracker(system, whole({"q"})).unobservable());
  CHECK(forces == Strings{"lambda.rod.ground.y", "lambda.rod.x", "lambda.rod.y", "lambda.rod.z"});
  const std::vector<SituationOverTime> found = unseen_over_time(system);
  REQUIRE(found.size() == 2);
  for (const SituationOverTime& s : found) {
    INFO(s.name);
    CHECK(std::count(s.unseen.begin(), s.unseen.end(), "lambda.rod.y") == 1);
    for (const std::string& name : s.unseen) CHECK(name.rfind("lambda.", 0) == 0);
  }
}

TEST_CASE("a floating robot whose loops no posture closes is refused before it is rehearsed") {
  Constraint wrong = four_bar_loop();
  wrong.frames[1].d[1] = 1e-3;
  const auto system = std::make_shared<const System>(floating_linkage(), floating_linkage_sensors(only({wrong})));
  CHECK_THROWS_WITH(unseen_over_time(system), Catch::Contains("no posture closes the loops"));
}
