// sparsedyn optimise: strategies for the order of elimination compared, the best healthy one kept as a plan.
#include "sparsedyn/planning/optimise.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "cli/commands/over_time/optimise_over_time.hpp"
#include "cli/rows/gaps_in_log.hpp"
#include "cli/support/command.hpp"
#include "cli/support/components.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "cli/support/output_names.hpp"
#include "cli/support/planning.hpp"
#include "cli/support/terminal.hpp"
#include "cli/support/tracked_system.hpp"
#include "io/number.hpp"
#include "io/output_file.hpp"
#include "json/refusals.hpp"
#include "program.hpp"
#include "requests/plan_search.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/json/plans.hpp"
#include "sparsedyn/runtime/outputs.hpp"

namespace sparsedyn::cli {
namespace {

struct OptimiseCommand {
  CommonOptions common;
  RobotOptions robot;
  std::string sensors, constraints, output, outputs, gaps;
  std::string formulation = formulation_name({});
  std::string cost = "executed";
  std::string budget = "0";
  std::uint64_t seed = 1;
  bool over_time = false, no_cache = false, judge_all = false;
  std::string rows;
};

Json strategies_json(const FormulationResult& result) {
  Json strategies = Json::array();
  for (const PricedOrder& priced : result.orders) {
    const StrategyResult& s = priced.order;
    strategies.push_back({{"name", s.strategy},
                          {"flops", {{"mul", s.flops().mul}, {"add", s.flops().add}, {"div", s.flops().div}}},
                          {"fill", s.fill},
                          {"health",
                           {{"worst_backward_error", s.health.worst_backward_error},
                            {"worst_componentwise_error", s.health.worst_componentwise_error},
                            {"worst_growth", s.health.worst_growth}}},
                          {"cost", priced.cost}});
    if (s.help)
      strategies.back()["needs_help"] = {{"states", s.help->states},
                                         {"of", s.help->need.size()},
                                         {"singular", s.help->singular},
                                         {"posture", s.help->posture},
                                         {"expected_cost", s.help->expected_cost}};
    if (s.judged_earlier) strategies.back()["judged_earlier"] = true;
    if (priced.folded) strategies.back()["folded"] = counts_json(*priced.folded);
  }
  return strategies;
}

/// What the patterns of gaps in a log needed.
Json gaps_json(const PlanFound& found) {
  return {{"patterns", found.gaps_served + found.gaps_planned + found.gaps_unserved},
          {"served", found.gaps_served},
          {"planned", found.gaps_planned},
          {"unserved", found.gaps_unserved}};
}

std::string gaps_text(const PlanFound& found) {
  std::string words = "patterns of gaps: " + std::to_string(found.gaps_served + found.gaps_planned + found.gaps_unserved) +
                      "; served by the orders above: " + std::to_string(found.gaps_served) +
                      "; with an order of their own in the plan: " + std::to_string(found.gaps_planned);
  if (found.gaps_unserved)
    words += "; without one that serves (such rows take some milliseconds each): " + std::to_string(found.gaps_unserved);
  return words + "\n";
}

std::string deviations_text(const PlanFound& found) {
  return found.deviations ? "deviations and innovations: " + std::to_string(found.deviations->total()) + " operations more\n"
                          : "";
}

Json result_json(const PlanFound& found, bool gaps) {
  const std::vector<FormulationResult>& results = found.results;
  const FormulationResult& best = results.front();
  Json json{{"strategies", strategies_json(best)},
            {"chosen", best.plan.strategy},
            {"formulation", formulation_name(best.formulation)},
            {"assembly", counts_json(best.assembly)},
            {"healthy", best.plan.health.healthy()}};
  if (const std::optional<Flops>& more = found.deviations)
    json["deviations"] = {{"mul", more->mul}, {"add", more->add}, {"div", more->div}};
  if (found.recalled) json["recalled"] = true;
  if (gaps) json["gaps"] = gaps_json(found);
  if (results.size() == 1) return json;
  for (const FormulationResult& result : results) {
    Json entry{{"name", formulation_name(result.formulation)}};
    if (result.misfit.empty())
      entry.update({{"cost", result.cost},
                    {"assembly", counts_json(result.assembly)},
                    {"chosen", result.plan.strategy},
                    {"healthy", result.plan.health.healthy()},
                    {"strategies", strategies_json(result)}});
    else
      entry["misfit"] = result.misfit;
    json["formulations"].push_back(entry);
  }
  return json;
}

constexpr int usual_screen = 80;  // where the result goes to no terminal

bool any_judged_earlier(const std::vector<PricedOrder>& orders) {
  return std::any_of(orders.begin(), orders.end(), [](const PricedOrder& priced) { return priced.order.judged_earlier; });
}

/// Of which sigmas the lines marked ~ tell.
std::string earlier_text(const std::vector<PricedOrder>& orders) {
  return any_judged_earlier(orders) ? "~ error and growth as judged with the sigmas of an earlier search, not with these; "
                                      "--judge-all judges every order with these.\n"
                                    : "";
}

/// Why a table holds `inf`.
std::string why_infinite(const std::vector<PricedOrder>& orders) {
  const bool any = std::any_of(orders.begin(), orders.end(), [](const PricedOrder& priced) {
    return std::isinf(priced.order.health.worst_backward_error) || std::isinf(priced.order.health.worst_growth);
  });
  return any ? "inf: at one of the states tried a pivot of this order is zero, so it has no answer there; such an order is not "
               "chosen while another has one.\n"
             : "";
}

/// Where orders alone do not do: at how many states, and which is the first.
std::string help_text(const FormulationResult& result) {
  std::string text;
  for (const PricedOrder& priced : result.orders) {
    const std::optional<OrderHelp>& help = priced.order.help;
    if (!help) continue;
    if (text.empty() && help->singular > 0)
      text = "at " + std::to_string(help->singular) + " of " +
             std::to_string(help->need.size() + static_cast<std::size_t>(help->singular)) +
             " states tried the set is singular: no order answers there; they count for none\n";
    if (&priced == &result.orders.front()) text += "need help from another order, or from a dense LU:\n";
    char line[240];
    std::snprintf(line, sizeof line, "  %-22s at %d of %zu states, %.0f flops expected, first at %s\n",
                  priced.order.strategy.c_str(), help->states, help->need.size(), help->expected_cost, help->posture.c_str());
    text += line;
  }
  return text;
}

std::string strategies_text(const FormulationResult& result, Cost cost) {
  std::string text = cost == Cost::folded ? "strategy                  flops   folded   fill  worst error  worst growth\n"
                                          : "strategy                  flops   fill  worst error  worst growth\n";
  for (const PricedOrder& priced : result.orders) {
    const StrategyResult& s = priced.order;
    char line[200], folded[20] = "";
    if (priced.folded) std::snprintf(folded, sizeof folded, " %8ld", priced.cost);
    std::snprintf(line, sizeof line, "%-22s %8ld%s %6d  %11.1e  %12.3g%s\n", s.strategy.c_str(), s.flops().total(), folded,
                  s.fill, s.health.worst_backward_error, s.health.worst_growth,
                  s.strategy == result.plan.strategy ? " *"
                  : s.judged_earlier                 ? " ~"
                                                     : "");
    text += line;
  }
  text += "* chosen. Backward error and growth of pivots are the worst of the states that were tried.\n" +
          earlier_text(result.orders) + why_infinite(result.orders) + help_text(result);
  return wrapped(text, terminal_width(usual_screen));
}

std::string result_text(const std::vector<FormulationResult>& results, Cost cost) {
  if (results.size() == 1) return strategies_text(results.front(), cost);
  std::size_t widest = 11;
  for (const FormulationResult& result : results) widest = std::max(widest, formulation_name(result.formulation).size());
  const int w = static_cast<int>(widest);
  char line[400];
  std::snprintf(line, sizeof line, "%-*s %7s %8s  %s\n", w, "formulation", cost == Cost::folded ? "folded" : "flops", "error",
                "strategy");
  std::string text = line;
  for (const FormulationResult& result : results) {
    const std::string name = formulation_name(result.formulation);
    if (result.misfit.empty())
      std::snprintf(line, sizeof line, "%-*s %7ld %8.1e  %s%s\n", w, name.c_str(), result.cost,
                    result.plan.health.worst_backward_error, result.plan.strategy.c_str(),
                    &result == &results.front() ? " *" : "");
    else
      std::snprintf(line, sizeof line, "%-*s       -           %s\n", w, name.c_str(), result.misfit.c_str());
    text += line;
  }
  return text + "\n" + strategies_text(results.front(), cost);
}

[[noreturn]] void refuse(const std::string& reason) { throw AnswerIsNo(reason, json_text({{"reason", reason}})); }

std::vector<Formulation> chosen_formulations(const OptimiseCommand& options) {
  if (options.formulation == "best") return all_formulations();
  try {
    return {formulation_named(options.formulation)};
  } catch (const std::invalid_argument& unknown) {
    throw UsageError(std::string("--formulation: ") + unknown.what() + ", or best");
  }
}

/// "10" or "10s".
double budget_of(const OptimiseCommand& options) {
  const std::size_t digits = options.budget.size() - (!options.budget.empty() && options.budget.back() == 's' ? 1 : 0);
  double seconds = 0;
  if (read_number(options.budget.substr(0, digits), seconds) != NumberText::number || !(seconds >= 0 && seconds <= 1e6))
    throw UsageError("--budget " + options.budget + ": expected seconds, 0 to 1e6, as in 10 or 10s");
  return seconds;
}

Cost chosen_cost(const OptimiseCommand& options) {
  if (options.cost != "executed" && options.cost != "folded") throw UsageError("--cost: expected executed or folded");
  if (options.cost == "folded") require_codegen("--cost folded");
  return options.cost == "folded" ? Cost::folded : Cost::executed;
}

/// Said where some of the states at which health would be sampled do not close the loops.
void tell_left_out(const std::string& states, const OptimiseCommand& options) {
  if (!states.empty()) note(options.common, options.constraints + ": " + states);
}

OptimiseOptions search_options(const OptimiseCommand& options) {
  OptimiseOptions search;
  search.budget = budget_of(options);
  search.seed = static_cast<unsigned>(options.seed);
  if (!options.no_cache) search.memory = orders_of_the_user();
  search.judge_all = options.judge_all;
  return search;
}

PlanFound search(const Model& model, const SensorSet& sensors, const OptimiseCommand& options) {
  const auto system = std::make_shared<const System>(model, sensors);
  PlanRequest request;
  request.formulations = chosen_formulations(options), request.cost = chosen_cost(options);
  request.search = search_options(options);
  if (!options.outputs.empty())
    request.search.outputs = Outputs(*system, listed("--outputs", options.outputs)).columns();
  else if (options.formulation == "best" || options.cost == "folded")  // unknowns differ: only outputs can be compared
    request.search.outputs = default_outputs(*system);
  Progress progress(options.common);
  request.search.progress = [&](const std::string& strategy, double done) { progress.part(strategy, done); };
  require_plannable(*system, determinacy(*system));
  if (!options.constraints.empty()) tell_left_out(states_left_out(*system), options);
  if (needs_estimate(*system)) {
    if (options.formulation != formulation_name({}) || request.cost != Cost::executed || !options.outputs.empty())
      refuse("the set is estimated: --formulation, --cost and --outputs are for sets that are solved");
    if (!options.gaps.empty()) request.gaps = gaps_in_log(*system, options.gaps, options.common);
  } else if (!options.gaps.empty())
    refuse("the set is solved, and needs every reading: --gaps is for sets that are estimated");
  return search_plan(system, request);
}

void check_sensors(const OptimiseCommand& options) {
  if (!options.sensors.empty()) return;
  if (options.constraints.empty()) throw UsageError("--sensors is required (or --constraints, for a plan of their iteration)");
  if (options.formulation != formulation_name({}) || options.cost != "executed" || !options.outputs.empty() ||
      !options.gaps.empty())
    throw UsageError("--formulation, --cost, --outputs, --gaps: of a sensor set; expected --sensors beside them");
}

/// Whether what is compared is of generated code, or in other formulations: exact zeros are what sets them apart.
bool searches_for_code(const OptimiseCommand& options) {
  return options.formulation != formulation_name({}) || chosen_cost(options) == Cost::folded;
}

void check_over_time_alone(const OptimiseCommand& options) {
  if (options.sensors.empty()) throw UsageError("--over-time: expected --sensors");
  if (!options.gaps.empty() || !options.outputs.empty() || searches_for_code(options))
    throw UsageError("--over-time: without --formulation, --cost, --outputs and --gaps");
}

ExitCode run_optimise(const OptimiseCommand& options) {
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  if (options.over_time) {
    check_over_time_alone(options);
    return optimise_over_time(options.robot, options.sensors, options.constraints, options.rows, options.output,
                              options.common);
  }
  if (!options.rows.empty()) throw UsageError("--rows: expected --over-time beside it");
  check_sensors(options), chosen_formulations(options), chosen_cost(options), budget_of(options);
  const RobotOptions robot = with_snap(options.robot, nullptr, searches_for_code(options) ? snap_of_code : 0);
  const Model model = load_robot(robot, options.common);
  SensorSet sensors;
  OutputFile file(options.output);
  PlanFound found;
  if (options.sensors.empty()) {
    const ConstraintSet set = load_constraint_set(options.constraints, model);
    sensors.name = "constraints " + set.name;
    found.results.push_back(search_plan(model, set, search_options(options)));
    tell_left_out(states_left_out(model, set), options);
  } else {
    sensors = constrained_set(options.sensors, options.constraints, model, options.common);
    found = search(model, sensors, options);
  }
  const Plan& plan = found.results.front().plan;
  if (!plan.health.healthy())
    warn(options.common, "no order is healthy at every sampled state; the one of least expected cost is kept");
  if (found.recalled)
    note(options.common,
         any_judged_earlier(found.results.front().orders)
             ? "orders of an earlier search with other sigmas were recalled. The chosen one is judged with these "
               "sigmas, the others are not: --judge-all judges all, --no-cache searches without them"
             : "orders of an earlier search for this structure were recalled; their cost and health are those of "
               "these numbers. --no-cache searches without them");
  file.write(plan_to_json(plan, {model.name, sensors.name, *robot.snap}));
  file.commit();
  tell(options.common.json ? json_text(result_json(found, !options.gaps.empty()))
                           : result_text(found.results, chosen_cost(options)) + deviations_text(found) +
                                 (options.gaps.empty() ? "" : gaps_text(found)),
       options.output == "-");
  return ExitCode::done;
}

}  // namespace

void add_optimise(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("optimise", "Chooses an order of elimination and writes it as a plan");
  command.alias("optimize");
  const auto options = std::make_shared<OptimiseCommand>();
  add_sensors_option(command, options->sensors);
  command.get_option("--sensors").required(false);
  command.add_file(
      "--constraints", options->constraints, FileRole::input,
      "Loops and couplings (JSON), whose hard rows are added to the set; without --sensors: a plan for the iteration that\n"
      "finds the forces of contacts, stops and loops, for --plan of compute, simulate and generate");
  command.add_file("-o,--output", options->output, FileRole::output, "Plan (JSON), or - for the standard output").required();
  command.add_option(
      "--outputs", options->outputs,
      "Outputs whose cost is counted, as in `solve`; default: every unknown; with best or folded, as in `solve`");
  command.add_file("--gaps", options->gaps, FileRole::input,
                   "CSV log: the plan gets an order for each pattern of gaps in this log, so that `solve` needs no search");
  command.add_flag("--over-time", options->over_time,
                   "The order in which `track` takes the rows of an interval, for its --plan; without --formulation, --cost, "
                   "--outputs, --gaps");
  add_rows_option(command, options->rows);
  Command search = command.under("Search");
  search
      .add_option("--formulation", options->formulation,
                  "Formulation of the equations: newton-euler, parts joined by +, or best: the one with the least cost")
      .capture_default_str();
  search
      .add_option("--cost", options->cost,
                  "The cost that is minimised: executed (operations of `solve`) or folded (operations of the code that "
                  "`generate` writes)")
      .capture_default_str();
  search.add_flag("--no-cache", options->no_cache,
                  "Sets that are estimated: search, and neither take nor keep orders of this structure in the user's cache");
  search.add_flag("--judge-all", options->judge_all,
                  "Sets that are estimated, after a search with other sigmas: every order of that search is judged with these, "
                  "not the chosen one alone");
  search.add_option("--seed", options->seed, "Of the local search").capture_default_str();
  search.add_option("--budget", options->budget, "Seconds of local search from the best order").capture_default_str();
  add_options(command, options->robot);
  add_log_options(command, options->common);
  add_options(command, options->common);
  command.footer("Example:\n  sparsedyn optimise robots/arm.urdf --sensors forward-dynamics -o plan.json");
  command.callback(
      [=, &chosen] { chosen = [=] { return answering(options->common, [=] { return run_optimise(*options); }); }; });
}

}  // namespace sparsedyn::cli
