// --strict: warnings about the robot, the sensor set and the constraints are errors.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "io/csv_reader.hpp"
#include "pendulum.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using Catch::StartsWith;

TEST_CASE("strict: warnings about the robot are errors, all of them, and nothing is answered") {
  TemporaryFolder folder;
  const std::string robot = folder.file(
      "r.urdf",
      "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><inertial>\n"
      "<mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>\n"
      "<origin xyz=\"0 0 1\"/></link><joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>\n"
      "<axis xyz=\"0 2 0\"/></joint></robot>");
  const Run lax = run_program("info " + robot + " --json");
  CHECK(lax.code == 0);
  CHECK(nlohmann::json::parse(lax.out)["warnings"].size() == 2);
  for (const char* quiet : {"", " --quiet"}) {
    const Run strict = run_program("info " + robot + " --json --strict" + quiet);
    CHECK(strict.code == 3);
    CHECK(strict.out.empty());
    CHECK_THAT(strict.err,
               Contains("r.urdf:3: link \"b\" <origin>: does not enter here; it belongs in <joint>, or in <inertial>; "
                        "expected no warning (--strict)\n"));
    CHECK_THAT(strict.err, Contains("r.urdf:4: joint \"j\" <axis>: not of unit length"));
    CHECK_THAT(strict.err, !Contains("warning:"));
  }
  const std::string clean = folder.file("p.urdf", pendulum);
  const Run fine = run_program("info " + clean + " --strict --json");
  CHECK(fine.code == 0);
  CHECK(fine.out == run_program("info " + clean + " --json").out);
}

TEST_CASE("strict: warnings about the sensor set and the constraints are errors") {
  TemporaryFolder folder;
  const std::string lumped = folder.file("lumped.json",
                                         "{\"sensors\": [{\"name\": \"m\", \"type\": \"joint_torque\", \"joint\": \"*\"},\n"
                                         "{\"name\": \"air\", \"type\": \"external_wrench\", \"link\": \"*\",\n"
                                         "\"except\": \"tool_*\", \"value\": 0}]}");
  const Run lax = run_program("check " + robot("arm") + " --sensors " + lumped);
  CHECK(lax.code == 0);
  CHECK_THAT(lax.err, Contains("lumped.json:3: \"tool_tip\" is excepted from \"air\"") && Contains("it is zero"));
  const Run strict = run_program("check " + robot("arm") + " --strict --sensors " + lumped);
  CHECK(strict.code == 3);
  CHECK(strict.out.empty());
  CHECK_THAT(strict.err,
             Contains("lumped.json:3: \"tool_tip\" is excepted from \"air\"") && Contains("expected no warning (--strict)"));
  const std::string soft =
      folder.file("soft.json", "{\"constraints\": [{\"name\": \"stops\", \"type\": \"limit\", \"joint\": \"*\"}]}");
  const std::string both = "check " + robot("arm") + " --sensors forward-dynamics --constraints " + soft;
  CHECK(run_program(both).code == 0);
  const Run refused = run_program(both + " --strict");
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Contains("soft.json: 1 of 1 constraints are soft") && Contains("(--strict)"));
}

TEST_CASE("sensors inside links are a warning, and an error with --strict") {
  TemporaryFolder folder;
  const std::string robot =
      folder.file("r.urdf", "<robot name=\"r\"><link name=\"a\">\n<sensor name=\"s\" type=\"imu\"/></link></robot>");
  const std::string to = " -o " + (folder / "set.json");
  const Run lax = run_program("sensors " + robot + to);
  CHECK(lax.code == 0);
  CHECK_THAT(lax.err, Contains("r.urdf:2: link \"a\" <sensor>: is not read here; it belongs in <robot> itself"));
  CHECK(run_program("sensors " + robot + " --strict" + to).code == 3);
  CHECK(run_program("info " + robot + " --strict").code == 0);  // the dynamics have no sensors
}

TEST_CASE("check: assumptions before sensors, and apart from them") {
  TemporaryFolder folder;
  const std::string set = folder.file("set.json",
                                      "{\"sensors\": [{\"name\": \"m\", \"type\": \"joint_torque\", \"joint\": \"*\"},"
                                      "{\"name\": \"foot\", \"type\": \"external_wrench\", \"link\": \"lf_foot\"}]}");
  const std::string check = "check " + robot("quadruped") + " --floating --sensors " + set;
  const Run text = run_program(check), json_run = run_program(check + " --json");
  CHECK(text.code == 1);
  const auto assumed = text.out.find("assumptions that would help"), sensors = text.out.find("sensors that would help");
  REQUIRE(assumed != std::string::npos);
  REQUIRE(sensors != std::string::npos);
  CHECK(assumed < sensors);
  const auto told = nlohmann::json::parse(json_run.out);
  REQUIRE(told["assumptions"].size() == 2);
  const auto &air = told["assumptions"][0], &base = told["assumptions"][1];
  CHECK(base["type"] == "joint_torque");
  CHECK(base["joint"] == "base");
  CHECK(base["value"] == 0);
  CHECK(base["removes"] == 6);
  CHECK(air["type"] == "external_wrench");
  CHECK(air["link"] == "*");
  CHECK(air["except"] == nlohmann::json({"lf_foot"}));
  for (const auto& sensor : told["advice"]) CHECK_FALSE((sensor["type"] == "joint_torque" && sensor["joint"] == "base"));
  // taken at their word, they close the gap that they say they close
  const int open = told["unknowns"].get<int>() - told["rank"].get<int>();
  CHECK(told["assumptions_remove"] == open);
  nlohmann::json whole = nlohmann::json::parse(text_of(set));
  int k = 0;
  for (auto assumption : told["assumptions"]) {
    assumption.erase("removes"), assumption.erase("numbers");
    assumption["name"] = "assumed" + std::to_string(k++);
    whole["sensors"].push_back(assumption);
  }
  const std::string closed = folder.file("closed.json", whole.dump());
  CHECK(nlohmann::json::parse(
            run_program("check " + robot("quadruped") + " --floating --json --sensors " + closed).out)["verdict"] ==
        "determined");
}

TEST_CASE("limits with lower = upper hold a joint in ik and excite, which name it") {
  TemporaryFolder folder;
  std::string text = text_of(robot("arm"));
  const std::size_t at = text.find("lower=", text.find("name=\"joint3\""));
  text.replace(at, text.find(" effort", at) - at, "lower=\"0.25\" upper=\"0.25\"");
  const std::string held = folder.file("held.urdf", text), motion = folder / "motion.csv", other = folder / "other.csv";
  const Run excite = run_program("excite " + held + " --seconds 10 --rate 20 --budget 60 --json -o " + motion);
  INFO(excite.err);
  REQUIRE(excite.code == 0);
  CHECK_THAT(excite.err, Contains("lower = upper in the limits, so that these joints stand still, as if locked: joint3"));
  CHECK_THAT(text_of(motion), Contains("q.joint3"));
  // as many base parameters as the robot has with that joint locked
  const Run locked =
      run_program("excite " + robot("arm") + " --lock joint3=0.25 --seconds 10 --rate 20 --budget 60 --json -o " + other);
  REQUIRE(locked.code == 0);
  CHECK(nlohmann::json::parse(excite.out)["base_parameters"] == nlohmann::json::parse(locked.out)["base_parameters"]);

  const std::string poses = folder / "poses.csv", found = folder / "q.csv";
  REQUIRE(run_program("compute kinematics " + held + " --log " + motion + " -o " + poses).code == 0);
  const Run ik = run_program("compute ik " + held + " --target link7 --log " + poses + " -o " + found);
  CHECK(ik.code == 0);
  CHECK_THAT(ik.err, Contains("these joints stay there, as if locked: joint3"));
  sparsedyn::CsvReader answer(found);
  for (const int joint3 = answer.ask("q.joint3"); answer.next();) CHECK(answer.value(joint3) == 0.25);

  std::string pinned = pendulum;
  pinned.replace(pinned.find("continuous"), 10, "revolute");
  pinned.insert(pinned.find("</joint>"), "<limit lower=\"0\" upper=\"0\" effort=\"0\" velocity=\"0\"/>");
  const Run none = run_program("excite " + folder.file("pinned.urdf", pinned) + " -o " + motion);
  CHECK(none.code == 3);
  CHECK_THAT(none.err, Contains("limits that hold every joint"));
}
