#include <catch2/catch.hpp>
#include <limits>

#include "random_systems.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

struct Written {
  RandomSystem system = random_system(6, 0.2, 11);
  Plan plan = make_plan(system.pattern, system.order);
  std::string text;

  Written() {
    plan.fingerprint = "0123456789abcdef";
    plan.strategy = "greedy";
    plan.health.states = 704;
    plan.health.worst_backward_error = 2.5e-16;
    plan.health.worst_growth = 12.5;
    plan.health.worst_state = {0.1, -1.0 / 3};
    text = plan_to_json(plan, {"arm", "forward-dynamics"});
  }
  Plan read(const std::string& json) const {
    return plan_from_json(json::Document::parse(json, "plan.json"), plan.fingerprint, system.pattern);
  }
  std::string with(const std::string& found, const std::string& replacement) const {
    const std::size_t at = text.find(found);
    REQUIRE(at != std::string::npos);
    return text.substr(0, at) + replacement + text.substr(at + found.size());
  }
  std::string list(const std::vector<int>& values) const {
    std::string s = "[";
    for (int v : values) s += (s.size() > 1 ? "," : "") + std::to_string(v);
    return s + "]";
  }
  /// The file with its rows replaced.
  std::string with_rows(const std::vector<int>& rows) const {
    return with("\"rows\": " + list(plan.order.rows), "\"rows\": " + list(rows));
  }
};

std::string message(const Written& w, const std::string& json) {
  try {
    w.read(json);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("A plan reads back as it was written") {
  Written w;
  Plan read = w.read(w.text);
  CHECK(read.order.rows == w.plan.order.rows);
  CHECK(read.order.columns == w.plan.order.columns);
  CHECK(read.strategy == "greedy");
  CHECK(read.fingerprint == w.plan.fingerprint);
  CHECK(read.flops() == w.plan.flops());
  CHECK(read.health.worst_backward_error == w.plan.health.worst_backward_error);
  CHECK(read.health.worst_growth == w.plan.health.worst_growth);
  CHECK(read.health.worst_state == w.plan.health.worst_state);
  CHECK_FALSE(read.fallback);

  w.plan.fallback = w.plan.order;
  w.plan.fallback_strategy = "recursive";
  w.plan.health.worst_backward_error = std::numeric_limits<double>::infinity();
  read = w.read(plan_to_json(w.plan, {"arm", "forward-dynamics"}));
  REQUIRE(read.fallback);
  CHECK(read.fallback->columns == w.plan.order.columns);
  CHECK(read.fallback_strategy == "recursive");
  CHECK_FALSE(read.health.healthy());
}

TEST_CASE("A plan for some outputs states the cost of all, and can be read for others") {
  const Written w;
  Plan some = make_plan(w.system.pattern, w.system.order, {}, {w.system.order.columns[5]});
  some.fingerprint = w.plan.fingerprint;
  const Plan read = w.read(plan_to_json(some, {"arm", "forward-dynamics"}));
  CHECK(read.flops() == w.plan.flops());
  const Plan narrowed = plan_from_json(json::Document::parse(w.text, "plan.json"), w.plan.fingerprint, w.system.pattern, {},
                                       {w.system.order.columns[5]});
  CHECK(narrowed.flops() == some.flops());
}

TEST_CASE("A plan made for another robot or set does not fit") {
  const Written w;
  const json::Document document = json::Document::parse(w.text, "plan.json");
  CHECK_THROWS_AS(plan_from_json(document, "another", w.system.pattern), PlanMismatch);
  CHECK_THROWS_WITH(plan_from_json(document, "another", w.system.pattern), Catch::Contains("arm with forward-dynamics"));
}

TEST_CASE("Tampered plans are refused with file and line, never executed") {
  const Written w;
  std::vector<int> rows = w.plan.order.rows;
  CHECK(message(w, w.text) == "accepted");

  CHECK_THAT(message(w, w.with("\"version\": 1", "\"version\": 2")), Catch::Contains("plan.json:3: version: 2; expected"));
  CHECK_THAT(message(w, w.with("sparsedyn-plan", "other-plan")), Catch::Contains("plan.json:2: format"));
  CHECK_THAT(message(w, w.with("\"strategy\"", "\"strategem\"")), Catch::Contains("strategem"));
  CHECK_THAT(message(w, w.with("\"unknowns\": 6", "\"unknowns\": 7")), Catch::Contains("plan.json:"));
  CHECK_THAT(message(w, w.with("\"unknowns\": 6", "\"unknowns\": -1")), Catch::Contains("unknowns"));

  rows[2] = 6;
  CHECK_THAT(message(w, w.with_rows(rows)), Catch::Contains("index 6 among the rows is out of range"));
  rows[2] = -1;
  CHECK_THAT(message(w, w.with_rows(rows)), Catch::Contains("index -1 among the rows is out of range"));
  rows[2] = rows[3];
  CHECK_THAT(message(w, w.with_rows(rows)), Catch::Contains("stands twice among the rows"));
  rows = w.plan.order.rows;
  rows.pop_back();
  CHECK_THAT(message(w, w.with_rows(rows)), Catch::Contains("5 rows"));
  CHECK_THAT(message(w, w.with("\"rows\": [", "\"rows\": [0.5,")), Catch::Contains("rows"));

  const std::string mul = "\"mul\":" + std::to_string(w.plan.factor_flops().mul);
  CHECK_THAT(message(w, w.with(mul, "\"mul\":0")), Catch::Contains("the order's own cost"));
  CHECK_THAT(message(w, w.with(mul, "\"mul\":-3")), Catch::Contains("a count"));
  CHECK_THAT(message(w, w.with("\"fill\": ", "\"fill\": 1")), Catch::Contains("fill"));
  CHECK_THAT(message(w, w.with("\"healthy\":true", "\"healthy\":false")), Catch::Contains("healthy"));
  CHECK_THAT(message(w, w.text.substr(0, w.text.size() / 2)), Catch::Contains("plan.json:"));
  CHECK_THAT(message(w, "[]"), Catch::Contains("plan.json:"));
}

TEST_CASE("An order with a structurally zero pivot is refused") {
  const Pattern diagonal{2, 2, {0, 1, 2}, {0, 1}};
  Plan plan = make_plan(diagonal, {{0, 1}, {0, 1}});
  plan.fingerprint = "f";
  std::string text = plan_to_json(plan, {"r", "s"});
  const std::size_t at = text.find("\"rows\": [0,1]");
  REQUIRE(at != std::string::npos);
  text.replace(at, 13, "\"rows\": [1,0]");
  CHECK_THROWS_AS(plan_from_json(json::Document::parse(text, "p.json"), "f", diagonal), InputError);
}
