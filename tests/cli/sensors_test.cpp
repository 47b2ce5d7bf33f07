#include <catch2/catch.hpp>

#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

TEST_CASE("sensors writes the set that a URDF describes") {
  TemporaryFolder folder;
  const std::string robot = folder.file("r.urdf",
                                        "<robot name=\"r\"><link name=\"a\"/>\n"
                                        "<sensor name=\"g\" type=\"gyroscope\"><parent link=\"a\"/></sensor>\n"
                                        "<gazebo reference=\"a\"><sensor name=\"eye\" type=\"camera\"/></gazebo></robot>");
  const std::string set = folder / "set.json";
  const Run run = run_program("sensors " + robot + " --json -o " + set);
  CHECK(run.code == 0);
  CHECK_THAT(run.out, Contains("\"gyroscope\": 1"));
  CHECK_THAT(run.err, Contains("r.urdf:3: <sensor>: 1 camera passed over"));
  CHECK(text_of(set) ==
        "{\"name\": \"r\",\n \"sensors\": [\n   {\"name\": \"g\", \"type\": \"gyroscope\", \"link\": \"a\"}\n ]}\n");

  const Run piped = run_program("sensors - --quiet -o - < " + robot);
  CHECK(piped.out == text_of(set));
  CHECK(piped.err == "1 sensor: 1 gyroscope\n");
}

TEST_CASE("sensors refuses wrong options with exit 2 and bad files with exit 3") {
  TemporaryFolder folder;
  const std::string robot =
      folder.file("r.urdf", "<robot name=\"r\"><link name=\"a\"/>\n<sensor name=\"g\" type=\"imu\"/></robot>");
  CHECK(run_program("sensors " + robot).code == 2);
  CHECK(run_program("sensors " + robot + " -o - --json").code == 2);
  CHECK(run_program("sensors " + robot + " -o " + robot).code == 2);
  const Run bad = run_program("sensors " + robot + " -o " + (folder / "set.json"));
  CHECK(bad.code == 3);
  CHECK(bad.out.empty());
  CHECK_THAT(bad.err, Contains("r.urdf:2: sensor \"g\": no <parent>; expected <parent link="));
  CHECK(!std::filesystem::exists(folder / "set.json"));
}

TEST_CASE("sensors takes the noise that a URDF does not state from --sigma") {
  TemporaryFolder folder;
  const std::string robot = folder.file("r.urdf",
                                        "<robot name=\"r\"><link name=\"a\"/>\n"
                                        "<sensor name=\"g\" type=\"gyroscope\"><parent link=\"a\"/></sensor>\n"
                                        "<sensor name=\"x\" type=\"accelerometer\"><parent link=\"a\"/></sensor></robot>");
  const std::string set = folder / "set.json";
  REQUIRE(run_program("sensors " + robot + " --sigma accelerometer=0.25 -o " + set).code == 0);
  CHECK_THAT(text_of(set), Contains("\"accelerometer\", \"link\": \"a\", \"sigma\": 0.25"));
  CHECK_THAT(text_of(set), !Contains("\"gyroscope\", \"link\": \"a\", \"sigma\""));
  const Run unknown = run_program("sensors " + robot + " --sigma gyroscop=1 -o " + set);
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("gyroscope"));
  for (const std::string wrong : {"gyroscope", "gyroscope=0", "gyroscope=x", "gyroscope=-1"})
    CHECK(run_program("sensors " + robot + " --sigma " + wrong + " -o " + set).code == 2);
}

TEST_CASE("a sole that is excepted and not named: check, solve, optimise and simulate warn that its wrench is zero") {
  TemporaryFolder folder;
  const std::string r = robot("humanoid"), log = folder / "log.csv";
  const auto set = [&](const std::string& name, const std::string& more) {
    return folder.file(
        name,
        "{\"sensors\": [{\"name\": \"motors\", \"type\": \"joint_torque\", \"joint\": \"*\"},\n"
        "{\"name\": \"free\", \"type\": \"joint_torque\", \"joint\": \"base\", \"value\": 0},\n"
        "{\"name\": \"air\", \"type\": \"external_wrench\", \"link\": \"*\", \"except\": [\"l_sole\"], \"value\": 0}" +
            more + "}");
  };
  const std::string zero = "\"l_sole\" is excepted from \"air\", but no sensor and no \"unknown\" names its wrench: it is zero";
  const std::string silent = set("silent.json", "]"), named = set("named.json", "], \"unknown\": [\"fx.l_sole\"]");
  const Run checked = run_program("check " + r + " --floating --sensors " + silent);
  CHECK(checked.code == 0);
  CHECK_THAT(checked.err, Contains("silent.json:3: " + zero));
  CHECK_THAT(run_program("check " + r + " --floating --quiet --sensors " + silent).err, !Contains("excepted"));
  CHECK_THAT(run_program("check " + r + " --floating --sensors " + named).err, !Contains("excepted"));
  const Run simulated =
      run_program("simulate " + r + " --floating --sensors " + silent + " --seconds 0.1 --rate 100 -o " + log);
  CHECK(simulated.code == 0);
  CHECK_THAT(simulated.err, Contains(zero));
  const Run solved =
      run_program("solve " + r + " --floating --sensors " + silent + " --log " + log + " -o " + (folder / "out.csv"));
  CHECK(solved.code == 0);
  CHECK_THAT(solved.err, Contains(zero));
}

TEST_CASE("a list of one link or joint: its columns name it in log headers, simulated readings and solve") {
  TemporaryFolder folder;
  const std::string set =
      folder.file("set.json",
                  "{\"sensors\": [{\"name\": \"enc\", \"type\": \"joint_acceleration\", \"joint\": \"*\"},\n"
                  "{\"name\": \"air\", \"type\": \"external_wrench\", \"link\": \"*\", \"value\": 0},\n"
                  "{\"name\": \"acc\", \"type\": \"accelerometer\", \"link\": [\"link7\"], \"sigma\": 0.1},\n"
                  "{\"name\": \"motor\", \"type\": \"joint_torque\", \"joint\": [\"joint2\"], \"sigma\": 0.1}]}");
  const std::string log = folder / "log.csv", out = folder / "out.csv";
  CHECK_THAT(run_program("info " + robot("arm") + " --log-header " + set).out,
             Contains("y.acc.link7.x,y.acc.link7.y,y.acc.link7.z") && Contains("y.motor.joint2") && !Contains("y.acc.x"));
  REQUIRE(run_program("simulate " + robot("arm") + " --sensors " + set + " --seconds 0.1 --rate 100 -o " + log).code == 0);
  CHECK_THAT(text_of(log).substr(0, text_of(log).find('\n')), Contains("y.acc.link7.x") && Contains("y.motor.joint2"));
  CHECK(run_program("solve " + robot("arm") + " --sensors " + set + " --log " + log + " --outputs tau -o " + out).code == 0);
  std::string old = text_of(log);
  for (std::size_t at; (at = old.find("y.acc.link7.")) != std::string::npos;) old.replace(at, 12, "y.acc.");
  const Run missing = run_program("solve " + robot("arm") + " --sensors " + set + " --log " + folder.file("old.csv", old) +
                                  " --outputs tau -o " + out);
  CHECK(missing.code == 3);
  CHECK_THAT(missing.err, Contains("y.acc.link7.x"));
}
