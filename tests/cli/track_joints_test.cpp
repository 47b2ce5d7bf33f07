// track of robots whose joints have several freedoms, follow each other, or close a loop.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/csv_reader.hpp"
#include "program.hpp"
#include "sparsedyn/json/robot_file.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;
using nlohmann::json;

namespace {

const char* const torque_set = R"({"sensors": [
  {"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 0.001},
  {"name": "torques", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "nothing", "type": "external_wrench", "link": "*", "value": 0}]})";

/// A carriage on a plane, a ball on it, a hinge.
Model ball_robot() {
  JointSpec plane, ball, hinge;
  plane.kind = JointKind::planar, plane.axis = {{0, 0, 1}};
  ball.kind = JointKind::spherical;
  hinge.kind = JointKind::revolute, hinge.axis = {{0, 1, 0}};
  const auto at = [](double z) { return Pose<double>{identity3<double>(), {{0, 0, z}}}; };
  const Inertia<double> box = inertia_about_com(2, {{0.02, 0, 0.1}}, {0.02, 0, 0, 0.03, 0, 0.04});
  return ModelBuilder("ball")
      .root("ground", zero_inertia<double>(), false)
      .link("carriage", box, "ground", "slide", plane, at(0))
      .link("arm", box, "carriage", "shoulder", ball, at(0.2))
      .link("hand", box, "arm", "elbow", hinge, at(0.3))
      .build();
}

}  // namespace

TEST_CASE("track with a ball and a plane: errors are as large as their deviations beside what was simulated") {
  TemporaryFolder folder;
  save_robot(ball_robot(), folder / "robot.json");
  const std::string set = folder.file("set.json", torque_set), log = folder / "log.csv", out = folder / "out.csv";
  double nees = 0;
  long judged = 0, inside = 0;
  for (int seed = 1; seed <= 3; ++seed) {
    const Run made = run_program("simulate " + (folder / "robot.json") + " --sensors " + set +
                                 " --seconds 3 --rate 200 --seed " + std::to_string(seed) + " -o " + log);
    INFO(made.err);
    REQUIRE(made.code == 0);
    const Run run = run_program("track " + (folder / "robot.json") + " --sensors " + set + " --log " + log + " -o " + out +
                                " --sd --json --report " + (folder / "page.html"));
    INFO(run.err);
    REQUIRE(run.code == 0);
    const json said = json::parse(run.out);
    CHECK(said["states"] == 21);
    REQUIRE(said["consistency"]["nees"].is_number());
    nees += said["consistency"]["nees"].get<double>() / 3;
    CsvReader found(out), truth(log);
    CHECK((found.has("sd.q.shoulder.rx") && found.has("sd.q.shoulder.rz") && !found.has("sd.q.shoulder.qw")));
    const char* const names[] = {"q.slide.x", "q.slide.angle", "dq.slide.vy", "dq.shoulder.wx", "dq.shoulder.wz", "q.elbow"};
    int slots[6][3];
    for (int k = 0; k < 6; ++k)
      slots[k][0] = found.ask(names[k]), slots[k][1] = found.ask(std::string("sd.") + names[k]),
      slots[k][2] = truth.ask(names[k]);
    for (long row = 0; found.next() && truth.next(); ++row)
      for (int k = 0; k < 6 && row > 20; ++k)
        ++judged, inside += std::abs(found.value(slots[k][0]) - truth.value(slots[k][2])) <= 2 * found.value(slots[k][1]);
  }
  CAPTURE(nees, inside, judged);
  CHECK(nees > 0.5);
  CHECK(nees < 1.6);
  CHECK(static_cast<double>(inside) > 0.9 * static_cast<double>(judged));
  CHECK_THAT(text_of(folder / "page.html"), Contains("<figcaption>q.shoulder.qx") && Contains("where 95.4 % should"));
  // kinematic rows leave such joints out and say so
  const Run kinematic = run_program("track " + (folder / "robot.json") + " --rows kinematic --sensors " + set + " --log " +
                                    log + " -o " + out + " --json");
  CHECK(kinematic.code == 0);
  CHECK_THAT(kinematic.err, Contains("joint shoulder has several freedoms: left out"));
  CHECK(json::parse(kinematic.out)["states"] == 2);
}

namespace {

/// Root mean square of what two files say of a column, after the first 30 rows; and the largest number there.
std::pair<double, double> off(const std::string& found, const std::string& truth, const std::string& column) {
  CsvReader a(found), b(truth);
  const int at = a.ask(column), beside = b.ask(column);
  REQUIRE((at >= 0 && beside >= 0));
  double squares = 0, largest = 0;
  long count = 0;
  for (long row = 0; a.next() && b.next(); ++row) {
    if (row < 30) continue;
    squares += std::pow(a.value(at) - b.value(beside), 2), ++count;
    largest = std::max(largest, std::abs(b.value(beside)));
  }
  return {std::sqrt(squares / static_cast<double>(count)), largest};
}

}  // namespace

TEST_CASE("track --constraints: a linkage stays closed, and its loop's force is found") {
  TemporaryFolder folder;
  const std::string log = folder / "log.csv", out = folder / "out.csv", loops = example("constraints/four-bar.json");
  REQUIRE(run_program("simulate " + robot("four-bar") + " --constraints " + loops + " --from " +
                      example("motions/four-bar.csv") + " --seconds 1 --rate 500 --integrator runge-kutta -o " + log)
              .code == 0);
  const std::string set = folder.file("set.json", R"({"sensors": [
    {"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 0.0001},
    {"name": "torques", "type": "joint_torque", "joint": "*", "sigma": 0.1},
    {"name": "nothing", "type": "external_wrench", "link": "*", "value": 0}]})");
  const std::string line = "track " + robot("four-bar") + " --sensors " + set + " --log " + log + " -o " + out;
  REQUIRE(run_program(line + " --outputs dq").code == 0);
  const double open = off(out, log, "dq.rocker").first;  // the torques contradict the motion
  const Run closed = run_program(line + " --outputs dq,lambda --constraints " + loops);
  INFO(closed.err);
  REQUIRE(closed.code == 0);
  const double error = off(out, log, "dq.rocker").first;
  CAPTURE(open, error);
  CHECK(error < 1e-3);
  CHECK(error < 0.01 * open);
  for (const char* force : {"lambda.pin.x", "lambda.pin.z"}) {  // means over the interval beside its end
    const auto [rms, largest] = off(out, log, force);
    CAPTURE(force, rms, largest);
    CHECK(rms < 0.1 * largest);
  }
  const Run kinematic = run_program(line + " --rows kinematic --constraints " + loops);
  CHECK_THAT(kinematic.err, Contains("kinematic rows do not use loops"));
}
