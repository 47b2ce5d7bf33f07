// What a link carries, changed while a run goes: beside the same robot whose file has the mass on a fixed joint, which the
// reader lumps in its own way.
#include <Eigen/Dense>
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <fstream>
#include <future>
#include <iterator>
#include <random>
#include <string>
#include <thread>

#include "collected.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/live/live_loop.hpp"
#include "sparsedyn/live/live_record.hpp"
#include "sparsedyn/planning/search.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/heap.hpp"
#include "support/legged_robot.hpp"
#include "support/pushed_arm.hpp"
#include "support/robots.hpp"
#include "support/temporary_folder.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

struct Carried {
  std::string link;
  const char *mass, *at, *inertia;  // as a URDF has them; inertia: ixx ixy ixz iyy iyz izz
  std::string line() const { return "payload " + link + " " + mass + " " + at + " " + inertia; }
};

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The robot's file with a link of its own on a fixed joint.
std::string with_link(const std::string& urdf, const Carried& carried) {
  double I[6];
  REQUIRE(std::sscanf(carried.inertia, "%lf %lf %lf %lf %lf %lf", &I[0], &I[1], &I[2], &I[3], &I[4], &I[5]) == 6);
  char inertia[400];
  std::snprintf(inertia, sizeof inertia, "ixx=\"%g\" ixy=\"%g\" ixz=\"%g\" iyy=\"%g\" iyz=\"%g\" izz=\"%g\"", I[0], I[1], I[2],
                I[3], I[4], I[5]);
  std::string text = text_of_file(urdf);
  text.insert(text.rfind("</robot>"), "<link name=\"load\"><inertial><origin xyz=\"" + std::string(carried.at) +
                                          "\"/><mass value=\"" + carried.mass + "\"/><inertia " + inertia +
                                          "/></inertial></link><joint name=\"on\" type=\"fixed\"><parent link=\"" +
                                          carried.link + "\"/><child link=\"load\"/></joint>");
  return text;
}

/// A row for the k-th sample, by the readings' names: at random, no wrench on the link of with_link(); every third time q as it
/// is at home, and the rest zero.
std::vector<double> row_by_name(const LiveEstimate& estimate, std::size_t k) {
  std::vector<double> row;
  double turn = 0;
  for (const LiveReading& reading : estimate.readings()) {
    const std::string& name = reading.columns.front();
    std::mt19937 rng(static_cast<unsigned>(std::hash<std::string>()(name) + 977 * k));
    std::normal_distribution<double> normal;
    row.push_back(k % 3 == 2 || name.find(".load.") != std::string::npos ? 0 : normal(rng));
    if (name == "q.base.qw") row.back() = k % 3 == 2 ? 1 : 2 + turn;
    turn = row.back();
  }
  return row;
}

/// Asks for a change at a sample.
struct Ask {
  std::size_t sample;
  std::string line;
};

/// Samples of rows that row(estimate, k) gives, at the log's rate.
template <class Row>
Collected run_core(std::unique_ptr<LiveEstimate> estimate, std::size_t samples, double dt, const std::vector<Ask>& asked,
                   const Row& row) {
  LiveCore core(std::move(estimate), {});
  Collected out(core.estimate().columns().size());
  for (std::size_t k = 0; k < samples; ++k) {
    const double time = dt * static_cast<double>(k);
    for (const Ask& each : asked) {
      if (each.sample != k) continue;
      std::string why;
      for (const LiveChange& change : read_live_changes(each.line, core.estimate(), why)) core.change(change, at(time), out);
      INFO(why);
      REQUIRE(why.empty());
    }
    core.readings(0, time, at(time), row(core.estimate(), k).data(), out);
  }
  REQUIRE(out.rows.size() == samples);
  CHECK(out.first(LiveFault::refused) == nullptr);
  return out;
}

/// The largest |a - b| / max(1, |b|) of rows `from` to `to`.
double worst_of(const Collected& a, const Collected& b, std::size_t from, std::size_t to) {
  double worst = 0;
  for (std::size_t k = from; k < to; ++k)
    for (std::size_t c = 0; c < a.rows[k].size(); ++c) {
      REQUIRE(std::isnan(a.rows[k][c]) == std::isnan(b.rows[k][c]));
      if (!std::isnan(b.rows[k][c]))
        worst = std::max(worst, std::abs(a.rows[k][c] - b.rows[k][c]) / std::max(1.0, std::abs(b.rows[k][c])));
    }
  return worst;
}

Sensor each_of(const char* name, const char* type, double sigma) {
  Sensor sensor;
  sensor.name = name, sensor.type = type, sensor.all = true;
  if (sigma > 0) sensor.sigma = {sigma};
  return sensor;
}

/// Torques and accelerations, both with noise.
SensorSet redundant_set() {
  SensorSet set;
  Sensor base = each_of("base", "joint_acceleration", 0);
  base.all = false, base.targets = {{"base"}}, base.optional = true;
  set.name = "redundant";
  set.sensors = {each_of("torques", "joint_torque", 0.5), each_of("rates", "joint_acceleration", 2), base,
                 each_of("nothing", "external_wrench", 0)};
  set.sensors.back().value = {0};
  return set;
}

std::unique_ptr<LiveEstimate> sample_estimate(const Model& model, const SensorSet& set) {
  SensorSolverOptions wanted;
  wanted.outputs = {"tau", "ddq"};
  wanted.deviations = set.name == "redundant";
  wanted.plans = searched_plans();
  return live_solver(std::make_shared<const System>(model, set), wanted);
}

SensorSet pushed_set() {
  SensorSet set = arm_sensors("link7");
  set.prior["ddq"] = {100};
  return set;
}

std::unique_ptr<LiveEstimate> tracked(const Model& model, const SensorSet& set, TrackRows rows = TrackRows::automatic) {
  const auto system = std::make_shared<const System>(model, set);
  TrackerOptions wanted;
  wanted.deviations = true, wanted.rows = rows;
  if (rows != TrackRows::kinematic) wanted.outputs = {"q", "dq", "tau", "ddq"};
  return live_tracker(Tracker(system, wanted), *system);
}

/// Prepares nothing before it is let.
class Slow : public HandsOn {
 public:
  explicit Slow(std::shared_future<void> let) : HandsOn(std::vector<std::string>{"a"}), let_(std::move(let)) {}
  std::unique_ptr<LivePrepared> prepare(const std::vector<LivePayload>&) const override {
    begun.store(true);
    let_.wait_for(std::chrono::seconds(20));
    return std::make_unique<LivePrepared>();
  }
  mutable std::atomic<bool> begun{false};

 private:
  std::shared_future<void> let_;
};

template <class Is>
bool comes_true(const Is& is) {
  for (int k = 0; k < 5000 && !is(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return is();
}

std::vector<LiveFault> faults_until_end(LiveLoop& loop) {
  std::vector<LiveFault> faults;
  while (loop.wait(0.1)) {
  }
  for (; const auto found = loop.next_finding(); loop.pop_finding()) faults.push_back(found.head->kind);
  return faults;
}

}  // namespace

TEST_CASE("a payload changes each sample's answers as the mass in the robot's file does, from its sample on") {
  struct Case {
    const char *robot, *link;
    bool floating;
  };
  for (const Case& each : {Case{"arm", "gripper", false}, {"quadruped", "battery", true}}) {
    const Carried carried{each.link, "2.5", "0.05 -0.1 0.2", "0.03 0.001 -0.002 0.02 0.003 0.04"};
    LoadOptions load;
    load.floating = each.floating;
    const std::string file = source_folder() + "/robots/" + each.robot + ".urdf";
    const Model plain = load_urdf(file, load), loaded = parse_urdf(with_link(file, carried), "loaded.urdf", load);
    for (const SensorSet& set : {load_sensor_set("inverse-dynamics"), load_sensor_set("forward-dynamics"), redundant_set()}) {
      INFO(each.robot << " " << each.link << " " << set.name);
      std::vector<Ask> before;
      if (set.name == "redundant") before.push_back({1, "sigma torques 2"});  // holds beyond the payload
      std::vector<Ask> asked = before;
      asked.push_back({4, carried.line()}), asked.push_back({8, "payload " + carried.link + " 0"});
      const Collected changed = run_core(sample_estimate(plain, set), 12, 0.01, asked, row_by_name),
                      without = run_core(sample_estimate(plain, set), 12, 0.01, before, row_by_name),
                      with = run_core(sample_estimate(loaded, set), 12, 0.01, before, row_by_name);
      CHECK(changed.failed == 0);
      CHECK(worst_of(changed, without, 0, 4) == 0);
      CHECK(worst_of(changed, with, 4, 8) < 1e-12);
      CHECK(worst_of(without, with, 4, 8) > 1e-3);
      CHECK(worst_of(changed, without, 8, 12) == 0);
      const LiveFinding* const found = changed.first(LiveFault::changed);
      REQUIRE(found);
      const LiveFinding& told = changed.findings[changed.findings.size() - 2];
      CHECK(plain.links[static_cast<std::size_t>(told.link)].name == carried.link);
      CHECK(told.amount == 2.5);
    }
  }
}

TEST_CASE("a payload over time is the mass in the robot's file, and what came before it is forgotten as a start is") {
  const Carried carried{"gripper", "3", "0.02 0.1 0.15", "0.02 0 0.001 0.03 0 0.01"};
  const std::string file = source_folder() + "/robots/arm.urdf";
  const Model plain = load_urdf(file), loaded = parse_urdf(with_link(file, carried), "loaded.urdf");
  const ArmLog log = push_arm(loaded, "link7", 400, 250, 3);
  const auto row = [&](const LiveEstimate&, std::size_t k) { return log.readings[k]; };
  const auto run = [&](const Model& model, const std::vector<Ask>& asked) {
    return run_core(tracked(model, pushed_set()), 400, log.dt, asked, row);
  };
  const Collected with = run(loaded, {}), at_once = run(plain, {{0, carried.line()}}),
                  later = run(plain, {{150, carried.line()}}), without = run(plain, {});
  CHECK(worst_of(at_once, with, 0, 400) < 1e-10);
  CHECK(worst_of(later, without, 0, 150) == 0);
  CHECK(worst_of(without, with, 390, 400) > 0.1);
  CHECK(worst_of(later, with, 390, 400) < 1e-6);
}

TEST_CASE("a payload that weighs nothing leaves an estimate over time as it is: arms, legs, late flags, a changed sigma") {
  const WalkLog walked = walk(200, 250, 3);
  const Efforts efforts = efforts_of(walking_quadruped(), walked);
  SensorSet late = legged_sensors();
  for (Sensor& sensor : late.sensors)
    if (sensor.type == "contact") sensor.over_time.delay = 0.01;
  struct Case {
    const char* what;
    SensorSet set;
    TrackRows rows;
  };
  for (const Case& each : {Case{"whole", legged_sensors(), TrackRows::whole_body},
                           {"late", late, TrackRows::whole_body},
                           {"kinematic", walking_sensors(), TrackRows::kinematic}}) {
    INFO(each.what);
    TrackerOptions options;
    options.rows = each.rows;
    const Tracker named(std::make_shared<const System>(walking_quadruped(), each.set), options);
    std::mt19937 rng(5);
    std::vector<std::vector<double>> rows;
    for (std::size_t k = 0; k < walked.q.size(); ++k) rows.push_back(row_of(named, walked, efforts, k, rng));
    const auto run = [&](const std::vector<Ask>& asked) {
      return run_core(tracked(walking_quadruped(), each.set, each.rows), rows.size(), walked.dt, asked,
                      [&](const LiveEstimate&, std::size_t k) { return rows[k]; });
    };
    const Ask noise{40, "sigma gyroscope 0.01"};
    const Collected plain = run({noise}), taken = run({noise, {90, "payload trunk 0"}, {91, "payload foot2 0"}});
    CHECK(plain.failed == 0);
    CHECK(worst_of(taken, plain, 0, rows.size()) < 1e-8);
    CHECK(worst_of(plain, run({}), 41, rows.size()) > 1e-6);
  }
}

TEST_CASE("a payload is prepared while a loop goes on, which takes no heap for it, and the record gives the same bits") {
  const TemporaryFolder folder;
  const std::string file = source_folder() + "/robots/arm.urdf", path = folder / "run.mcap";
  const Model arm = load_urdf(file);
  const ArmLog log = push_arm(arm, "link7", 250, 250, 3);
  for (const bool over_time : {false, true}) {
    const auto make = [&] {
      return over_time ? tracked(arm, pushed_set()) : sample_estimate(arm, load_sensor_set("inverse-dynamics"));
    };
    Collected live(0), again(0);
    {
      LiveLoopOptions how;
      how.record = true;
      LiveLoop loop(make(), {}, how);
      LiveRecordWriter record(path, {loop.estimate().names(), {"-"}, {}});
      live = Collected(loop.estimate().columns().size());
      const auto take = [&] {
        while (const auto row = loop.next_input()) record.add(*row.head, row.values, loop.estimate()), loop.pop_input();
        while (const auto row = loop.next_sample())
          live.sample(row.head->time, 0, row.head->answer, row.values), loop.pop_sample();
        while (const auto row = loop.next_finding()) live.finding(*row.head), loop.pop_finding();
      };
      loop.count_allocations(allocations);
      loop.start();
      std::string why;
      const std::vector<LiveChange> asked = read_live_changes("payload gripper 1.5 0 0 0.1", loop.estimate(), why);
      REQUIRE(asked.size() == 1);
      std::size_t sent = 0, behind = 0;
      for (; behind < 50 && sent < 20000; ++sent) {  // until 50 samples were answered with it
        if (sent == 50) REQUIRE(loop.change(asked[0]));
        const std::vector<double> row = over_time ? log.readings[sent % 250] : row_by_name(loop.estimate(), sent);
        REQUIRE(loop.readings(0, log.dt * static_cast<double>(sent), row.data()));
        std::this_thread::sleep_for(std::chrono::microseconds(500));
        take();
        behind += live.first(LiveFault::changed) != nullptr;
      }
      loop.end();
      while (loop.wait(0.1)) take();
      take();
      record.end(loop.ended_at());
      CHECK(behind == 50);
      CHECK(live.rows.size() == sent);
      CHECK(loop.allocations() == 0);
      CHECK(loop.take_notes().empty());
    }
    LiveRecordReader record(path);
    LiveCore core(make(), {});
    again = Collected(core.estimate().columns().size());
    LiveInput input;
    std::vector<double> values;
    long changes = 0;
    while (record.next(input, values, core.estimate())) {
      if (input.kind == LiveInput::Kind::readings)
        core.readings(input.source, input.stamp, input.arrival, values.data(), again);
      else
        core.change(input.change, input.arrival, again), ++changes;
    }
    core.until(record.ended_at(), again);
    core.finish(again);
    CHECK(changes == 1);
    CHECK(same_bits(live.rows, again.rows));
    CHECK(live.findings.size() == again.findings.size());
  }
}

TEST_CASE("a payload is read as it is written, and a wrong one is refused with its reason") {
  const Model arm = load_urdf(source_folder() + "/robots/arm.urdf");
  const auto estimate = sample_estimate(arm, load_sensor_set("inverse-dynamics"));
  const auto refusal = [&](const std::string& line) {
    std::string why;
    CHECK(read_live_changes(line, *estimate, why).empty());
    return why;
  };
  for (const auto& [line, expected] : {std::pair("payload", "payload with 0 words"),
                                       {"payload gripper", "payload with 1 words; expected payload LINK MASS"},
                                       {"payload gripper 1 0 0", "payload with 4 words"},
                                       {"payload gripper 1 0 0 0 1", "payload with 6 words"},
                                       {"payload griper 1", "no link griper (near: gripper)"},
                                       {"payload gripper -1", "-1; expected a mass of 0 kg or more"},
                                       {"payload gripper nan", "expected a mass"},
                                       {"payload gripper inf", "expected a mass"},
                                       {"payload gripper 1e10", "expected a mass"},
                                       {"payload gripper 1 0 x 0", "x; expected metres"},
                                       {"payload gripper 1 0 0 0 1 0 0 1 0 nan", "nan; expected kg m²"},
                                       {"payload gripper 1 0 0 0 1 0 0 1 0 2.1", "no rigid body has"},
                                       {"payload gripper 1 0 0 0 -1 0 0 1 0 1", "no rigid body has"},
                                       {"payload gripper 1 0 0 0 1 0.9 0 1 0.9 1", "no rigid body has"},
                                       {"payload gripper 0 0 0 0 1 0 0 1 0 1", "an inertia without a mass"}})
    CHECK_THAT(refusal(line), Catch::Contains(expected));
  for (const char* line :
       {"payload gripper 0", "payload pedestal 3", "payload gripper 2 0.1 -0.25 1e-3", "payload gripper 2 0.1 0 0 1 0 0 1 0 2",
        "payload gripper 2 0.1 0 0 0 0 0 0 0 0", "payload gripper 2 0.1 0 0 0.02 -0.001 0.002 0.03 0.003 0.04"}) {
    std::string why;
    const auto read = read_live_changes(line, *estimate, why);
    INFO(why);
    REQUIRE(read.size() == 1);
    const auto again = read_live_changes(live_change_text(read[0], *estimate), *estimate, why);
    REQUIRE(again.size() == 1);
    CHECK(live_change_text(again[0], *estimate) == live_change_text(read[0], *estimate));
    CHECK(again[0].payload.link == read[0].payload.link);
    CHECK(again[0].payload.inertia.yz == read[0].payload.inertia.yz);
  }
}

TEST_CASE("a link whose name has blanks carries a payload, named in quotes") {
  std::string text = text_of_file(source_folder() + "/robots/arm.urdf");
  for (std::size_t at; (at = text.find("\"gripper\"")) != std::string::npos;) text.replace(at, 9, "\"the gripper's hand\"");
  const TemporaryFolder folder;
  const std::string path = folder.file("arm.urdf", text), line = "payload \"the gripper's hand\" 2 0.1 0 0";
  const auto load = [](const std::string& urdf) {
    return sample_estimate(load_urdf(urdf), load_sensor_set("inverse-dynamics"));
  };
  const auto plain = load(source_folder() + "/robots/arm.urdf");
  std::string why;
  const auto row = [&](const LiveEstimate&, std::size_t k) { return row_by_name(*plain, k); };
  const Collected quoted = run_core(load(path), 12, 0.01, {{4, line}}, row),
                  named =
                      run_core(load(source_folder() + "/robots/arm.urdf"), 12, 0.01, {{4, "payload gripper 2 0.1 0 0"}}, row);
  CHECK(worst_of(quoted, named, 0, 12) == 0);
  const auto estimate = load(path);
  const auto read = read_live_changes(line, *estimate, why);
  REQUIRE(read.size() == 1);
  CHECK(live_change_text(read[0], *estimate) == line + " 0 0 0 0 0 0");
  CHECK(read_live_changes("payload the gripper's hand 2", *estimate, why).empty());
  CHECK_THAT(why, Catch::Contains("no link the") || Catch::Contains("words; expected payload LINK MASS"));
}

TEST_CASE("a payload may have the inertia of a thin rod, a plate or a point, turned as it may be") {
  const Model arm = load_urdf(source_folder() + "/robots/arm.urdf");
  const auto estimate = sample_estimate(arm, load_sensor_set("inverse-dynamics"));
  std::mt19937 rng(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> decades(-6, 6);
  const auto taken = [&](const Eigen::Matrix3d& I) {
    LiveChange change;
    change.kind = LiveChange::Kind::payload;
    change.payload = {0, 2, {{0, 0, 0.1}}, {I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)}};
    std::string why;
    return read_live_changes(live_change_text(change, *estimate), *estimate, why).size() == 1;
  };
  CHECK(taken(Eigen::Matrix3d::Zero()));
  for (int k = 0; k < 300; ++k) {
    const Eigen::Vector3d u = Eigen::Vector3d(normal(rng), normal(rng), normal(rng)).normalized();
    const Eigen::Matrix3d along = u * u.transpose(), one = Eigen::Matrix3d::Identity();
    const double size = std::pow(10, decades(rng));
    INFO(size << " of " << u.transpose());
    CHECK(taken(size * (one - along)));  // a rod along u
    CHECK(taken(size * (one + along)));  // a round plate across u
    CHECK_FALSE(taken(size * (one - 1.001 * along)));
    CHECK_FALSE(taken(size * (one + 1.001 * along)));
  }
}

TEST_CASE("an estimate that looks back refuses a payload with its reason") {
  const auto system = std::make_shared<const System>(load_urdf(source_folder() + "/robots/arm.urdf"), pushed_set());
  TrackerOptions wanted;
  wanted.lag = 5;
  const auto estimate = live_tracker(Tracker(system, wanted), *system);
  std::string why;
  CHECK(!PayloadChanges(*estimate).prepare({0, 1, {{0, 0, 0}}, {}}, why));
  CHECK_THAT(why, Catch::Contains("looks back (lag 5)"));
}

TEST_CASE("a payload that cannot be prepared is refused, and told once") {
  LiveLoop loop(std::make_unique<HandsOn>(std::vector<std::string>{"a"}), {});
  LiveChange change;
  change.kind = LiveChange::Kind::payload, change.payload.link = 0;
  loop.start();
  CHECK(loop.change(change));  // of an estimate without links: it cannot be
  std::vector<std::string> notes;
  for (int k = 0; k < 500 && notes.empty(); ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    notes = loop.take_notes();
  }
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Catch::Contains("a payload"));
  loop.end();
  bool refused = false;
  while (loop.wait(0.1)) {
  }
  while (const auto found = loop.next_finding())
    refused = refused || found.head->kind == LiveFault::refused, loop.pop_finding();
  CHECK(refused);
}

TEST_CASE("payloads that are not ready when their run ends are told, each once") {
  std::promise<void> let;
  auto estimate = std::make_unique<Slow>(let.get_future().share());
  const Slow& slow = *estimate;
  LiveLoop loop(std::move(estimate), {});
  LiveChange change;
  change.kind = LiveChange::Kind::payload, change.payload.link = 0, change.payload.mass = 1;
  loop.start();
  REQUIRE(loop.change(change));
  REQUIRE(comes_true([&] { return slow.begun.load(); }));
  change.payload.mass = 2;
  REQUIRE(loop.change(change));
  loop.end();
  CHECK(faults_until_end(loop).empty());
  const std::vector<std::string> notes = loop.take_notes();
  REQUIRE(notes.size() == 2);
  CHECK_THAT(notes[0], Catch::Contains("payload link 1 ") && Catch::Contains("the run ended before it could hold"));
  CHECK_THAT(notes[1], Catch::Contains("payload link 2 "));
  let.set_value();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(loop.take_notes().empty());
}

TEST_CASE("a payload is used or told, whenever its run ends") {
  for (int k = 0; k < 200; ++k) {
    std::promise<void> let;
    LiveLoop loop(std::make_unique<Slow>(let.get_future().share()), {});
    LiveChange change;
    change.kind = LiveChange::Kind::payload, change.payload.link = 0, change.payload.mass = 1;
    loop.start();
    REQUIRE(loop.change(change));
    std::thread other([&] { let.set_value(); });
    std::this_thread::sleep_for(std::chrono::microseconds(5 * (k % 40)));
    loop.end();
    const std::size_t found = faults_until_end(loop).size();
    REQUIRE(found + loop.take_notes().size() == 1);
    other.join();
    REQUIRE(loop.take_notes().empty());
  }
}
