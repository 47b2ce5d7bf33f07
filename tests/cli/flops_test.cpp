#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "program.hpp"

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

TEST_CASE("a robot with a sensor set, and a report in HTML") {
  TemporaryFolder folder;
  const std::string html = folder / "report.html";
  const Run run = run_program("flops " + robot("arm") + " --sensors forward-dynamics --json -o " + html);
  REQUIRE(run.code == 0);
  const json report = json::parse(run.out);
  for (const char* algorithm : {"rnea", "aba", "crba", "rnea+crba+ltdl", "zero_fill_lu", "program"})
    CHECK(total(entry(report, algorithm)["raw"]) > 0);
  CHECK(text_of(html).rfind("<!DOCTYPE html>", 0) == 0);
  CHECK_THAT(text_of(html), Catch::Contains(std::to_string(total(entry(report, "aba")["raw"]))));
}

TEST_CASE("chains are 1 to 1000 joints") {
  for (const char* range : {"0", "5..4", "2..1001", "x", "3..", "..3", "-1"})
    CHECK(run_program(std::string("flops --chain ") + range).code == 2);
  CHECK(run_program("flops").code == 2);
  CHECK(run_program("flops " + robot("arm") + " --sensors forward-dynamics --chain 3").code == 2);
}
