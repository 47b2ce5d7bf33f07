// Closed loops over time: check, optimise and track take the same constraints, and say of which forces nothing tells.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/csv_reader.hpp"
#include "io/text_file.hpp"
#include "program.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;
using nlohmann::json;

namespace {

const char* const linkage_set = R"({"sensors": [
  {"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 0.001},
  {"name": "torques", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "nothing", "type": "external_wrench", "link": "*", "value": 0}]})";

struct ShippedLinkage {
  TemporaryFolder folder;
  std::string loops = example("constraints/four-bar.json");
  std::string of(const std::string& set) {
    return robot("four-bar") + " --constraints " + loops + " --sensors " + folder.file("set.json", set);
  }
  /// A second of it, with its sensors' readings.
  std::string log() {
    const Run made = run_program("simulate " + of(linkage_set) + " --from " + example("motions/four-bar.csv") +
                                 " --project --integrator runge-kutta --rate 500 --seconds 1 -o " + (folder / "log.csv"));
    INFO(made.err);
    REQUIRE(made.code == 0);
    return folder / "log.csv";
  }
};

const json forces_of_pin{"lambda.pin.x", "lambda.pin.y", "lambda.pin.z"};

std::vector<std::vector<double>> rows_in(const std::string& path) {
  CsvReader log(path);
  std::vector<int> slots;
  for (const std::string& column : log.columns()) slots.push_back(log.ask(column)), log.take_gap_words(slots.back());
  std::vector<std::vector<double>> rows;
  while (log.next()) {
    rows.emplace_back();
    for (int slot : slots) rows.back().push_back(log.state(slot) == CellState::number ? log.value(slot) : std::nan(""));
  }
  return rows;
}

}  // namespace

TEST_CASE("check --over-time with --constraints names the force across the plane of a linkage, and says yes") {
  ShippedLinkage linkage;
  const Run run = run_program("check --over-time --json " + linkage.of(linkage_set));
  INFO(run.err);
  REQUIRE(run.code == 0);
  const json said = json::parse(run.out);
  CHECK(said["rows_taken"] == "whole-body");
  CHECK(said["unobservable"] == json{"lambda.pin.y"});
  const json plain = json::parse(run_program("check --json " + robot("four-bar") + " --constraints " + linkage.loops).out);
  CHECK(plain["redundant"] == json{"pin.y"});
  std::string no_torques = linkage_set;
  no_torques.replace(no_torques.find("{\"name\": \"torques\""),
                     no_torques.find("{\"name\": \"nothing\"") - no_torques.find("{\"name\": \"torques\""), "");
  const Run blind = run_program("check --over-time --rows whole-body --json " + linkage.of(no_torques));
  INFO(blind.err);
  CHECK(json::parse(blind.out)["unobservable"] == forces_of_pin);
  const Run kinematic = run_program("check --over-time --rows kinematic " + linkage.of(linkage_set));
  CHECK_THAT(kinematic.err, Contains("kinematic rows do not use loops"));
}

TEST_CASE("track warns once of the forces that no reading tells where they are written, and lists them in its report") {
  ShippedLinkage linkage;
  const std::string line =
      "track " + linkage.of(linkage_set) + " --log " + linkage.log() + " -o " + (linkage.folder / "out.csv");
  for (const char* mode : {"", " --lag 3", " --batch"}) {
    INFO(mode);
    const Run run = run_program(line + " --json --sd --outputs q,lambda" + mode);
    INFO(run.err);
    REQUIRE(run.code == 0);
    CHECK_THAT(run.err, Contains("set.json: no reading tells lambda.pin.y: "));
    CHECK(run.err.find("no reading tells") == run.err.rfind("no reading tells"));
    const json said = json::parse(run.out);
    CHECK(said["at_prior"] == json{"lambda.pin.y"});
    CHECK(said["unobservable"] == json{"lambda.pin.y"});
  }
  const Run state = run_program(line + " --outputs q,dq");
  CHECK(state.code == 0);
  CHECK_THAT(state.err, !Contains("no reading tells"));
}

TEST_CASE("optimise --over-time with --constraints writes a plan that track takes with the same constraints alone") {
  ShippedLinkage linkage;
  const std::string plan = linkage.folder / "plan.json", out = linkage.folder / "out.csv", log = linkage.log();
  const Run made = run_program("optimise --over-time --json " + linkage.of(linkage_set) + " -o " + plan);
  INFO(made.err);
  REQUIRE(made.code == 0);
  const std::string line =
      "track " + linkage.of(linkage_set) + " --log " + log + " --json --sd --outputs q,dq,lambda.pin.x -o " + out;
  const Run stated = run_program(line);
  INFO(stated.err);
  REQUIRE(stated.code == 0);
  const auto without = rows_in(out);
  const Run planned = run_program(line + " --plan " + plan);
  INFO(planned.err);
  REQUIRE(planned.code == 0);
  CHECK(json::parse(planned.out)["flops"] == json::parse(made.out)["flops"]);
  const auto with = rows_in(out);
  REQUIRE(without.size() == with.size());
  for (std::size_t k = 0; k < with.size(); ++k)
    for (std::size_t c = 0; c < with[k].size(); ++c) {
      if (std::isnan(with[k][c]) && std::isnan(without[k][c])) continue;
      CHECK(std::abs(with[k][c] - without[k][c]) < 1e-6 * std::max(1.0, std::abs(with[k][c])));
    }
  const Run open = run_program("track " + robot("four-bar") + " --sensors " + (linkage.folder / "set.json") + " --log " + log +
                               " -o " + out + " --plan " + plan);
  CHECK(open.code == 1);
  CHECK_THAT(open.err, Contains("the plan "));
}

namespace {

/// Of (error / deviation)² of a column: the mean, and the share below 4.
struct Judged {
  double nees = 0, inside = 0;
};

/// From the 50th row on, beside the simulation's own numbers; means over an interval beside the mean of its ends.
Judged judged(const std::string& truth, const std::string& estimate, const std::string& column) {
  CsvReader log(truth), out(estimate);
  const int there = log.ask(column), here = out.ask(column), deviation = out.ask("sd." + column);
  out.take_gap_words(here), out.take_gap_words(deviation);
  const bool mean = column[0] != 'q' && column.rfind("dq.", 0) != 0;
  Judged found;
  double before = 0;
  int rows = 0;
  for (int k = 0; log.next() && out.next(); ++k) {
    const double now = log.value(there), true_one = mean ? 0.5 * (before + now) : now;
    before = now;
    if (k < 50) continue;
    const double e = (out.value(here) - true_one) / out.value(deviation);
    found.nees += e * e, found.inside += e * e < 4, ++rows;
  }
  REQUIRE(rows > 400);
  return {found.nees / rows, found.inside / rows};
}

}  // namespace

TEST_CASE("simulate with loops and sensors, then track with the same loops: motion and forces err as their deviations say") {
  ShippedLinkage linkage;
  const std::string out = linkage.folder / "out.csv", log = linkage.log();
  const Run run = run_program("track " + linkage.of(linkage_set) + " --log " + log +
                              " --json --sd --outputs q,dq,ddq,tau,lambda.pin.x,lambda.pin.z -o " + out);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK(json::parse(run.out)["compared"].size() == 14);
  for (const char* kind : {"q.", "dq.", "ddq.", "tau."})
    for (const char* joint : {"crank", "coupler", "rocker"}) {
      const Judged found = judged(log, out, std::string(kind) + joint);
      CAPTURE(kind, joint, found.nees, found.inside);
      CHECK((found.nees > 0.7 && found.nees < 1.4));
      CHECK(found.inside > 0.92);
    }
  for (const char* force : {"lambda.pin.x", "lambda.pin.z"}) {
    const Judged found = judged(log, out, force);
    CAPTURE(force, found.nees, found.inside);
    CHECK((found.nees > 0.7 && found.nees < 1.4));
    CHECK(found.inside > 0.92);
  }
  CsvReader estimates(out);  // no wider than what one row of torques tells: they would be, were forces taken from the prior
  const int deviation = estimates.ask("sd.lambda.pin.x");
  estimates.take_gap_words(deviation);
  for (int k = 0; estimates.next(); ++k)
    if (k > 0) REQUIRE(estimates.value(deviation) < 1);
}
