// A plan names its formulation, and the runtime follows it.
#include <array>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "pendulum.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using nlohmann::json;

namespace {

/// Largest difference from the log's own columns, over all outputs.
double worst_compared(const json& report) {
  double worst = 0;
  REQUIRE(!report["compared"].empty());
  for (const json& column : report["compared"]) worst = std::max(worst, column["max"].get<double>());
  return worst;
}

const std::string the_arm = robot("arm"), arm_log = robot_log("arm");

}  // namespace

TEST_CASE("a plan in any formulation gives the log's own torques and accelerations") {
  TemporaryFolder folder;
  const std::string plan = folder / "plan.json", out = " -o " + (folder / "out.csv");
  for (const auto& [formulation, set, output] :
       {std::array<const char*, 3>{"canonical+intermediate-frames+shifted", "forward-dynamics", "ddq"},
        std::array<const char*, 3>{"net-forces", "forward-dynamics", "ddq"},
        std::array<const char*, 3>{"canonical+joint-space", "inverse-dynamics", "tau"}}) {
    CAPTURE(formulation, set);
    const std::string of = the_arm + " --sensors " + set + " --outputs " + output;
    const Run made = run_program("optimise " + of + " --json --formulation " + formulation + " -o " + plan);
    REQUIRE(made.code == 0);
    CHECK(json::parse(made.out)["formulation"] == formulation);
    CHECK(json::parse(text_of(plan))["formulation"] == formulation);
    const Run solved = run_program("solve " + of + " --plan " + plan + " --log " + arm_log + " --json" + out);
    REQUIRE(solved.code == 0);
    CHECK(worst_compared(json::parse(solved.out)) < 1e-8);  // a log's accelerations of light links are large
    const std::string name = " --name plan -o " + (folder / "generated");
    CHECK(run_program("generate " + of + " --plan " + plan + name).code == 0);
  }
}

TEST_CASE("the cheapest formulation is chosen among all that serve") {
  TemporaryFolder folder;
  const std::string plan = folder / "plan.json", urdf = folder / "pendulum.urdf";
  folder.file("pendulum.urdf", pendulum);
  const Run run = run_program("optimise " + urdf + " --sensors forward-dynamics --formulation best --json -o " + plan);
  REQUIRE(run.code == 0);
  const json report = json::parse(run.out);
  CHECK(report["formulations"].size() == 13);
  CHECK(report["formulation"] == report["formulations"][0]["name"]);
  for (const json& formulation : report["formulations"]) CHECK(formulation["cost"] >= report["formulations"][0]["cost"]);
  for (const char* wrong : {"--cost cheap", "--budget 10m", "--formulation worst"})
    CHECK(run_program("optimise " + urdf + " --sensors forward-dynamics " + wrong + " -o " + plan).code == 2);
  CHECK(run_program("optimise " + urdf + " --sensors forward-dynamics --cost folded --budget 0.1s -o " + plan).code == 0);
}

TEST_CASE("formulations are refused by name, by file and where they do not serve") {
  TemporaryFolder folder;
  const std::string plan = folder / "plan.json", on = " --sensors forward-dynamics";
  const Run unknown = run_program("optimise " + the_arm + on + " --formulation shiftd -o " + plan);
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("newton-euler") && Contains("shifted"));

  REQUIRE(run_program("optimise " + the_arm + on + " --formulation joint-space -o " + plan).code == 0);
  const std::string text = text_of(plan),
                    solve = "solve " + the_arm + on + " --log " + arm_log + " -o " + (folder / "o.csv") + " --plan ";
  const Run outputs = run_program(solve + plan + " --outputs f.joint1");
  CHECK(outputs.code == 1);
  CHECK_THAT(outputs.err, Contains("f.joint1") && Contains("joint-space"));

  const std::string broken = folder / "broken.json";
  std::string other = text;
  other.replace(other.find("\"joint-space\""), 13, "\"joint-spice\"");
  folder.file("broken.json", other);
  const Run misspelt = run_program(solve + broken);
  CHECK(misspelt.code == 3);
  CHECK_THAT(misspelt.err, Contains("broken.json:") && Contains("joint-spice"));

  other = text;
  other.replace(other.find("\"joint-space\""), 13, "\"newton-euler\"");
  folder.file("broken.json", other);
  CHECK(run_program(solve + broken).code == 1);
}
