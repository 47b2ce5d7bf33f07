// `optimise` and `solve` of a set whose structure was searched before: orders come from the user's cache, numbers do not.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "program.hpp"

using namespace sparsedyn::test;

namespace {

std::string set_with(const std::string& sigma) {
  return R"({"sensors": [{"name": "motors", "type": "joint_torque", "joint": "*", "sigma": )" + sigma + R"(},
    {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
    {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})";
}

struct Kept {
  TemporaryFolder folder;
  std::string cache = "XDG_CACHE_HOME=" + (folder / "cache") + " ";

  nlohmann::json optimise(const std::string& sigma, const std::string& more = "") const {
    const Run run = run_program("optimise --json --quiet " + robot("arm") + " --sensors " +
                                    folder.file("set.json", set_with(sigma)) + " -o " + (folder / "plan.json") + more,
                                cache);
    INFO(run.err);
    REQUIRE(run.code == 0);
    return nlohmann::json::parse(run.out);
  }
};

}  // namespace

TEST_CASE("optimise takes the orders of an earlier run for the structure, and says so") {
  const Kept kept;
  const nlohmann::json first = kept.optimise("0.1"), again = kept.optimise("0.1"), other = kept.optimise("0.4"),
                       anew = kept.optimise("0.4", " --no-cache");
  CHECK_FALSE(first.contains("recalled"));
  CHECK(again["recalled"] == true);
  CHECK(other["recalled"] == true);
  CHECK_FALSE(anew.contains("recalled"));
  CHECK(again["strategies"] == first["strategies"]);
  CHECK(again["chosen"] == first["chosen"]);
  CHECK(other["healthy"] == true);
  CHECK(other["chosen"] == anew["chosen"]);
  CHECK(other["strategies"].front()["flops"] == anew["strategies"].front()["flops"]);
  CHECK(other["strategies"].front()["health"] == anew["strategies"].front()["health"]);
  CHECK(other["strategies"].front()["health"] != first["strategies"].front()["health"]);
}

TEST_CASE("optimise with --no-cache keeps nothing") {
  const Kept kept;
  kept.optimise("0.1", " --no-cache");
  CHECK_FALSE(kept.optimise("0.1").contains("recalled"));
}

TEST_CASE("kept orders that were damaged are searched and written anew") {
  const Kept kept;
  const nlohmann::json first = kept.optimise("0.1");
  for (const std::string spoil : {"head -c 200 $f > x; mv x $f", "echo '{}' > $f", "sed -i s/1/2/ $f"}) {
    REQUIRE(std::system(
                ("cd " + (kept.folder / "cache/sparsedyn/orders") + " && for f in *.orders; do " + spoil + "; done").c_str()) ==
            0);
    const nlohmann::json next = kept.optimise("0.1");
    CHECK_FALSE(next.contains("recalled"));
    CHECK(next["strategies"] == first["strategies"]);
    CHECK(kept.optimise("0.1").contains("recalled"));
  }
}

TEST_CASE("solve answers by orders of another deviation as by its own") {
  const Kept kept;
  kept.optimise("0.1");
  const std::string set = kept.folder.file("other.json", set_with("0.4"));
  const auto solve = [&](const std::string& cache, const std::string& out) {
    const Run run = run_program("solve --json " + robot("arm") + " --sensors " + set + " --outputs tau,ddq --sd --log " +
                                    robot_log("arm") + " -o " + (kept.folder / out),
                                cache);
    REQUIRE(run.code == 0);
  };
  solve(kept.cache, "kept.csv");
  solve("XDG_CACHE_HOME=" + (kept.folder / "empty") + " ", "anew.csv");
  CHECK(worst_difference(kept.folder / "kept.csv", kept.folder / "anew.csv") < 1e-10);
}
