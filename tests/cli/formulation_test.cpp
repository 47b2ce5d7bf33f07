// A plan names its formulation, and the runtime follows it.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using nlohmann::json;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}
void write_text(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

/// Largest difference from the log's own columns, over all outputs.
double worst_compared(const json& report) {
  double worst = 0;
  REQUIRE(!report["compared"].empty());
  for (const json& column : report["compared"]) worst = std::max(worst, column["max"].get<double>());
  return worst;
}

const std::string arm = robot("arm"), arm_log = robot_log("arm");

}  // namespace

TEST_CASE("a plan in any formulation gives the log's own torques and accelerations") {
  TemporaryFolder folder;
  const std::string plan = folder / "plan.json", out = " -o " + (folder / "out.csv");
  for (const char* formulation : {"newton-euler", "net-forces", "intermediate-frames+shifted",
                                  "canonical+intermediate-frames+shifted", "canonical+joint-space"})
    for (const auto& [set, output] : {std::pair<const char*, const char*>{"inverse-dynamics", "tau"},
                                      std::pair<const char*, const char*>{"forward-dynamics", "ddq"}}) {
      CAPTURE(formulation, set);
      const Run made = run_program("optimise " + arm + " --sensors " + set + " --outputs " + output + " --json --formulation " +
                                   formulation + " -o " + plan);
      REQUIRE(made.code == 0);
      CHECK(json::parse(made.out)["formulation"] == formulation);
      CHECK(json::parse(text_of(plan)).value("formulation", "newton-euler") == formulation);
      const Run solved = run_program("solve " + arm + " --sensors " + set + " --plan " + plan + " --log " + arm_log +
                                     " --outputs " + output + " --json" + out);
      REQUIRE(solved.code == 0);
      CHECK(worst_compared(json::parse(solved.out)) < 1e-8);  // a log's accelerations of light links are large
    }
}

TEST_CASE("formulations are refused by name, by file and where they do not serve") {
  TemporaryFolder folder;
  const std::string plan = folder / "plan.json", on = " --sensors forward-dynamics";
  const Run unknown = run_program("optimise " + arm + on + " --formulation shiftd -o " + plan);
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("newton-euler") && Contains("shifted"));

  REQUIRE(run_program("optimise " + arm + on + " --formulation joint-space -o " + plan).code == 0);
  const std::string text = text_of(plan),
                    solve = "solve " + arm + on + " --log " + arm_log + " -o " + (folder / "o.csv") + " --plan ";
  const Run outputs = run_program(solve + plan + " --outputs f.joint1");
  CHECK(outputs.code == 1);
  CHECK_THAT(outputs.err, Contains("f.joint1") && Contains("joint-space"));

  const std::string broken = folder / "broken.json";
  std::string other = text;
  other.replace(other.find("\"joint-space\""), 13, "\"joint-spice\"");
  write_text(broken, other);
  const Run misspelt = run_program(solve + broken);
  CHECK(misspelt.code == 3);
  CHECK_THAT(misspelt.err, Contains("broken.json:") && Contains("joint-spice"));

  other = text;
  other.replace(other.find("\"joint-space\""), 13, "\"newton-euler\"");
  write_text(broken, other);
  CHECK(run_program(solve + broken).code == 1);
}
