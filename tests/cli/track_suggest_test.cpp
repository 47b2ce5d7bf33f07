// track --suggest: the walk of footholds that a log supports.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "program.hpp"
#include "sparsedyn/json/robot_file.hpp"
#include "support/legged_robot.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;
using nlohmann::json;

namespace {

/// The set's footholds walk by so much.
std::string set_text(double walk) {
  std::ostringstream text;
  text << R"({"sensors": [
  {"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 0.001},
  {"name": "gyroscope", "type": "gyroscope", "link": "trunk", "xyz": [0.1, 0.02, 0.05], "rpy": [0.1, -0.2, 0.3], "sigma": 0.002,
   "bias": {"sigma": 0.01}},
  {"name": "accelerometer", "type": "accelerometer", "link": "trunk", "xyz": [0.1, 0.02, 0.05], "rpy": [0.1, -0.2, 0.3],
   "sigma": 0.05, "bias": {"sigma": 0.1}},
  {"name": "torques", "type": "joint_torque", "joint": "*", "sigma": 1},
  {"name": "nothing", "type": "external_wrench", "link": "*", "except": ["foot0", "foot1", "foot2", "foot3"], "value": 0})";
  for (int leg = 0; leg < 4; ++leg)
    text << R"(, {"name": "foot)" << leg << R"(", "type": "contact", "link": "foot)" << leg << R"(", "walk": )" << walk << "}";
  text << R"(], "model_wrench": {"sigma": 1000, "walk": 100000}})";
  return text.str();
}

/// A walk of 2 s whose footholds walk by 0.005 m/√s, as a log with torques.
std::string log_text() {
  const WalkLog walked = walk(500, 250, 3);
  const Efforts efforts = efforts_of(walking_quadruped(), walked);
  std::mt19937 rng(2);
  std::normal_distribution<double> normal;
  std::ostringstream text;
  text.precision(12);
  text << "time";
  for (const std::string& column : walk_columns()) text << "," << column;
  for (int leg = 0; leg < 4; ++leg)
    for (const char* joint : {"roll", "hip", "knee"}) text << ",y.torques." << joint << leg;
  for (const char* c : {"x", "y", "z", "qx", "qy", "qz", "qw"}) text << ",q.base." << c;
  for (const char* c : {"wx", "wy", "wz", "vx", "vy", "vz"}) text << ",dq.base." << c;
  for (std::size_t k = 0; k < walked.q.size(); ++k) {
    text << "\n" << 0.004 * static_cast<double>(k);
    for (double y : walked.readings[k]) text << "," << y;
    for (double tau : efforts.tau[k]) text << "," << tau + legged_torque_noise * normal(rng);
    for (std::size_t c = 0; c < 7; ++c) text << "," << walked.q[k][c];
    for (std::size_t c = 0; c < 6; ++c) text << "," << walked.v[k][c];
  }
  text << "\n";
  return text.str();
}

}  // namespace

TEST_CASE("track --suggest finds by how much footholds walk, from a set that says ten times as much and a tenth") {
  const TemporaryFolder folder;
  save_robot(walking_quadruped(), folder / "robot.json");
  const std::string log = folder.file("log.csv", log_text());
  for (const double stated : {0.05, 0.0005}) {
    const std::string set = folder.file("set.json", set_text(stated));
    const std::string line =
        "track " + (folder / "robot.json") + " --sensors " + set + " --log " + log + " -o " + (folder / "out.csv");
    const Run run = run_program(line + " --suggest --json");
    INFO(run.err);
    REQUIRE(run.code == 0);
    const json found = json::parse(run.out)["supported"];
    CAPTURE(stated, found.dump());
    CHECK(found["stated"]["walk"] == stated);
    CHECK(found["walk"].get<double>() < 0.02);
    CHECK(found["walk"].get<double>() > 0.0025);
    CHECK(found["surprise"].get<double>() < found["stated"]["surprise"].get<double>());
    CHECK_THAT(run_program(line + " --suggest").out, Contains("support a foothold's walk of"));
    CHECK(json::parse(run_program(line + " --json").out).count("supported") == 0);
    const Run kinematic = run_program(line + " --suggest --rows kinematic");
    CHECK(kinematic.code == 2);
    CHECK_THAT(kinematic.err, Contains("--suggest") && Contains("nis"));
  }
}
