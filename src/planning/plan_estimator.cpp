#include <algorithm>
#include <cmath>
#include <future>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>

#include "estimator_problem.hpp"
#include "named_postures.hpp"
#include "ordering/expected_cost.hpp"
#include "ordering/missing_data_plan.hpp"
#include "ordering/search_order.hpp"
#include "recalled_choice.hpp"
#include "runtime/plans/estimator_samples.hpp"
#include "runtime/spread/spread_plan.hpp"
#include "sparse/bounded_health.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/gap_closer.hpp"
#include "system/unit_entries.hpp"

namespace sparsedyn {
namespace {

/// Weights of samples in which any sensors have gaps, with what closes them. (Not quite gone, for the same reason.)
std::vector<SampleWeights> weights_with_open_gaps(const std::shared_ptr<const System>& system,
                                                  const MeasurementWeights& stated) {
  constexpr int patterns = 24;
  constexpr double gone = 1e-6;
  const GapCloser closer(system);
  std::minstd_rand rng(1);
  std::vector<SampleWeights> all;
  for (int k = 0; k < patterns; ++k) {
    std::vector<char> missing(stated.weight.size(), 0);
    for (const Measurement& m : system->measurements()) {
      const bool whole = rng() % 2 == 0;
      for (int i = 0; i < m.rows(); ++i) missing[m.first_row + i] = whole && !stated.exact[m.first_row + i];
    }
    std::vector<double> weight = stated.weight;
    for (std::size_t r = 0; r < weight.size(); ++r)
      if (missing[r]) weight[r] *= gone;
    all.push_back({std::move(weight), closer.close(missing).precision});
  }
  return all;
}

/// Takes the order that is proof against gaps, where it is healthy and costs less than the others. Lists it among them.
/// judged: its own health, of all readings.
void take_if_better(const Plan& missing_data, const JudgedHealth& judged, OptimiseResult& result) {
  StrategyResult own{residuals_first,
                     missing_data.factor_flops(),
                     missing_data.solve_flops(),
                     missing_data.elimination.fill,
                     judged.health,
                     missing_data.order,
                     std::nullopt,
                     judged.refined};
  const bool as_good = own.health.healthy() && (own.health.accurate() || !result.plan.health.accurate());
  if (as_good && own.flops().total() < result.plan.flops().total()) {
    result.plan = missing_data;
    result.plan.strategy = own.strategy;
    result.plan.health = own.health;
  }
  const auto dearer = [&](const StrategyResult& other) { return other.flops().total() > own.flops().total(); };
  result.strategies.insert(std::find_if(result.strategies.begin(), result.strategies.end(), dearer), std::move(own));
}

/// None for a subset of the rows.
std::optional<AugmentedPlan> open_gaps_order(const System& system, const Samples& samples, const MeasurementWeights& stated) {
  if (std::find(stated.left_out.begin(), stated.left_out.end(), char(1)) != stated.left_out.end()) return {};
  const std::shared_ptr<const System> borrowed(std::shared_ptr<const System>(), &system);
  Augmented augmented = augmented_for_open_gaps(system, stated);
  std::optional<Plan> found =
      open_gaps_plan(augmented, augmented_problem(augmented, system, samples, weights_with_open_gaps(borrowed, stated)));
  if (!found) return {};
  return AugmentedPlan{std::move(augmented), *std::move(found)};
}

/// The same search as a phase with a name.
OptimiseOptions in_phase(const OptimiseOptions& options, const std::string& phase) {
  OptimiseOptions named = options;
  if (options.progress)
    named.progress = [tell = options.progress, phase](const std::string& what, double done) {
      tell(phase + ": " + what, done);
    };
  return named;
}

/// What a search finds, or an earlier one has found.
struct FoundOrders {
  OptimiseResult all_readings;
  std::optional<Plan> missing_data;
  JudgedHealth missing_data_health;  // of that one, of all readings
  std::optional<AugmentedPlan> open_gaps;
  bool recalled = false;  // kept ones had a part in it
};

JudgedHealth health_of_all_readings(const Plan& plan, const EstimatorProblem& problem) {
  return bounded_health(plan, problem.all_readings.samples, std::numeric_limits<double>::infinity());
}

void search_missing_data_order(const EstimatorProblem& problem, const OptimiseOptions& options, FoundOrders& found) {
  found.missing_data = missing_data_plan(problem.augmented, problem.with_gaps, in_phase(options, "readings with gaps"));
  if (found.missing_data) found.missing_data_health = health_of_all_readings(*found.missing_data, problem);
}

std::optional<AugmentedPlan> open_gaps_order(const EstimatorProblem& problem, const OptimiseOptions& options) {
  if (options.progress) options.progress("gaps that leave something open", 0);
  return open_gaps_order(problem.system, problem.samples, problem.stated);
}

/// A search for all readings in which kept orders are among the proposals, so that its plan costs no more than without them;
/// none where what it finds is not good.
std::optional<OptimiseResult> search_beside(const std::vector<NamedOrder>& kept, const EstimatorProblem& problem,
                                            const OptimiseOptions& options) try {
  if (kept.empty()) return {};
  OptimiseResult found = search_order(problem.all_readings, in_phase(options, "all readings"), kept);
  if (!good(found.plan.health)) return {};
  return found;
} catch (const ZeroPivot&) {
  return {};
} catch (const std::invalid_argument&) {  // no permutation, or of another size
  return {};
}

FoundOrders searched_orders(const EstimatorProblem& problem, const OptimiseOptions& options,
                            const std::vector<NamedOrder>& kept = {}) {
  FoundOrders found;
  std::optional<OptimiseResult> beside = search_beside(kept, problem, options);
  found.recalled = beside.has_value();
  found.all_readings = beside ? *std::move(beside) : search_order(problem.all_readings, in_phase(options, "all readings"));
  search_missing_data_order(problem, options, found);
  found.open_gaps = open_gaps_order(problem, options);
  return found;
}

Health health_with_gaps(const Plan& plan, const EstimatorProblem& problem) {
  return measure_health(plan, problem.with_gaps.samples);
}

/// All but the proposals, which are known when one is chosen.
KeptOrders to_keep(const FoundOrders& found, const EstimatorProblem& problem) {
  KeptOrders orders;
  orders.numbers = estimator_numbers(problem.system);
  orders.robot = problem.system.numbers_fingerprint(), orders.deviations = estimator_deviations(problem.system);
  orders.best = found.all_readings.plan.strategy;
  orders.healthy = good(found.all_readings.plan.health);
  orders.flops = found.all_readings.plan.flops().total();
  if (found.missing_data) {
    orders.missing_data = found.missing_data->order;
    const Health health = health_with_gaps(*found.missing_data, problem);
    orders.missing_data_healthy = good(health), orders.missing_data_error = worst_error(health);
  }
  if (found.open_gaps) orders.open_gaps = found.open_gaps->plan.order;
  return orders;
}

/// The kept orders for all readings; none where cost or health of the best is not what it was.
std::optional<OptimiseResult> all_readings_as_kept(const KeptOrders& orders, const EstimatorProblem& problem) {
  OptimiseResult found = best_order(problem.all_readings, orders.proposals);
  const Plan& best = found.plan;
  if (!orders.best.empty() && orders.best != best.strategy) return {};
  if (orders.healthy != good(best.health) || orders.flops != best.flops().total()) return {};
  return found;
}

AugmentedPlan open_gaps_as_kept(const Order& order, const EstimatorProblem& problem) {
  Augmented closed = augmented_for_open_gaps(problem.system, problem.stated);
  Plan plan = make_plan(closed.pattern(), order, closed.unit_entries(unit_entries(problem.system)));
  return {std::move(closed), std::move(plan)};
}

/// Orders of equal numbers, or of near ones; none where cost or health is not what it was: they are not what was kept. Those
/// for gaps are judged by a thread of their own, whose samples are not those of all readings.
std::optional<FoundOrders> orders_as_kept(const KeptOrders& orders, bool near, const EstimatorProblem& problem,
                                          const OptimiseOptions& options) try {
  FoundOrders found;
  found.recalled = true;
  std::future<Health> with_gaps;
  if (orders.missing_data) {
    found.missing_data = plan_of(problem.all_readings, *orders.missing_data);
    with_gaps = std::async([&] { return health_with_gaps(*found.missing_data, problem); });
  }
  std::optional<OptimiseResult> all_readings = all_readings_as_kept(orders, problem);
  if (!all_readings) return {};
  found.all_readings = *std::move(all_readings);
  if (orders.open_gaps) found.open_gaps = open_gaps_as_kept(*orders.open_gaps, problem);
  if (orders.missing_data) {
    if (!as_healthy_with_gaps(orders, near, with_gaps.get())) return {};
    found.missing_data_health = health_of_all_readings(*found.missing_data, problem);
  } else {
    search_missing_data_order(problem, options, found);
  }
  if (!orders.open_gaps) found.open_gaps = open_gaps_order(problem, options);
  return found;
} catch (const ZeroPivot&) {
  return {};
} catch (const std::invalid_argument&) {  // no permutation, or of another size
  return {};
}

/// Whether the robot is the same, the deviations have changed by factors of which none is more than ten times another, and all
/// orders are kept.
bool of_near_numbers(const KeptOrders& orders, const System& system) {
  constexpr double apart = 10;
  const std::vector<double> now = estimator_deviations(system);
  const bool healthy = orders.healthy && orders.missing_data && orders.open_gaps;
  if (!healthy || orders.robot != system.numbers_fingerprint() || orders.deviations.size() != now.size() || now.empty())
    return false;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t k = 0; k < now.size(); ++k) {
    const double before = orders.deviations[k];
    if (before == 0 && now[k] == 0) continue;
    if (!(before > 0 && now[k] > 0)) return false;
    least = std::min(least, now[k] / before), most = std::max(most, now[k] / before);
  }
  return most <= apart * least;
}

/// Names that tell kept orders from what the same strategies propose today.
std::vector<NamedOrder> named_as_recalled(std::vector<NamedOrder> orders) {
  const std::string mark = ", recalled";
  for (NamedOrder& each : orders)
    if (each.strategy.size() < mark.size() || each.strategy.substr(each.strategy.size() - mark.size()) != mark)
      each.strategy += mark;
  return orders;
}

/// With the help of what was kept, where that is good for these numbers and of this pattern.
FoundOrders orders_beside(const std::optional<KeptOrders>& kept, bool of_equal_numbers, const EstimatorProblem& problem,
                          const OptimiseOptions& options) {
  if (of_equal_numbers)
    if (std::optional<FoundOrders> found = orders_as_kept(*kept, false, problem, options)) return *std::move(found);
  const bool proposes = kept && kept->healthy && !of_equal_numbers;
  return searched_orders(problem, options, proposes ? named_as_recalled(kept->proposals) : std::vector<NamedOrder>{});
}

/// Null where orders are neither taken nor kept: with a budget, after which a search depends on the clock, and for patterns of
/// gaps, of which there are many.
const OrderMemory* memory_for(const EstimatorProblem& problem, const OptimiseOptions& options) {
  const std::vector<char>& left_out = problem.stated.left_out;
  const bool whole = std::find(left_out.begin(), left_out.end(), char(1)) == left_out.end();
  return whole && !(options.budget > 0) && !options.also ? options.memory.get() : nullptr;
}

/// With the orders that were added for states at which all others fail, and the table where no order needs help.
void keep(KeptOrders orders, const SearchedEstimator& found, const std::string& structure, const OrderMemory& memory) {
  bool helped = false;
  for (const StrategyResult& each : found.strategies) {
    if (each.strategy != residuals_first) orders.proposals.push_back({each.strategy, each.order});
    const Health& health = each.health;
    orders.judged.push_back({each.strategy, each.factor, each.solve, each.fill, health.worst_backward_error,
                             health.worst_componentwise_error, health.worst_growth, each.refined});
    helped = helped || each.help;
  }
  if (helped) orders.judged.clear();
  orders.chosen = found.plan->plan.strategy, orders.deviations_flops = found.deviations;
  memory.keep(structure, orders);
}

/// Whose states orders are judged at, what is kept of an earlier search, and whether it is of these or of near deviations.
struct Recollection {
  Recollection(const EstimatorProblem& problem, const OptimiseOptions& options)
      : memory(memory_for(problem, options)),
        structure(memory ? structure_of(problem, options) : ""),
        before(memory ? memory->find(structure) : std::nullopt),
        of_equal_numbers(before && before->numbers == estimator_numbers(problem.system)),
        near(before && !of_equal_numbers && of_near_numbers(*before, problem.system)) {}

  const OrderMemory* memory;
  std::string structure;
  std::optional<KeptOrders> before;
  bool of_equal_numbers, near;
};

/// What `result_of` makes of the kept choice, named as its problem is; none where all kept orders are to be judged, or a search
/// is to be made. Both may throw where an order does not fit.
template <class ResultOf>
auto of_kept_choice(const Recollection& known, const EstimatorProblem& problem, const OptimiseOptions& options,
                    const ResultOf& result_of) -> std::optional<decltype(result_of(std::declval<RecalledChoice&>()))> try {
  const bool takes = known.before && known.before->healthy && !options.judge_all && (known.of_equal_numbers || known.near);
  std::optional<RecalledChoice> found = takes ? recalled_choice(*known.before, known.near, problem) : std::nullopt;
  if (!found) return {};
  found->plan.fingerprint = estimator_fingerprint(problem.system, problem.augmented);
  found->plan.numbers = problem.system.numbers_fingerprint();
  return result_of(*found);
} catch (const ZeroPivot&) {
  return {};
} catch (const std::invalid_argument&) {  // no permutation, or of another size
  return {};
}

/// The plan of the kept choice. Throws where the order for gaps that leave something open does not fit.
SearchedEstimator estimator_of(RecalledChoice& choice, const KeptOrders& orders, EstimatorProblem& problem) {
  auto plan = std::make_shared<EstimatorPlan>(problem.augmented, choice.plan);
  if (choice.plan.strategy != residuals_first) plan->missing_data = std::move(choice.missing_data);
  plan->open_gaps = open_gaps_as_kept(*orders.open_gaps, problem);
  complete(problem.stated, *plan);
  return {plan, std::move(choice.strategies), true, orders.deviations_flops};
}

/// What stored_plan() makes of the same. Throws as there: whoever reads the plan would refuse it.
SearchedPlan stored_of(RecalledChoice& choice, const KeptOrders& orders, const EstimatorProblem& problem) {
  eliminate(augmented_for_open_gaps(problem.system, problem.stated).pattern(), *orders.open_gaps);
  SearchedPlan found{std::move(choice.plan), std::move(choice.strategies), true, orders.deviations_flops};
  if (found.plan.strategy != residuals_first)
    found.plan.fallback = *orders.missing_data, found.plan.fallback_strategy = fallback_for_gaps;
  found.plan.open_gaps = *orders.open_gaps;
  return found;
}

/// Whether memory is told: of what a search found, and of kept orders without a table (a file of an earlier program), which
/// have now been judged with these numbers.
bool goes_to_memory(const FoundOrders& found, bool near, const Recollection& known) {
  if (!known.memory) return false;
  const bool as_kept = found.recalled && (known.of_equal_numbers || near);
  return !as_kept || (known.before->healthy && known.before->judged.empty());
}

SearchedEstimator searched_estimator(EstimatorProblem& problem, const Recollection& known, const OptimiseOptions& options) {
  const auto begin = [&](const char* phase) {
    if (options.progress) options.progress(phase, 0);
  };
  const System& system = problem.system;
  std::optional<FoundOrders> near;
  if (known.near) near = orders_as_kept(*known.before, true, problem, options);
  FoundOrders found = near ? *std::move(near) : orders_beside(known.before, known.of_equal_numbers, problem, options);
  const bool keeps = goes_to_memory(found, near.has_value(), known);
  KeptOrders kept_orders = keeps ? to_keep(found, problem) : KeptOrders{};
  OptimiseResult& result = found.all_readings;
  if (found.missing_data) take_if_better(*found.missing_data, found.missing_data_health, result);
  if (!result.plan.health.healthy()) begin("states at which orders need help");
  choose_by_expected_cost(result, problem.all_readings);
  name_postures(result.strategies, system.model());
  if (found.missing_data && result.plan.strategy == residuals_first) found.missing_data.reset();  // it serves every sample
  result.plan.fingerprint = estimator_fingerprint(system, problem.augmented);
  result.plan.numbers = system.numbers_fingerprint();
  const std::optional<Order> second = std::exchange(result.plan.fallback, std::nullopt);
  result.plan.fallback_strategy.clear();  // it goes along as the order for gaps of nothing
  auto plan = std::make_shared<EstimatorPlan>(problem.augmented, std::move(result.plan));
  plan->missing_data = std::move(found.missing_data);
  plan->open_gaps = std::move(found.open_gaps);
  const bool whole =
      std::find(problem.stated.left_out.begin(), problem.stated.left_out.end(), char(1)) == problem.stated.left_out.end();
  complete(problem.stated, *plan);
  if (second && whole) plan->gaps.push_back(plan_estimator(system, GapOrder{{}, *second}));  // of no gap
  SearchedEstimator searched{plan, std::move(result.strategies), found.recalled, std::nullopt};
  if (keeps) {
    searched.deviations = flops_of_deviations(system, *plan);
    keep(std::move(kept_orders), searched, known.structure, *known.memory);
  }
  return searched;
}

}  // namespace

SearchedEstimator search_estimator_plan(const System& system, const std::vector<char>& left_out,
                                        const OptimiseOptions& options) {
  if (options.progress) options.progress("states", 0);
  EstimatorProblem problem(system, left_out, options);
  const Recollection known(problem, options);
  const auto plan_of_choice = [&](RecalledChoice& choice) { return estimator_of(choice, *known.before, problem); };
  if (std::optional<SearchedEstimator> found = of_kept_choice(known, problem, options, plan_of_choice))
    return *std::move(found);
  return searched_estimator(problem, known, options);
}

SearchedPlan search_stored_plan(const System& system, const OptimiseOptions& options) {
  if (options.progress) options.progress("states", 0);
  EstimatorProblem problem(system, {}, options);
  const Recollection known(problem, options);
  const auto plan_of_choice = [&](RecalledChoice& choice) { return stored_of(choice, *known.before, problem); };
  if (std::optional<SearchedPlan> kept = of_kept_choice(known, problem, options, plan_of_choice)) return *std::move(kept);
  SearchedEstimator found = searched_estimator(problem, known, options);
  if (!found.deviations) found.deviations = flops_of_deviations(system, *found.plan);
  return {stored_plan(*found.plan), std::move(found.strategies), found.recalled, found.deviations};
}

std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, const std::vector<char>& left_out,
                                                    const OptimiseOptions& options) {
  return search_estimator_plan(system, left_out, options).plan;
}

}  // namespace sparsedyn
