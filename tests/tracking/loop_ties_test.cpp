// Loops of a floating robot with the world, and what loops change of the figures of a step.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>

#include "sparsedyn/model/detail/rotations.hpp"
#include "tracking/floating_linkage.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr double tied_at[3] = {0.1, 0.2, 0.1};  // of the root link, at q = 0 that of the world

Constraint tie_of_root(ConstraintType type, double off) {
  Constraint tie;
  tie.name = "tie", tie.hard = true, tie.type = type, tie.links = {"ground", "world"};
  for (int k = 0; k < 3; ++k) tie.frames[0].d[k] = tied_at[k], tie.frames[1].d[k] = tied_at[k] + off;
  return tie;
}

/// The root turns by r(t) about its tie, yaws with 0.4 sin 3t and, where it may, rolls and pitches; the joints swing.
std::vector<double> tied_posture(const Model& model, bool turns, double t) {
  std::vector<double> start(static_cast<std::size_t>(model.nq)), step(static_cast<std::size_t>(model.nv), 0.0), q(start);
  neutral(model, start.data());
  if (turns) step[0] = 0.2 * std::sin(2 * t), step[1] = 0.15 * std::sin(2.5 * t), step[2] = 0.4 * std::sin(3 * t);
  step[6] = 0.5 + 0.2 * std::sin(2 * t), step[7] = -0.4, step[8] = 0.6, step[9] = 0.2 * std::cos(t);
  integrate(model, start.data(), step.data(), q.data());
  const Vec3<double> tie{{tied_at[0], tied_at[1], tied_at[2]}}, place = tie - rotation_from_quaternion(q.data() + 3) * tie;
  for (int k = 0; k < 3; ++k) q[static_cast<std::size_t>(k)] = place[k];
  return q;
}

/// A tracker of a robot on whose root `ties` hang, the first one off by that much, after the samples of a log of the true
/// robot.
struct TiedRun {
  TiedRun(bool heavy, ConstraintType type, int ties, double off, int steps)
      : model(linkage_that_floats(heavy)), turns(type == ConstraintType::connect && ties == 1) {
    const std::vector<Constraint> in_truth = ties_of_root(type, ties, 0);
    const std::string sole = turns ? "rocker" : "ground";  // flags say that it stands, as the root does
    const SensorSet truth = set_standing_on(sole, in_truth), set = set_standing_on(sole, ties_of_root(type, ties, off));
    TrackerOptions options;
    options.deviations = true, options.slip = false, options.outputs = {"q", "dq"};
    tracker = std::make_unique<Tracker>(std::make_shared<const System>(model, set), options);
    log = log_of_motion(System(model, truth), {}, *tracker, steps, [&](double t) { return tied_posture(model, turns, t); });
    tracker->start(log.q.front().data(), log.v.front().data());
    out.resize(tracker->columns().size());
    for (std::size_t k = 0; k < log.dt.size(); ++k) {
      const TrackerStep step = tracker->step(&log.y[tracker->inputs().size() * k], loop_step, out.data());
      INFO(k << step.why);
      REQUIRE(step.ok);
      least_yaw = std::min(least_yaw, sigma("rz"));
    }
  }

  static std::vector<Constraint> ties_of_root(ConstraintType type, int ties, double off) {
    std::vector<Constraint> all;
    for (int k = 0; k < ties; ++k) {
      all.push_back(tie_of_root(type, k == 0 ? off : 0));
      all.back().name += std::to_string(k);
      for (Pose<double>& frame : all.back().frames) frame.d[k] += 0.3 * k;
    }
    return all;
  }

  /// Whether the tracker calls nothing of the base's pose unobservable.
  bool placed() const {
    const std::vector<std::string>& all = tracker->unobservable();
    return std::none_of(all.begin(), all.end(), [](const std::string& name) { return name.rfind("base.", 0) == 0; });
  }
  double sigma(const std::string& component) const { return out[column_of(*tracker, "sd.q.base." + component)]; }
  double place(int k) const { return out[column_of(*tracker, "q.base.x") + static_cast<std::size_t>(k)]; }
  /// Of the estimate over the truth, about the world's axes.
  Vec3<double> turn_error() const {
    const double* const estimate = &out[column_of(*tracker, "q.base.qx")];
    const Mat3<double> E = rotation_from_quaternion(estimate) * transpose(rotation_from_quaternion(log.q.back().data() + 3));
    return {{0.5 * (E(2, 1) - E(1, 2)), 0.5 * (E(0, 2) - E(2, 0)), 0.5 * (E(1, 0) - E(0, 1))}};
  }

  Model model;
  bool turns;
  std::unique_ptr<Tracker> tracker;
  LinkageLog log;
  std::vector<double> out;
  double least_yaw = 1e9;
};

}  // namespace

TEST_CASE("a floating robot whose root is fixed to the world stays there: a weld, or three pins") {
  for (const bool heavy : {true, false})
    for (const double off : {0.0, 1e-3})
      for (const int ties : {1, 3}) {
        if (ties == 3 && off != 0) continue;  // no pose closes them
        CAPTURE(heavy, off, ties);
        const TiedRun run(heavy, ties == 1 ? ConstraintType::weld : ConstraintType::connect, ties, off, 200);
        CHECK(run.placed());
        const Vec3<double> turned = run.turn_error();
        const char *const place[] = {"x", "y", "z"}, *const turn[] = {"rx", "ry", "rz"};
        for (int k = 0; k < 3; ++k) {
          CHECK(std::abs(run.place(k) - run.log.q.back()[static_cast<std::size_t>(k)] - off) < 5e-6);
          CHECK(std::abs(turned[k]) < 5e-6);
          CHECK(run.sigma(place[k]) < 5e-6);
          CHECK(run.sigma(turn[k]) < 5e-6);
          CHECK(run.sigma(place[k]) > 1e-8);
          CHECK(run.sigma(turn[k]) > 1e-8);
        }
      }
}

TEST_CASE("a pin of a floating robot's root to the world tells next to nothing of its yaw, open by a millimetre too") {
  for (const bool heavy : {true, false})
    for (const double off : {0.0, 1e-3}) {
      CAPTURE(heavy, off);
      const TiedRun run(heavy, ConstraintType::connect, 1, off, 330);
      const Vec3<double> turned = run.turn_error();
      CAPTURE(run.least_yaw, turned[0], turned[1], turned[2]);
      CHECK(!run.placed());
      CHECK(run.least_yaw >= 0.29);
      CHECK(std::abs(turned[2]) <= 3 * run.sigma("rz"));
      CHECK(std::abs(turned[2]) < 0.05);
      CHECK(std::abs(turned[0]) <= 5 * run.sigma("rx"));
      CHECK(std::abs(turned[1]) <= 5 * run.sigma("ry"));
      if (off == 0) CHECK(run.tracker->nees(run.log.q.back().data(), run.log.v.back().data()) < 2);
    }
}

TEST_CASE("of a floating base that pins hold, what their Jacobian leaves is unobservable") {
  using Names = std::vector<std::string>;
  // of pins at these points of the root, which stand at these of the world
  const auto unobservable = [](const std::vector<Vec3<double>>& anchors, const Vec3<double>& shift = zero3<double>()) {
    std::vector<Constraint> pins;
    for (const Vec3<double>& anchor : anchors) {
      pins.push_back(tie_of_root(ConstraintType::connect, 0));
      pins.back().name += std::to_string(pins.size());
      pins.back().frames[0].d = anchor, pins.back().frames[1].d = anchor + shift;
    }
    const Tracker tracker(std::make_shared<const System>(linkage_that_floats(true), set_standing_on("ground", pins)));
    Names names;
    for (const std::string& name : tracker.unobservable())
      if (name.rfind("base.", 0) == 0) names.push_back(name);
    return names;
  };
  CHECK(unobservable({}) == Names{"base.x", "base.y", "base.z", "base.yaw"});
  CHECK(unobservable({{{0.1, 0.2, 0.1}}}) == Names{"base.x", "base.y", "base.yaw"});
  CHECK(unobservable({{{0.1, 0.2, 0.1}}, {{0.4, 0.2, 0.1}}}) == Names{});
  CHECK(unobservable({{{0.1, 0.2, 0.1}}, {{0.4, 0.2, 0.1}}}, {{1000, 0, 0}}) == Names{});
  CHECK(unobservable({{{0, 0, 0}}}) == Names{"base.yaw"});
  CHECK(unobservable({{{0, 0, 0}}}, {{1, 2, 0.1}}) == Names{"base.yaw"});
  CHECK(unobservable({{{0.1, 0.2, 0.1}}}, {{-0.1, -0.2, -0.1}}) == Names{"base.x", "base.y", "base.yaw"});
  CHECK(unobservable({{{0.1, 0.2, 0.1}}, {{0.1, 0.2, 0.4}}}) == Names{"base.x", "base.y", "base.yaw"});
  CHECK(unobservable({{{0, 0, 0.1}}, {{0, 0, 0.4}}}, {{1, 2, 0}}) == Names{"base.yaw"});
  CHECK(unobservable({{{0.1, 0.2, 0.1}}, {{0.1, 0.5, 0.1}}, {{0.4, 0.2, 0.1}}}) == Names{});
}

TEST_CASE("rows of loops count in no step's figures") {
  const Model model = linkage_that_floats(true);
  std::vector<int> without;
  double surprise_without = 0;
  for (const char* kind : {"none", "pin", "weld", "gear"}) {
    CAPTURE(kind);
    const bool none = std::string(kind) == "none";
    const SensorSet truth = set_standing_on("ground", {closed_by(none ? "pin" : kind, 0)});
    SensorSet set = truth;
    if (none) set.constraints.constraints.clear();
    TrackerOptions options;
    options.slip = false;
    Tracker tracker(std::make_shared<const System>(model, set), options);
    const LinkageLog log = log_of_linkage(model, "ground", truth, tracker, 200);
    tracker.start(log.q.front().data(), log.v.front().data());
    std::vector<double> out(tracker.columns().size());
    std::vector<int> rows;
    double squares = 0, surprise = 0;
    for (std::size_t k = 0; k < log.dt.size(); ++k) {
      const TrackerStep step = tracker.step(&log.y[tracker.inputs().size() * k], loop_step, out.data());
      REQUIRE(step.ok);
      if (k >= 20) rows.push_back(step.rows), squares += step.innovation / step.rows, surprise += step.surprise / 180;
    }
    if (none) without = rows, surprise_without = surprise;
    CAPTURE(surprise, surprise_without);
    // Readings tell of one or two of a loop's forces, each known to 1e5 N before: log 1e10 = 23. Each row that a loop is closed
    // within a micron would take 28 off.
    const double forces = none ? 0 : std::string(kind) == "weld" ? 2 : 1;
    CHECK(std::abs(surprise - surprise_without - 23 * forces) < 8);
    CHECK(rows == without);
    CHECK(squares < 1.3 * 180);
    CHECK(squares > 0.05 * 180);
  }
}
