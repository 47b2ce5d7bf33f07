#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "report/figure.hpp"

using namespace sparsedyn::test;
using nlohmann::json;

namespace {

long total(const json& counts) {
  return counts["mul"].get<long>() + counts["add"].get<long>() + counts["div"].get<long>() + counts["sqrt"].get<long>();
}

const json& entry(const json& report, const std::string& algorithm, int n = 0) {
  for (const json& e : report["entries"])
    if (e["algorithm"] == algorithm && (n == 0 || e["n"] == n)) return e;
  FAIL("no entry " << algorithm);
  return report;
}

}  // namespace

TEST_CASE("chains: counts grow as the algorithms do, and the literature stands beside them") {
  const Run run = run_program("flops --chain 3..5 --json");
  REQUIRE(run.code == 0);
  const json report = json::parse(run.out);
  for (const char* algorithm : {"rnea", "aba"}) {
    const long at3 = total(entry(report, algorithm, 3)["raw"]), at4 = total(entry(report, algorithm, 4)["raw"]),
               at5 = total(entry(report, algorithm, 5)["raw"]);
    CHECK(at5 - at4 == at4 - at3);  // O(n)
    CHECK(entry(report, algorithm, 5)["raw"]["trig"] == 10);
    CHECK(total(entry(report, algorithm, 5)["folded"]) <= at5);
  }
  const json& published = entry(report, "rnea", 5)["published"];
  CHECK(published[0]["mul"] == 93 * 5 - 108);
  CHECK(published[0]["add"] == 81 * 5 - 100);
  CHECK(entry(report, "aba", 5)["published"][0]["mul"] == 224 * 5 - 259);
  CHECK(total(entry(report, "zero_fill_lu", 5)["folded"]) <= total(entry(report, "zero_fill_lu", 5)["raw"]));
  CHECK(total(entry(report, "program", 5)["folded"]) < total(entry(report, "rnea", 5)["raw"]));
}

TEST_CASE("chains: polynomials fitted to the counts beside the published ones") {
  const Run run = run_program("flops --chain 2..6 --json");
  REQUIRE(run.code == 0);
  const json report = json::parse(run.out);
  const auto growth = [&](const std::string& algorithm, const std::string& who) {
    for (const json& line : report["growth"])
      if (line["algorithm"] == algorithm && line["who"] == who) return line;
    FAIL("no growth of " << algorithm << " by " << who);
    return json();
  };
  const json published = growth("crba", "Featherstone");
  CHECK(published["mul"][0].get<double>() == Approx(-32));
  CHECK(published["mul"][1].get<double>() == Approx(22));
  CHECK(published["mul"][2].get<double>() == Approx(10));
  const json raw = growth("rnea", "raw");
  CHECK(raw["largest_residual"].get<double>() < 1e-6);
  const double at2 = entry(report, "rnea", 2)["raw"]["mul"], at6 = entry(report, "rnea", 6)["raw"]["mul"];
  CHECK(raw["mul"][1].get<double>() == Approx((at6 - at2) / 4));
  CHECK(growth("rnea", "generated program")["mul"][1].get<double>() < raw["mul"][1].get<double>());
  CHECK_THAT(run_program("flops --chain 2..4").out, Catch::Contains("93 n − 108"));
  CHECK_FALSE(json::parse(run_program("flops --chain 2 --json").out).contains("growth"));
}

TEST_CASE("a robot with a sensor set, and a report in HTML") {
  TemporaryFolder folder;
  const std::string html = folder / "report.html";
  const Run run = run_program("flops " + robot("arm") + " --sensors forward-dynamics --json -o " + html);
  REQUIRE(run.code == 0);
  const json report = json::parse(run.out);
  for (const char* algorithm : {"rnea", "aba", "crba", "rnea+crba+ltdl", "zero_fill_lu", "program"})
    CHECK(total(entry(report, algorithm)["raw"]) > 0);
  CHECK(text_of(html).rfind("<!DOCTYPE html>", 0) == 0);
  CHECK_THAT(text_of(html), Catch::Contains(sparsedyn::report::grouped(total(entry(report, "aba")["raw"]))));
}

TEST_CASE("LU by order: phases add up, one order is chosen, each entry says what it includes") {
  const Run run = run_program("flops " + robot("arm") + " --sensors forward-dynamics --json");
  REQUIRE(run.code == 0);
  const json report = json::parse(run.out);
  int orders = 0, chosen = 0, other_formulations = 0;
  for (const json& e : report["entries"]) {
    CHECK(!e["includes"].get<std::string>().empty());
    CHECK(e["folded"].is_null() == e.contains("not_folded"));
    if (e["algorithm"] != "zero_fill_lu") continue;
    ++orders;
    chosen += e["chosen"].get<bool>();
    other_formulations += e["formulation"] != "newton-euler";
    for (const char* account : {"raw", "folded"})
      for (const char* kind : {"mul", "add", "div", "sqrt", "trig"}) {
        const json& phases = e["phases"][account];
        CHECK(e[account][kind].get<long>() == phases["assembly"][kind].get<long>() + phases["factorisation"][kind].get<long>() +
                                                  phases["solve"][kind].get<long>());
      }
    const json& phases = e["phases"];
    CHECK(phases["raw"]["assembly"] == phases["runtime"]["assembly"]);
    CHECK(total(phases["folded"]["factorisation"]) <= total(phases["runtime"]["factorisation"]));
    CHECK(total(phases["runtime"]["factorisation"]) <= total(phases["raw"]["factorisation"]));
  }
  CHECK(orders >= 3);
  CHECK(chosen == 1);
  CHECK(other_formulations == 15);  // eleven, and maximal coordinates in four orders
  const long n = entry(report, "dense_lu")["unknowns"].get<long>();
  CHECK(entry(report, "dense_lu")["phases"]["raw"]["factorisation"]["mul"] == (n * n * n - n) / 3);
  CHECK(total(entry(report, "zero_fill_lu")["raw"]) < total(entry(report, "normal_cholesky")["raw"]));
}

TEST_CASE("the page draws the matrix before and after, and loads nothing") {
  TemporaryFolder folder;
  const std::string robot_page = folder / "robot.html", chain_page = folder / "chain.html";
  REQUIRE(run_program("flops " + robot("arm") + " --sensors inverse-dynamics -o " + robot_page).code == 0);
  REQUIRE(run_program("flops --chain 2..4 -o " + chain_page).code == 0);
  for (const std::string& path : {robot_page, chain_page}) {
    const std::string page = text_of(path);
    CHECK_THAT(page, Catch::Contains("class=\"spy\"") && Catch::Contains("data-rows=\"kinematics.") &&
                         Catch::Contains("0 entries of fill-in"));
    CHECK_THAT(page, !Catch::Contains("src=") && !Catch::Contains("<link"));
  }
  CHECK_THAT(text_of(robot_page), Catch::Contains("class=\"bars\""));
  CHECK_THAT(text_of(chain_page), Catch::Contains("class=\"plot hover\"") && Catch::Contains("per joint"));
}

TEST_CASE("counts as CSV, the same as in JSON") {
  TemporaryFolder folder;
  const std::string csv = folder / "counts.csv";
  const Run run = run_program("flops --chain 3 --json -o " + csv);
  REQUIRE(run.code == 0);
  const json report = json::parse(run.out);
  const json& aba = entry(report, "aba", 3);
  const auto line = [&](const char* account, const json& c) {
    std::string text = std::string("aba,,,,3,") + account + ",total";
    for (const char* kind : {"mul", "add", "div", "sqrt", "trig"}) text += "," + std::to_string(c[kind].get<long>());
    return text + "\n";
  };
  const std::string text = text_of(csv);
  CHECK(text.rfind("algorithm,of,formulation,order,n,account,phase,mul,add,div,sqrt,trig\n", 0) == 0);
  CHECK_THAT(text, Catch::Contains(line("raw", aba["raw"])) && Catch::Contains(line("folded", aba["folded"])));
  CHECK_THAT(text, Catch::Contains("zero_fill_lu,forward-dynamics,newton-euler,recursive,3,runtime,factorisation,"));
}

TEST_CASE("a joint that moves no mass: forward dynamics divides by zero, and is not folded") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("massless.urdf", R"(<robot name="m"><link name="base"/>
    <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="b"/>
    <joint name="j1" type="continuous"><parent link="base"/><child link="a"/></joint>
    <joint name="j2" type="continuous"><parent link="a"/><child link="b"/></joint></robot>)");
  const Run run = run_program("flops " + urdf + " --sensors forward-dynamics --json");
  REQUIRE(run.code == 0);
  const json report = json::parse(run.out);
  CHECK_THAT(entry(report, "aba")["not_folded"].get<std::string>(), Catch::Contains("moves no mass"));
  CHECK(!entry(report, "rnea")["folded"].is_null());
  CHECK_THAT(run.err, Catch::Contains("no LU to count"));
  CHECK(run_program("flops " + urdf + " --sensors inverse-dynamics --quiet").code == 0);
}

TEST_CASE("a set of its own has its own program, no larger than its folded LU") {
  TemporaryFolder folder;
  const std::string set = folder.file("set.json", R"({"sensors": [
    {"name": "motion", "type": "joint_acceleration", "joint": "*"},
    {"name": "air", "type": "external_wrench", "link": "*", "except": ["link7"], "value": 0},
    {"name": "feel", "type": "force_torque", "joint": "joint7", "xyz": [0.01, 0.02, 0.03]}]})");
  const json report = json::parse(run_program("flops " + robot("arm") + " --sensors " + set + " --json").out);
  long program = 0, chosen = 0;
  for (const json& e : report["entries"]) {
    if (e["algorithm"] == "program" && e["of"] == "sensors") program = total(e["folded"]);
    if (e["algorithm"] == "zero_fill_lu" && e["chosen"] == true) chosen = total(e["folded"]);
  }
  CHECK(program > 0);
  CHECK(program <= chosen);
}

TEST_CASE("a set that does not determine the dynamics has no LU, and a warning says so") {
  TemporaryFolder folder;
  const std::string set =
      folder.file("set.json", R"({"sensors": [{"name": "q", "type": "joint_acceleration", "joint": "*"}]})");
  const Run run = run_program("flops " + robot("arm") + " --sensors " + set + " --json");
  CHECK(run.code == 0);
  CHECK_THAT(run.err, Catch::Contains("no LU to count"));
  CHECK_THAT(run.out, !Catch::Contains("zero_fill_lu"));
}

TEST_CASE("a redundant set: the augmented system in every order, one of them chosen, and its program") {
  TemporaryFolder folder;
  const std::string set = folder.file("set.json", R"({"name": "both", "sensors": [
    {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
    {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
    {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})");
  const Run run = run_program("flops " + robot("arm") + " --sensors " + set + " --json");
  REQUIRE(run.code == 0);
  CHECK_THAT(run.err, !Catch::Contains("no LU to count"));
  const json report = json::parse(run.out);
  const json plan =
      json::parse(run_program("optimise " + robot("arm") + " --sensors " + set + " --json -o " + (folder / "plan.json")).out);
  std::size_t orders = 0, chosen = 0;
  for (const json& e : report["entries"]) {
    if (e["algorithm"] != "zero_fill_lu") continue;
    CHECK(e["formulation"] == "augmented");
    CHECK(e["folded"].is_null());
    const json& phases = e["phases"]["runtime"];
    const json& flops = plan["strategies"][orders]["flops"];
    CHECK(e["order"] == plan["strategies"][orders]["name"]);
    CHECK(total(phases["factorisation"]) + total(phases["solve"]) ==
          flops["mul"].get<long>() + flops["add"].get<long>() + flops["div"].get<long>());
    CHECK(total(phases["factorisation"]) <= total(e["phases"]["raw"]["factorisation"]));
    ++orders, chosen += e["chosen"] == true;
  }
  CHECK(orders == plan["strategies"].size());
  CHECK(chosen == 1);
  const json& program = entry(report, "program");
  CHECK(total(program["folded"]) > 0);
}

TEST_CASE("chains are 1 to 1000 joints") {
  for (const char* range : {"0", "5..4", "2..1001", "x", "3..", "..3", "-1"})
    CHECK(run_program(std::string("flops --chain ") + range).code == 2);
  CHECK(run_program("flops").code == 2);
  CHECK(run_program("flops " + robot("arm") + " --sensors forward-dynamics --chain 3").code == 2);
}
