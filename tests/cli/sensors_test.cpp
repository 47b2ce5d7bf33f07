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
  CHECK(piped.err == "1 sensors: 1 gyroscope\n");
}

TEST_CASE("sensors: bad use and bad files") {
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
