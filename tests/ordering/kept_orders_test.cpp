// Orders that an earlier search kept: taken again for equal numbers, compared with what is found for others.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <random>

#include "sparse/bounded_health.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;

namespace {

/// As the user's cache, without files.
class Remembered : public OrderMemory {
 public:
  std::optional<KeptOrders> find(const std::string& structure) const override {
    const auto found = kept.find(structure);
    return found == kept.end() ? std::nullopt : std::optional<KeptOrders>(found->second);
  }
  void keep(const std::string& structure, const KeptOrders& orders) const override { kept[structure] = orders; }
  mutable std::map<std::string, KeptOrders> kept;
};

/// Everything measured, torques by this deviation.
System measured(double torques, bool wrenches = false, const Model& model = test::random_tree(5, 1),
                double accelerations = 0.5) {
  const std::string set = R"({"sensors": [
    {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": )" +
                          std::to_string(torques) + R"(},
    {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": )" +
                          std::to_string(accelerations) + R"(},
    {"name": "air", "type": "external_wrench", "link": "*", )" +
                          (wrenches ? "\"sigma\": 0.1" : "\"value\": 0") + "}]}";
  return {model, parse_sensor_set(set, "set")};
}

struct Sigmas {
  double torques, accelerations, wrenches;
};

System measured_by(const Sigmas& s, const Model& model) {
  const auto sensor = [](const std::string& rest, double sigma) {
    return "{" + rest + ", \"sigma\": " + std::to_string(sigma) + "}";
  };
  return {model,
          parse_sensor_set("{\"sensors\": [" + sensor(R"("name": "m", "type": "joint_torque", "joint": "*")", s.torques) + "," +
                               sensor(R"("name": "e", "type": "joint_acceleration", "joint": "*")", s.accelerations) + "," +
                               sensor(R"("name": "w", "type": "external_wrench", "link": "*")", s.wrenches) + "]}",
                           "set")};
}

OptimiseOptions remembering(const std::shared_ptr<const OrderMemory>& memory) {
  OptimiseOptions options;
  options.health_states = 20, options.umfpack_states = 1;
  options.memory = memory;
  return options;
}

bool same(const Order& a, const Order& b) { return a.rows == b.rows && a.columns == b.columns; }

void check_same(const SearchedEstimator& a, const SearchedEstimator& b) {
  REQUIRE(a.strategies.size() == b.strategies.size());
  for (std::size_t k = 0; k < a.strategies.size(); ++k) {
    CHECK(a.strategies[k].strategy == b.strategies[k].strategy);
    CHECK(same(a.strategies[k].order, b.strategies[k].order));
    CHECK(a.strategies[k].flops().total() == b.strategies[k].flops().total());
    CHECK(a.strategies[k].health.worst_backward_error == b.strategies[k].health.worst_backward_error);
    CHECK(a.strategies[k].health.worst_growth == b.strategies[k].health.worst_growth);
  }
  CHECK(a.plan->plan.strategy == b.plan->plan.strategy);
  CHECK(same(a.plan->plan.order, b.plan->plan.order));
  REQUIRE(a.plan->missing_data.has_value() == b.plan->missing_data.has_value());
  if (a.plan->missing_data) CHECK(same(a.plan->missing_data->order, b.plan->missing_data->order));
  REQUIRE(a.plan->open_gaps.has_value() == b.plan->open_gaps.has_value());
  if (a.plan->open_gaps) CHECK(same(a.plan->open_gaps->plan.order, b.plan->open_gaps->plan.order));
}

/// Whether the orders for all readings are searched.
std::pair<SearchedEstimator, bool> watched_search(const System& system, OptimiseOptions options) {
  bool searches = false;
  options.progress = [&](const std::string& phase, double) { searches = searches || phase.find("all readings") == 0; };
  SearchedEstimator found = search_estimator_plan(system, {}, options);
  return {std::move(found), searches};
}

}  // namespace

TEST_CASE("a search for an equal set takes the orders of the one before") {
  const auto memory = std::make_shared<const Remembered>();
  const System system = measured(0.1);
  const SearchedEstimator alone = search_estimator_plan(system, {}, remembering(nullptr)),
                          first = search_estimator_plan(system, {}, remembering(memory)),
                          second = search_estimator_plan(system, {}, remembering(memory));
  CHECK_FALSE(first.recalled);
  CHECK(second.recalled);
  check_same(alone, first);
  check_same(first, second);
}

TEST_CASE("for another deviation orders are compared with those that are known, with a health of its own") {
  const auto memory = std::make_shared<const Remembered>();
  search_estimator_plan(measured(0.1), {}, remembering(memory));
  const System other = measured(0.7);
  OptimiseOptions judging_all = remembering(memory);
  judging_all.judge_all = true;
  const SearchedEstimator found = search_estimator_plan(other, {}, judging_all);
  REQUIRE(found.recalled);
  CHECK(found.plan->plan.numbers == other.numbers_fingerprint());
  const Samples samples = augmented_samples(other, *found.plan, 10);
  CHECK(measure_health(found.plan->plan, samples).healthy());
  const SearchedEstimator fresh = search_estimator_plan(other, {}, remembering(nullptr));
  int matches = 0;
  for (const StrategyResult& line : found.strategies) {
    const auto own = std::find_if(fresh.strategies.begin(), fresh.strategies.end(),
                                  [&](const StrategyResult& each) { return same(each.order, line.order); });
    if (own == fresh.strategies.end()) continue;
    ++matches;
    CHECK(own->health.worst_growth == line.health.worst_growth);
  }
  REQUIRE(matches > 0);
  CHECK(found.plan->plan.flops().total() <= fresh.plan->plan.flops().total());
}

TEST_CASE("a deviation that is near what it was needs no search where the same order is as healthy at all states") {
  const auto memory = std::make_shared<const Remembered>();
  const SearchedEstimator first = search_estimator_plan(measured(0.1), {}, remembering(memory));
  const KeptOrders searched = memory->kept.begin()->second;
  REQUIRE(searched.healthy);
  for (const double sigma : {0.02, 0.11, 0.9}) {
    CAPTURE(sigma);
    const System other = measured(sigma);
    const auto [near, searches] = watched_search(other, remembering(memory));
    CHECK((near.recalled && !searches));
    CHECK(same(near.plan->plan.order, first.plan->plan.order));
    CHECK(near.plan->plan.numbers == other.numbers_fingerprint());
    CHECK(near.plan->plan.health.states == first.plan->plan.health.states);
    CHECK(measure_health(near.plan->plan, augmented_samples(other, *near.plan, 200)).healthy());
    CHECK(memory->kept.begin()->second.numbers == searched.numbers);  // so that near is near the numbers of the search
  }
  CHECK(watched_search(measured(0.009), remembering(memory)).second);
}

TEST_CASE("of near deviations the chosen order is judged, and the other lines say that they were judged earlier") {
  const auto memory = std::make_shared<const Remembered>();
  const SearchedEstimator first = search_estimator_plan(measured(0.1), {}, remembering(memory));
  const System other = measured(0.4);
  OptimiseOptions judging_all = remembering(memory);
  judging_all.judge_all = true;
  const SearchedEstimator all = search_estimator_plan(other, {}, judging_all),
                          found = search_estimator_plan(other, {}, remembering(memory));
  const SearchedPlan stored = search_stored_plan(other, remembering(memory));
  REQUIRE(found.strategies.size() == first.strategies.size());
  REQUIRE(all.strategies.size() == first.strategies.size());
  REQUIRE(first.strategies.size() > 1);
  int changed = 0;
  for (std::size_t k = 0; k < found.strategies.size(); ++k) {
    const StrategyResult& line = found.strategies[k];
    CAPTURE(line.strategy);
    CHECK_FALSE(all.strategies[k].judged_earlier);
    CHECK(line.judged_earlier == (line.strategy != found.plan->plan.strategy));
    const StrategyResult& as = line.judged_earlier ? first.strategies[k] : all.strategies[k];
    CHECK(line.strategy == as.strategy);
    CHECK(line.health.worst_backward_error == as.health.worst_backward_error);
    CHECK(line.health.worst_growth == as.health.worst_growth);
    CHECK(line.refined == as.refined);
    CHECK(stored.strategies[k].judged_earlier == line.judged_earlier);
    changed += first.strategies[k].health.worst_growth != all.strategies[k].health.worst_growth;
  }
  CHECK(changed > 0);
  const Plan plan = stored_plan(*all.plan);
  CHECK(same(stored.plan.order, plan.order));
  CHECK(stored.plan.fingerprint == plan.fingerprint);
  CHECK(stored.plan.numbers == plan.numbers);
  CHECK(stored.plan.health.worst_state == plan.health.worst_state);
  CHECK(stored.plan.fallback_strategy == plan.fallback_strategy);
  REQUIRE((stored.plan.fallback.has_value() == plan.fallback.has_value() && stored.plan.open_gaps && plan.open_gaps));
  if (plan.fallback) CHECK(same(*stored.plan.fallback, *plan.fallback));
  CHECK(same(*stored.plan.open_gaps, *plan.open_gaps));
  CHECK((stored.deviations && *stored.deviations == *search_stored_plan(other, remembering(nullptr)).deviations));
}

TEST_CASE("all orders are judged where the chosen one takes so many more refinements that another may cost less") {
  const auto memory = std::make_shared<const Remembered>();
  search_estimator_plan(measured(0.1), {}, remembering(memory));
  const auto judged_earlier = [&] {
    const SearchedEstimator found = search_estimator_plan(measured(0.4), {}, remembering(memory));
    REQUIRE(found.recalled);
    return std::any_of(found.strategies.begin(), found.strategies.end(), [](const auto& each) { return each.judged_earlier; });
  };
  REQUIRE(judged_earlier());
  KeptOrders& kept = memory->kept.begin()->second;
  const auto chosen = std::find_if(kept.judged.begin(), kept.judged.end(),
                                   [&](const KeptJudgement& each) { return each.strategy == kept.chosen; });
  REQUIRE(chosen != kept.judged.end());
  chosen->refined -= 1000000;  // so many fewer than now
  CHECK_FALSE(judged_earlier());
}

TEST_CASE("kept orders without a table are judged once, and the table is kept then") {
  for (const double now : {0.1, 0.4}) {
    CAPTURE(now);
    const auto memory = std::make_shared<const Remembered>();
    const SearchedEstimator first = search_estimator_plan(measured(0.1), {}, remembering(memory));
    KeptOrders& kept = memory->kept.begin()->second;
    const std::string before = kept.numbers;
    kept.judged.clear(), kept.chosen.clear(), kept.deviations_flops.reset();  // as an earlier program wrote
    const SearchedEstimator found = search_estimator_plan(measured(now), {}, remembering(memory));
    REQUIRE(found.recalled);
    CHECK(same(found.plan->plan.order, first.plan->plan.order));
    CHECK(kept.chosen == found.plan->plan.strategy);
    CHECK((kept.numbers == before) == (now == 0.1));  // of which the table is
    REQUIRE(kept.judged.size() == found.strategies.size());
    for (std::size_t k = 0; k < kept.judged.size(); ++k) {
      CHECK_FALSE(found.strategies[k].judged_earlier);
      CHECK(kept.judged[k].worst_growth == found.strategies[k].health.worst_growth);
    }
    CHECK(kept.deviations_flops.has_value());
    REQUIRE(kept.proposals.size() + 1 >= found.strategies.size());
    const SearchedEstimator next = search_estimator_plan(measured(0.2), {}, remembering(memory));
    CHECK(std::any_of(next.strategies.begin(), next.strategies.end(), [](const auto& each) { return each.judged_earlier; }));
  }
}

TEST_CASE("a kept order for open gaps whose pivots vanish is in no plan") {
  const auto memory = std::make_shared<const Remembered>();
  const System system = measured(0.1);
  const Order right = *search_stored_plan(system, remembering(memory)).plan.open_gaps;
  Order& kept = *memory->kept.begin()->second.open_gaps;
  std::reverse(kept.rows.begin(), kept.rows.end());
  const SearchedPlan found = search_stored_plan(system, remembering(memory));
  REQUIRE(found.plan.open_gaps);
  CHECK(same(*found.plan.open_gaps, right));
}

TEST_CASE("health that is judged in parts is that of all states") {
  const System system = measured(0.1, true);
  const std::shared_ptr<const EstimatorPlan> plan = plan_estimator(system, {}, remembering(nullptr));
  const Samples samples = augmented_samples(system, *plan, 30);
  for (const int count : {3, 12, samples.count}) {
    Samples some = samples;
    some.count = count;
    PartOfHealth even(plan->plan, some), odd(plan->plan, some);
    for (int block = 0; block < PartOfHealth::blocks(some); ++block) (block % 2 ? odd : even).judge(block);
    even.add(odd);
    const Health whole = measure_health(plan->plan, some), parts = even.found().health;
    CHECK(parts.states == whole.states);
    CHECK(parts.worst_backward_error == whole.worst_backward_error);
    CHECK(parts.worst_componentwise_error == whole.worst_componentwise_error);
    CHECK(parts.worst_growth == whole.worst_growth);
    CHECK(parts.worst_state == whole.worst_state);
  }
}

TEST_CASE("deviations are near by the factors of their change, of which none is more than ten times another") {
  const auto both = [](double torques, double accelerations) {
    return measured(torques, false, test::random_tree(5, 1), accelerations);
  };
  const auto memory = std::make_shared<const Remembered>();
  search_estimator_plan(both(0.1, 0.5), {}, remembering(memory));
  const KeptOrders first = memory->kept.begin()->second;
  CHECK_FALSE(watched_search(both(0.2, 0.1), remembering(memory)).second);
  CHECK_FALSE(watched_search(both(2, 10), remembering(memory)).second);
  // factors of 9 and 0.12: far from each other
  CHECK(watched_search(both(0.9, 0.06), remembering(memory)).second);
  KeptOrders earlier = first;  // as a file that says nothing of what is near
  earlier.robot.clear(), earlier.best.clear(), earlier.deviations.clear();
  memory->kept.begin()->second = earlier;
  CHECK_FALSE(watched_search(both(0.1, 0.5), remembering(memory)).second);
  CHECK(watched_search(both(0.2, 0.5), remembering(memory)).second);
}

TEST_CASE("of near deviations an order for gaps that was not healthy is taken only where it is no worse") {
  const auto memory = std::make_shared<const Remembered>();
  const Model arm = load_urdf(test::source_folder() + "/robots/arm.urdf");
  search_estimator_plan(measured_by({0.1, 0.5, 0.1}, arm), {}, remembering(memory));
  const KeptOrders first = memory->kept.begin()->second;
  REQUIRE((first.missing_data && !first.missing_data_healthy && first.missing_data_error > 0));
  KeptOrders was_better = first, unknown = first, failed = first;
  was_better.missing_data_error *= 1e-6, unknown.missing_data_error = 0;
  failed.missing_data_error = std::numeric_limits<double>::infinity();  // at some state
  for (const auto& [kept, searches] : {std::pair(first, false), {was_better, true}, {unknown, true}, {failed, false}}) {
    memory->kept.begin()->second = kept;
    CHECK(watched_search(measured_by({0.2, 0.4, 0.05}, arm), remembering(memory)).second == searches);
  }
}

TEST_CASE("of near deviations orders are searched where a kept one was weak, has another cost, or is another robot's") {
  const auto memory = std::make_shared<const Remembered>();
  search_estimator_plan(measured(0.1), {}, remembering(memory));
  const KeptOrders good = memory->kept.begin()->second;
  KeptOrders weak = good, dearer = good, other_best = good, another = good, unknown = good, broken = good;
  weak.healthy = false, dearer.flops += 1, other_best.best = "another", another.robot = "another", unknown.deviations.clear();
  broken.missing_data->rows.front() = 1000000;
  for (const KeptOrders& kept : {weak, dearer, other_best, another, unknown, broken}) {
    memory->kept.begin()->second = kept;
    const auto [found, searches] = watched_search(measured(0.2), remembering(memory));
    CHECK(searches);
    CHECK(found.plan->plan.health.healthy());
  }
}

TEST_CASE("orders of deviations decades away never make a plan dearer than a search does") {
  const std::vector<Sigmas> all{{0.1, 0.5, 0.1}, {1e-4, 1, 1e2}, {10, 0.01, 100}};
  const Model model = load_urdf(test::source_folder() + "/robots/arm.urdf");
  const auto system_of = [&](const Sigmas& s) { return measured_by(s, model); };
  int compared = 0;
  std::vector<SearchedEstimator> alone;
  for (const Sigmas& own : all) alone.push_back(search_estimator_plan(system_of(own), {}, remembering(nullptr)));
  for (std::size_t first = 0; first < all.size(); ++first) {
    const auto once = std::make_shared<const Remembered>();
    search_estimator_plan(system_of(all[first]), {}, remembering(once));
    for (std::size_t second = 0; second < all.size(); ++second) {
      if (second == first) continue;
      const auto memory = std::make_shared<const Remembered>(*once);
      const System system = system_of(all[second]);
      const SearchedEstimator found = search_estimator_plan(system, {}, remembering(memory)),
                              again = search_estimator_plan(system, {}, remembering(memory));
      CAPTURE(first, second);
      const Plan &anew = alone[second].plan->plan, &chosen = found.plan->plan;
      CHECK(chosen.health.healthy() >= anew.health.healthy());
      if (chosen.health.healthy() == anew.health.healthy()) CHECK(chosen.flops().total() <= anew.flops().total());
      CHECK(again.recalled);
      check_same(found, again);
      compared += found.recalled;
    }
  }
  REQUIRE(compared > 0);
}

TEST_CASE("another structure, gaps, states and a budget ask for a search") {
  const auto memory = std::make_shared<const Remembered>();
  const System system = measured(0.1);
  search_estimator_plan(system, {}, remembering(memory));
  CHECK_FALSE(search_estimator_plan(measured(0.1, true), {}, remembering(memory)).recalled);
  std::vector<char> gap(static_cast<std::size_t>(system.pattern().rows), 0);
  gap[static_cast<std::size_t>(system.measurements().front().first_row)] = 1;
  CHECK_FALSE(search_estimator_plan(system, gap, remembering(memory)).recalled);
  CHECK_FALSE(search_estimator_plan(system, gap, remembering(memory)).recalled);  // there are many patterns of gaps
  OptimiseOptions options = remembering(memory);
  options.health_states = 25;
  CHECK_FALSE(search_estimator_plan(system, {}, options).recalled);
  options = remembering(memory);
  options.budget = 0.01, options.search_steps = 1;
  const std::size_t kept = memory->kept.size();
  CHECK_FALSE(search_estimator_plan(system, {}, options).recalled);
  memory->kept.clear();
  search_estimator_plan(system, {}, options);
  CHECK(memory->kept.empty());
  CHECK(kept == 3);  // two structures, one of them at two numbers of states
  search_estimator_plan(system, {}, remembering(memory));
  options = remembering(memory);
  options.umfpack_states = 2;
  CHECK_FALSE(search_estimator_plan(system, {}, options).recalled);
}

TEST_CASE("orders that fit no more, or that are no orders, are not taken") {
  const auto memory = std::make_shared<const Remembered>();
  const System system = measured(0.1);
  const SearchedEstimator fresh = search_estimator_plan(system, {}, remembering(memory));
  const KeptOrders good = memory->kept.begin()->second;
  KeptOrders twice = good, shorter = good, paired_wrongly = good, foreign_gaps = good, foreign_open = good;
  twice.proposals[0].order.rows[0] = twice.proposals[0].order.rows[1];
  shorter.proposals[0].order.rows.pop_back(), shorter.proposals[0].order.columns.pop_back();
  std::reverse(paired_wrongly.proposals[0].order.columns.begin(), paired_wrongly.proposals[0].order.columns.end());
  REQUIRE((good.missing_data && good.open_gaps));
  foreign_gaps.missing_data->rows.front() = 1000000;
  foreign_open.open_gaps->columns.front() = -1;
  for (const KeptOrders& wrong : {twice, shorter, paired_wrongly, foreign_gaps, foreign_open, KeptOrders{}}) {
    memory->kept.begin()->second = wrong;
    const SearchedEstimator found = search_estimator_plan(system, {}, remembering(memory));
    CHECK_FALSE(found.recalled);
    check_same(fresh, found);
    CHECK(same(memory->kept.begin()->second.proposals[0].order, good.proposals[0].order));  // written anew
  }
}

TEST_CASE("an order that these numbers make unhealthy is not taken") {
  const auto memory = std::make_shared<const Remembered>();
  // of an arm whose axes are parallel or perpendicular: entries of its matrix vanish at special states
  const System system = measured(0.1, false, load_urdf(test::source_folder() + "/robots/arm.urdf"));
  const auto all_states = [](OptimiseOptions options) {
    options.health_states = 0;
    return options;
  };
  const SearchedEstimator fresh = search_estimator_plan(system, {}, all_states(remembering(memory)));
  KeptOrders& kept = memory->kept.begin()->second;
  const KeptOrders good = kept;
  // an order that fits the pattern, and whose pivots vanish at some state
  const Augmented& augmented = fresh.plan->augmented;
  const Samples samples = augmented_samples(system, *fresh.plan, 20);
  std::mt19937 rng(1);
  for (int k = 0; k < 2000 && kept.proposals[0].order.rows == good.proposals[0].order.rows; ++k) {
    Order order = good.proposals[0].order;
    for (int swaps = 0; swaps <= k % 3; ++swaps)
      std::swap(order.columns[rng() % order.columns.size()], order.columns[rng() % order.columns.size()]);
    try {
      const Plan plan = make_plan(augmented.pattern(), order, fresh.plan->plan.unit);
      if (!measure_health(plan, samples).healthy()) kept.proposals = {{"weak", order}};
    } catch (const ZeroPivot&) {
    }
  }
  REQUIRE(kept.proposals[0].strategy == "weak");
  const KeptOrders weak = kept;
  const SearchedEstimator found = search_estimator_plan(system, {}, all_states(remembering(memory)));
  CHECK_FALSE(found.recalled);
  check_same(fresh, found);
  // nor where it is said that no better one was found, of these numbers or of others
  for (const std::string& numbers : {good.numbers, std::string("others")}) {
    kept = weak;
    kept.healthy = false, kept.numbers = numbers;
    const SearchedEstimator anew = search_estimator_plan(system, {}, all_states(remembering(memory)));
    CHECK_FALSE(anew.recalled);
    check_same(fresh, anew);
  }
}
