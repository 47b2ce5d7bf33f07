// solve with compiled code gives what it gives without, whatever the set, the rows and the compiler.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/csv_reader.hpp"
#include "io/file_cache.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using nlohmann::json;

namespace {

/// A standing robot: force/torque sensors and accelerometers beside the joint torques.
const char* const noisy_set = R"({"name": "noisy", "sensors": [
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
  {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})";

bool no_compiler() {
  if (std::system("cc --version > /dev/null 2>&1") == 0) return false;
  WARN("skipped: no C compiler");
  return true;
}

struct Both {
  Run plain, compiled;
  json summary() const { return json::parse(compiled.out)["compiled"]; }
};

/// The same request without and with --compiled, to plain.csv and compiled.csv. Without optimisation, so that compiling is
/// quick.
Both solve_both_ways(const TemporaryFolder& folder, const std::string& request, const std::string& environment = "CFLAGS=-O0") {
  const std::string begin = "solve " + request + " --json -o ";
  return {run_program(begin + (folder / "plain.csv")),
          run_program(begin + (folder / "compiled.csv") + " --compiled",
                      "XDG_CACHE_HOME=" + (folder / "cache") + " " + environment + " ")};
}

double difference(const TemporaryFolder& folder) { return worst_difference(folder / "compiled.csv", folder / "plain.csv"); }

}  // namespace

namespace {

/// The sensors of an arm whose sigmas span 12 decades.
const char* const wide_set = R"({"sensors": [
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.3},
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 7e-6},
  {"name": "com", "type": "com_acceleration", "sigma": 2e-4},
  {"name": "momentum", "type": "momentum_rate", "components": ["nz", "fx", "fy", "fz"], "sigma": 80},
  {"name": "grip", "type": "external_wrench", "link": "tool_tip", "sigma": [3e-7, 80, 1e4, 0.03, 900, 7e-5]},
  {"name": "air", "type": "external_wrench", "link": "*", "except": "tool_tip", "value": 0}]})";

/// Of deviations, each relative to itself.
double worst_deviation(const TemporaryFolder& folder) {
  sparsedyn::CsvReader a(folder / "compiled.csv"), b(folder / "plain.csv");
  int columns = 0;
  for (const std::string& name : a.columns())
    if (name.rfind("sd.", 0) == 0) a.ask(name), b.ask(name), ++columns;
  REQUIRE(columns > 0);
  double worst = 0;
  while (a.next() && b.next())
    for (int k = 0; k < columns; ++k) worst = std::max(worst, std::abs(a.value(k) - b.value(k)) / b.value(k));
  return worst;
}

}  // namespace

TEST_CASE("compiled: sigmas of 12 decades, by a program that refines") {
  if (no_compiler()) return;
  const TemporaryFolder folder;
  const std::string log = folder / "log.csv", arm = robot("arm") + " --sensors " + folder.file("wide.json", wide_set);
  REQUIRE(run_program("simulate " + arm + " --seconds 4 --rate 100 -o " + log).code == 0);
  const Both run = solve_both_ways(folder, arm + " --log " + log + " --sd --outputs tau.joint1,tau.joint7");
  REQUIRE(run.compiled.code == 0);
  CHECK(run.summary()["rows"] > 300);
  CHECK(difference(folder) < 1e-9);
  CHECK(worst_deviation(folder) < 1e-7);
}

TEST_CASE("compiled: that a set has no program is remembered") {
  if (no_compiler()) return;
  const TemporaryFolder folder;
  const std::string log = folder / "log.csv", arm = robot("arm") + " --sensors " + folder.file("wide.json", wide_set);
  REQUIRE(run_program("simulate " + arm + " --seconds 0.2 --rate 100 -o " + log).code == 0);
  const std::string request = arm + " --log " + log + " --innovations --outputs tau,ddq", kept = folder / "cache/sparsedyn";
  const auto is_refused = [&](const std::string& why) {
    const Both run = solve_both_ways(folder, request);
    REQUIRE(run.compiled.code == 0);
    CHECK_THAT(run.compiled.err, Contains("--compiled: " + why) && Contains("solved without"));
    CHECK(difference(folder) == 0);
  };
  is_refused("others predict ");
  std::vector<std::string> keys;
  for (const auto& file : std::filesystem::directory_iterator(kept))
    if (file.path().extension() == ".refused") keys.push_back(file.path().stem().string());
  REQUIRE(keys.size() == 1);
  CHECK(sparsedyn::FileCache(kept, "refused").keep(keys[0], "another reason, which only the cache knows"));
  is_refused("another reason, which only the cache knows");
}

TEST_CASE("compiled: determined sets, every kind of output, fixed and floating") {
  if (no_compiler()) return;
  const TemporaryFolder folder;
  const std::string arm = robot("arm") + " --log " + robot_log("arm") + " --sensors ";
  for (const char* rest : {"inverse-dynamics", "forward-dynamics", "inverse-dynamics --outputs tau,f,acc,f.world"}) {
    const Both run = solve_both_ways(folder, arm + rest);
    REQUIRE(run.compiled.code == 0);
    CHECK(run.summary()["rows"] == 249);
    CHECK(run.summary()["compared"] == 1);
    CHECK(difference(folder) < 1e-12);
  }
  const std::string log = folder / "log.csv", quadruped = robot("quadruped") + " --floating";
  REQUIRE(run_program("simulate " + quadruped + " --seconds 2 --rate 150 -o " + log).code == 0);
  for (const char* set : {"inverse-dynamics", "forward-dynamics"}) {
    const Both run = solve_both_ways(folder, quadruped + " --log " + log + " --sensors " + set);
    REQUIRE(run.compiled.code == 0);
    CHECK(run.summary()["compared"] == 2);  // more rows than a batch
    CHECK(difference(folder) < 1e-11);
  }
}

TEST_CASE("compiled, generated: hard loops hold in the program too") {
  if (no_compiler()) return;
  const TemporaryFolder folder;
  const std::string log = folder / "log.csv";
  const std::string loop = robot("four-bar") + " --constraints " + example("constraints/four-bar.json");
  REQUIRE(run_program("simulate " + loop + " --from " + example("motions/four-bar.csv") +
                      " --project --seconds 2 --rate 150 -o " + log)
              .code == 0);
  const std::string set = loop + " --sensors forward-dynamics --outputs ";
  for (const char* outputs : {"ddq", "ddq,lambda"}) {
    const Both run = solve_both_ways(folder, set + outputs + " --log " + log);
    INFO(run.compiled.err);
    REQUIRE(run.compiled.code == 0);
    CHECK(run.summary()["rows"] == 298);  // and two that both ways answered
    CHECK(difference(folder) < 1e-10);
  }
  const Run code = run_program("generate " + set + "ddq --json --name bars -o " + (folder / "code"));
  INFO(code.err);
  REQUIRE(code.code == 0);
  const Run free =
      run_program("generate " + robot("four-bar") + " --sensors forward-dynamics --json --name bars -o " + (folder / "free"));
  CHECK(json::parse(code.out)["flops"]["div"] > json::parse(free.out)["flops"]["div"]);  // the loop's pivots
  CHECK(run_program("generate " + loop + " --algorithm aba --name bars -o " + (folder / "code")).code == 2);
}

TEST_CASE("compiled: a redundant set, gaps in its sensors, deviations, innovations") {
  if (no_compiler()) return;
  const TemporaryFolder folder;
  const std::string set = folder.file("set.json", noisy_set), log = folder / "log.csv";
  REQUIRE(run_program("simulate " + robot("arm") + " --sensors " + set + " --seconds 0.5 --rate 100 -o " + log).code == 0);
  for (const char* rest : {"", " --outputs tau,acc.tool_tip --sd", " --sd --innovations"}) {
    const Both run = solve_both_ways(folder, robot("arm") + " --sensors " + set + " --log " + log + rest);
    REQUIRE(run.compiled.code == 0);
    CHECK(run.summary()["rows"].get<int>() > 40);
    CHECK(difference(folder) < 1e-11);
    const json a = json::parse(run.plain.out)["chi_square"], b = json::parse(run.compiled.out)["chi_square"];
    CHECK(a["expected"] == b["expected"]);
    CHECK(a["sum"].get<double>() == Approx(b["sum"].get<double>()).epsilon(1e-10));
    const json plain = json::parse(run.plain.out), compiled = json::parse(run.compiled.out);
    REQUIRE(plain.contains("innovations") == (std::string(rest).find("--innovations") != std::string::npos));
    REQUIRE(plain.contains("innovations") == compiled.contains("innovations"));
    if (!plain.contains("innovations")) continue;
    for (const auto& [sensor, rms] : plain["innovations"].items())
      CHECK(compiled["innovations"][sensor].get<double>() == Approx(rms.get<double>()).epsilon(1e-9));
  }
}

TEST_CASE("compiled: rows that fail are the same, in the same words") {
  if (no_compiler()) return;
  const TemporaryFolder folder;
  std::string log = "q.hinge,dq.hinge,ddq.hinge\n";
  for (int row = 0; row < 300; ++row) log += std::to_string(0.01 * row) + ",0.1,0.2\n";
  log += ",0,0\n1e999,0,0\n1,nan,0\n1,1e200,0\n3e5,0,1\n";
  const std::string turning =
      "<robot name=\"p\"><link name=\"a\"/><link name=\"b\"><inertial><origin xyz=\"0.5 0 0.1\"/><mass value=\"2\"/><inertia "
      "ixx=\"0.1\" "
      "ixy=\"0\" ixz=\"0\" iyy=\"0.1\" iyz=\"0\" izz=\"0.1\"/></inertial></link><joint name=\"hinge\" "
      "type=\"continuous\"><parent "
      "link=\"a\"/><child link=\"b\"/><axis xyz=\"0 1 0\"/></joint></robot>";
  const Both run =
      solve_both_ways(folder, folder.file("p.urdf", turning) + " --sensors inverse-dynamics --outputs tau,f --log " +
                                  folder.file("log.csv", log));
  CHECK(run.plain.code == 4);
  CHECK(run.compiled.code == 4);
  CHECK(run.compiled.err == run.plain.err);
  CHECK(json::parse(run.compiled.out)["rows_failed"] == json::parse(run.plain.out)["rows_failed"]);
  CHECK(difference(folder) < 1e-12);
}

TEST_CASE("compiled: a corrected log is the estimate's, and known offsets are off it") {
  TemporaryFolder folder;
  if (no_compiler()) return;
  const std::string log = folder / "log.csv";
  folder.file("known.json", R"({"offsets": {"y.motors.joint1": {"value": 5, "sd": 0}}, "columns": ["y.motors.joint1"],
                               "covariance": [[0]]})");
  const std::string set = folder.file("set.json", std::string(noisy_set).insert(1, "\"offsets\": \"known.json\", "));
  REQUIRE(run_program("simulate " + robot("arm") + " --sensors " + set + " --seconds 0.5 -o " + log).code == 0);
  const std::string request =
      "solve " + robot("arm") + " --sensors " + set + " --log " + log + " -o " + (folder / "out.csv") + " --corrected ";
  const Run plain = run_program(request + (folder / "plain.csv"));
  const Run compiled = run_program(request + (folder / "compiled.csv") + " --compiled");
  CHECK(plain.code == 0);
  CHECK(compiled.code == 0);
  CHECK_THAT(compiled.err, Contains("--compiled: a program gives no corrected readings; solved without"));
  CHECK(text_of(folder / "compiled.csv") == text_of(folder / "plain.csv"));
  CHECK(text_of(folder / "plain.csv") != text_of(log));
}

TEST_CASE("compiled: found in the cache the second time") {
  if (no_compiler()) return;
  const TemporaryFolder folder;
  const std::string request = robot("arm") + " --sensors inverse-dynamics --log " + robot_log("arm");
  CHECK(solve_both_ways(folder, request).summary()["cached"] == false);
  CHECK(solve_both_ways(folder, request).summary()["cached"] == true);
  CHECK(difference(folder) < 1e-12);
}

TEST_CASE("compiled: without a compiler, or with one that fails, a warning and the same rows") {
  const TemporaryFolder folder;
  const std::string request = robot("arm") + " --sensors inverse-dynamics --log " + robot_log("arm");
  for (const char* compiler : {"CC=no-such-compiler", "CC=false", "CC=true"}) {
    const Both run = solve_both_ways(folder, request, compiler);
    CHECK(run.compiled.code == 0);
    CHECK_THAT(run.compiled.err, Contains("warning: --compiled: ") && Contains("solved without"));
    CHECK(text_of(folder / "plain.csv") == text_of(folder / "compiled.csv"));
  }
}
