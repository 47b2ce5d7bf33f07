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
    return optimise_set(set_with(sigma), more);
  }

  nlohmann::json optimise_set(const std::string& set, const std::string& more = "") const {
    const Run run = run_program("optimise --json --quiet " + robot("arm") + " --sensors " + folder.file("set.json", set) +
                                    " -o " + (folder / "plan.json") + more,
                                cache);
    INFO(run.err);
    REQUIRE(run.code == 0);
    return nlohmann::json::parse(run.out);
  }
};

/// Everything measured, by these deviations.
std::string measured(const std::string& torques, const std::string& accelerations, const std::string& wrenches) {
  return R"({"sensors": [{"name": "m", "type": "joint_torque", "joint": "*", "sigma": )" + torques +
         R"(}, {"name": "e", "type": "joint_acceleration", "joint": "*", "sigma": )" + accelerations +
         R"(}, {"name": "w", "type": "external_wrench", "link": "*", "sigma": )" + wrenches + "}]}";
}

long chosen_cost(const nlohmann::json& found) {
  for (const nlohmann::json& each : found["strategies"])
    if (each["name"] == found["chosen"]) return each["cost"];
  FAIL("the chosen strategy is not listed");
  return 0;
}

}  // namespace

TEST_CASE("optimise after a run with deviations decades away is no dearer than a search") {
  const std::string usual = measured("0.1", "0.5", "0.1");
  const long anew = chosen_cost(Kept().optimise_set(usual));
  for (const std::string& before : {measured("1e-4", "1", "1e2"), measured("10", "0.01", "100")}) {
    const Kept kept;
    kept.optimise_set(before);
    CHECK(chosen_cost(kept.optimise_set(usual)) <= anew);
  }
}

TEST_CASE("optimise keeps a number of structures") {
  const Kept kept;
  kept.optimise("0.1");
  const std::string folder = kept.folder / "cache/sparsedyn/orders";
  REQUIRE(std::system(
              ("cd " + folder + " && for k in $(seq 1000 1300); do touch -d 2000-01-02 000000000000$k.orders; done").c_str()) ==
          0);
  kept.optimise("4");
  REQUIRE(std::system(("test $(ls " + folder + " | wc -l) -le 200").c_str()) == 0);
  CHECK(kept.optimise("4")["recalled"] == true);
}

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
  CHECK(chosen_cost(other) <= chosen_cost(anew));
  CHECK(other["strategies"].front()["health"] != first["strategies"].front()["health"]);
}

TEST_CASE("optimise after a change of sigma marks what it did not judge, and judges all where that is asked for") {
  const Kept kept;
  const nlohmann::json first = kept.optimise("0.1"), found = kept.optimise("0.4"), all = kept.optimise("0.4", " --judge-all");
  REQUIRE(found["strategies"].size() == first["strategies"].size());
  int earlier = 0;
  for (std::size_t k = 0; k < found["strategies"].size(); ++k) {
    nlohmann::json line = found["strategies"][k];
    const bool marked = line.value("judged_earlier", false);
    earlier += marked;
    CHECK(marked == (line["name"] != found["chosen"]));
    line.erase("judged_earlier");
    CHECK(line == (marked ? first : all)["strategies"][k]);
    CHECK_FALSE(all["strategies"][k].contains("judged_earlier"));
  }
  CHECK(earlier > 0);
  const Run text = run_program("optimise " + robot("arm") + " --sensors " + kept.folder.file("set.json", set_with("0.4")) +
                                   " -o " + (kept.folder / "plan.json"),
                               kept.cache);
  CHECK(text.out.find(" ~\n") != std::string::npos);
  CHECK(text.out.find("~ error and growth as judged with the sigmas of an earlier search") != std::string::npos);
  CHECK(text.err.find("--judge-all") != std::string::npos);
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

TEST_CASE("solve and generate write the same bytes whatever was searched before") {
  const Kept kept;
  kept.optimise_set(measured("1e-4", "1", "1e2"));
  const std::string set = kept.folder.file("usual.json", measured("0.1", "0.5", "0.1"));
  const auto written = [&](const std::string& cache, const std::string& name) {
    const std::string common = robot("arm") + " --sensors " + set + " --outputs tau,ddq -o " + (kept.folder / name);
    const Run solve = run_program("solve --json --sd --log " + robot_log("arm") + " " + common + ".csv", cache),
              generate = run_program("generate --quiet --name f " + common, cache);
    INFO(solve.err << generate.err);
    REQUIRE(solve.code == 0);
    REQUIRE(generate.code == 0);
    return text_of(kept.folder / (name + ".csv")) + text_of(kept.folder / (name + "/f.c"));
  };
  CHECK(written(kept.cache, "after") == written("XDG_CACHE_HOME=" + (kept.folder / "empty") + " ", "alone"));
}
