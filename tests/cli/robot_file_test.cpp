// Commands take a robot file where they take a URDF, and write the same bytes.
#include <catch2/catch.hpp>

#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

namespace {

struct Saved {
  std::string urdf, options, file;
};

Saved saved(const TemporaryFolder& folder, const std::string& name, const std::string& options) {
  Saved robot_file{robot(name), options, folder / (name + ".json")};
  const Run run = run_program("info " + robot_file.urdf + " " + options + " --save " + robot_file.file);
  REQUIRE(run.code == 0);
  return robot_file;
}

/// The bytes that a command writes with the URDF and with the robot file.
void check_same(const TemporaryFolder& folder, const Saved& robot_file, const std::string& command, const std::string& rest) {
  INFO(command << " " << robot_file.urdf);
  const std::string a = folder / "a.out", b = folder / "b.out";
  REQUIRE(run_program(command + " " + robot_file.urdf + " " + robot_file.options + " " + rest + " -o " + a).code == 0);
  REQUIRE(run_program(command + " " + robot_file.file + " " + rest + " -o " + b).code == 0);
  const std::string text = text_of(a);
  CHECK(text.size() > 100);
  CHECK(text == text_of(b));
}

}  // namespace

TEST_CASE("a robot file gives the bytes of its URDF") {
  const TemporaryFolder folder;
  for (const auto& [name, options] : {std::pair("arm", ""), {"quadruped", "--floating"}, {"humanoid", "--floating"}}) {
    const Saved robot_file = saved(folder, name, options);
    const std::string log = folder / "log.csv";
    check_same(folder, robot_file, "simulate", "--seconds 0.5 --rate 50");
    REQUIRE(run_program("simulate " + robot_file.file + " --seconds 0.5 --rate 50 -o " + log).code == 0);
    for (const char* algorithm : {"rnea", "aba", "crba", "energy"})
      check_same(folder, robot_file, std::string("compute ") + algorithm, "--log " + log);
    check_same(folder, robot_file, "solve", "--sensors inverse-dynamics --log " + log);
    check_same(folder, robot_file, "optimise", "--sensors forward-dynamics --seed 1");
    const std::string with = " --snap 0 --algorithm rnea --name f -o ", a = folder / "a", b = folder / "b";
    REQUIRE(run_program("generate " + robot_file.urdf + " " + robot_file.options + with + a).code == 0);
    REQUIRE(run_program("generate " + robot_file.file + with + b).code == 0);
    CHECK(text_of(a + "/f.c").size() > 1000);
    CHECK(text_of(a + "/f.c") == text_of(b + "/f.c"));
  }
}

TEST_CASE("options of the URDF are in the robot file, and others come on top") {
  const TemporaryFolder folder;
  const Saved robot_file = saved(folder, "arm", "--lock joint3=0.4 --gravity 0 0 -1.62");
  const Run info = run_program("info " + robot_file.file + " --json");
  CHECK_THAT(info.out, Contains("-1.62") && !Contains("\"dq.joint3\""));
  CHECK(run_program("info " + robot_file.file + " --lock joint3=0.4").code == 0);
  const Run other = run_program("info " + robot_file.file + " --lock joint3=0.5");
  CHECK(other.code == 2);
  CHECK_THAT(other.err, Contains("--lock joint3: the file holds it at another value"));
  const Run unknown = run_program("info " + robot_file.file + " --lock jiont4");
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("no joint of that name") && Contains("joint4"));
  CHECK_THAT(run_program("info " + robot_file.file + " --gravity 0 0 -3 --json").out, Contains("-3.0"));
  for (const char* option : {"--mimic", "--urdf-dynamics", "--urdf-transmissions"}) {
    const Run run = run_program("info " + robot_file.file + " " + option);
    CHECK(run.code == 2);
    CHECK_THAT(run.err, Contains(option) && Contains("where the URDF is saved"));
  }
  CHECK_THAT(run_program("info " + robot_file.file + " --floating").out, Contains("floating"));
}

TEST_CASE("a robot that was saved floating floats") {
  const TemporaryFolder folder;
  const Saved robot_file = saved(folder, "quadruped", "--floating");
  CHECK_THAT(run_program("info " + robot_file.file + " --json").out, Contains("\"floating\": true"));
  CHECK(run_program("info " + robot_file.file + " --floating").out == run_program("info " + robot_file.file).out);
}

TEST_CASE("a malformed robot file is refused at its line, and one without sensors by `sensors`") {
  const TemporaryFolder folder;
  const std::string file =
      folder.file("r.json", "{\"format\": \"sparsedyn-robot\", \"version\": 1,\n \"name\": \"x\", \"linsk\": []}");
  const Run run = run_program("info " + file);
  CHECK(run.code == 3);
  CHECK_THAT(run.err, Contains("r.json:2: key \"linsk\" (near: links)"));
  const Saved robot_file = saved(folder, "arm", "");
  const Run sensors = run_program("sensors " + robot_file.file + " -o " + (folder / "s.json"));
  CHECK(sensors.code == 3);
  CHECK_THAT(sensors.err, Contains("a robot file, which has no sensors; expected a URDF file"));
  CHECK(run_program("info " + robot_file.urdf + " --save -").code == 2);
}

TEST_CASE("identify writes the fitted robot file of a robot file") {
  const TemporaryFolder folder;
  const Saved robot_file = saved(folder, "arm", "");
  const std::string log = folder / "log.csv", fitted = folder / "fitted.json", urdf = folder / "fitted.urdf";
  REQUIRE(run_program("simulate " + robot_file.file + " --seconds 4 --rate 50 -o " + log).code == 0);
  REQUIRE(run_program("identify " + robot_file.file + " --log " + log + " -o " + (folder / "p.json") + " --urdf-out " + fitted)
              .code == 0);
  REQUIRE(run_program("identify " + robot_file.urdf + " --log " + log + " -o " + (folder / "p.json") + " --urdf-out " + urdf)
              .code == 0);
  const std::string a = folder / "a.csv", b = folder / "b.csv";
  REQUIRE(run_program("compute rnea " + fitted + " --log " + log + " -o " + a).code == 0);
  REQUIRE(run_program("compute rnea " + urdf + " --log " + log + " -o " + b).code == 0);
  CHECK(worst_difference(a, b) < 1e-9);
}
