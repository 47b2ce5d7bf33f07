// The log's time: copied where it is a number, warned of once and counted where it is none, goes back or repeats.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "pendulum.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

namespace {

const std::string faulty =
    "time,q.hinge,dq.hinge,ddq.hinge\n0.10,0,0,0\nnan,0,0,0\n\"0.2\",0,0,0\n0.2,0,0,0\n0.15,0,0,0\n,0,0,0\n1e999,0,0,0\nnoon,0,"
    "0,0\n"
    "0.3,0,0,0\n";

long faults_of(const Run& run) { return nlohmann::json::parse(run.out)["time_faults"].get<long>(); }

}  // namespace

TEST_CASE("compute copies times that are numbers, and counts those that are none, go back or repeat") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), log = folder.file("log.csv", faulty),
                    out = folder / "out.csv";
  const Run run = run_program("compute rnea --json " + urdf + " --log " + log + " -o " + out);
  CHECK(run.code == 0);
  CHECK(faults_of(run) == 6);
  CHECK(run.err == "warning: " + log + ": time: line 3 is no number, line 5 repeats, line 6 goes back, … 6 rows in all\n");
  CHECK(text_of(out) ==
        "time,tau.hinge\n0.10,-9.81\n,-9.81\n\"0.2\",-9.81\n0.2,-9.81\n0.15,-9.81\n,-9.81\n,-9.81\n,-9.81\n0.3,-9.81\n");
  CHECK(run_program("compute rnea --quiet " + urdf + " --log " + log + " -o " + out).err.empty());
}

TEST_CASE("solve counts the same faults, and copies times that are numbers") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), log = folder.file("log.csv", faulty),
                    out = folder / "out.csv";
  const Run run = run_program("solve --json " + urdf + " --sensors inverse-dynamics --log " + log + " -o " + out);
  CHECK(run.code == 0);
  CHECK(faults_of(run) == 6);
  CHECK_THAT(run.err, Contains("time: line 3 is no number, line 5 repeats, line 6 goes back, … 6 rows in all"));
  CHECK_THAT(text_of(out), Catch::StartsWith("time,tau.hinge\n0.10,-9.8") && Contains("\n,-9.8") && Contains("\n0.15,-9.8"));
  CHECK_THAT(text_of(out), !Contains("nan") && !Contains("noon") && !Contains("1e999"));
}

TEST_CASE("a sound time has no faults, nor has a log without one") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum);
  for (const char* text :
       {"time,q.hinge,dq.hinge,ddq.hinge\n-1,0,0,0\n 0 ,0,0,0\n1e-3,0,0,0\n", "q.hinge,dq.hinge,ddq.hinge\n0,0,0\n"})
    for (const char* command : {"compute rnea", "solve --sensors inverse-dynamics"}) {
      const Run run =
          run_program(std::string(command) + " --json " + urdf + " --log " + folder.file("log.csv", text) + " -o /dev/null");
      CHECK(faults_of(run) == 0);
      CHECK(run.err.empty());
    }
}
