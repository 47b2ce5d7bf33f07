// sd.optimise and what a Plan shows.
#include "plan.hpp"

#include "determinacy/needs_estimate.hpp"
#include "interruptible.hpp"
#include "io/text_file.hpp"
#include "json/json_text.hpp"
#include "json/refusals.hpp"
#include "planning/gap_patterns.hpp"
#include "requests/plan_search.hpp"
#include "sensors.hpp"
#include "sparsedyn/json/document.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/json/plans.hpp"
#include "sparsedyn/report/page.hpp"
#include "system/unit_entries.hpp"

namespace sparsedyn::python {
namespace {

using json::Json;

struct Found {
  std::string plan, report;
};

Json candidate_json(const std::string& formulation, const StrategyResult& order, long cost, bool chosen) {
  return {{"formulation", formulation},
          {"strategy", order.strategy},
          {"mul", order.flops().mul},
          {"add", order.flops().add},
          {"div", order.flops().div},
          {"fill", order.fill},
          {"cost", cost},
          {"worst_backward_error", order.health.worst_backward_error},
          {"worst_growth", order.health.worst_growth},
          {"healthy", order.health.healthy()},
          {"chosen", chosen}};
}

std::vector<Formulation> chosen_formulations(const std::string& name) {
  if (name == "best") return all_formulations();
  return {name == "default" ? Formulation{} : formulation_named(name)};
}

/// gaps: samples of readings, NaN where one is missing.
Found searched(const Model& model, double snap, const SensorSet& sensors, const std::string& formulation,
               const std::vector<std::vector<double>>& gaps, OptimiseOptions search) {
  const auto system = std::make_shared<const System>(model, sensors);
  PlanRequest request;
  request.formulations = chosen_formulations(formulation), request.search = std::move(search);
  if (formulation == "best") request.search.outputs = default_outputs(*system);
  require_plannable(*system, determinacy(*system));
  if (needs_estimate(*system) && formulation != "default" && formulation != formulation_name({}))
    throw AnswerIsNo("the set is estimated: formulations are for sets that are solved", "{}");
  GapPatterns patterns;
  for (const std::vector<double>& y : gaps) patterns.add(*system, y.data());
  request.gaps = patterns.by_frequency();
  const std::vector<FormulationResult> results = search_plan(system, request).results;
  const FormulationResult& best = results.front();
  Json candidates = Json::array();
  for (const FormulationResult& result : results)
    for (const PricedOrder& priced : result.orders)
      candidates.push_back(candidate_json(formulation_name(result.formulation), priced.order, priced.cost,
                                          &result == &best && priced.order.strategy == best.plan.strategy));
  return {plan_to_json(best.plan, {model.name, sensors.name, snap}), json::json_text(candidates)};
}

nb::tuple optimise_plan(const RobotModel& robot, nb::handle source, const std::string& formulation, nb::handle budget,
                        unsigned seed, const std::vector<std::vector<double>>& gaps, nb::handle report) {
  const Sensors sensors = sensors_of(source);
  OptimiseOptions search;
  search.seed = seed;
  search.budget = budget.is_none() ? 0.0 : nb::cast<double>(budget);
  search.memory = orders_of_the_user(), search.judge_all = true;
  if (!(search.budget >= 0 && search.budget <= 1e6)) throw nb::value_error("budget: expected seconds, 0 to 1e6");
  const auto model = robot.shared();
  const double snap = robot.source().options.snap;
  const Found found = interruptible<Found>(
      [=](const Progress& progress) {
        OptimiseOptions watched = search;
        watched.progress = [&](const std::string& strategy, double done) { progress(done, strategy); };
        return searched(*model, snap, sensors.set, formulation, gaps, watched);
      },
      report);
  return nb::make_tuple(found.plan, found.report);
}

/// The drawing of the planned matrix.
std::string spy(const RobotModel& robot, nb::handle source, const std::string& text) {
  const Sensors sensors = sensors_of(source);
  const json::Document document = json::Document::parse(text, "plan");
  const System system(robot.model(), sensors.set, formulation_of_plan(document));
  if (needs_estimate(system)) {
    const Plan plan = estimator_plan_from_json(document, system);
    const std::vector<std::string> none(static_cast<std::size_t>(plan.pattern.columns));
    return report::spy_plot(report::spy_of(plan.pattern, plan.order, plan.elimination, none, none));
  }
  const Plan plan = plan_from_json(document, system.fingerprint(), system.pattern(), unit_entries(system));
  return report::spy_plot(
      report::spy_of(plan.pattern, plan.order, plan.elimination, system.equation_names(), system.unknown_names()));
}

/// The text of a plan's file. Refuses what is no plan, with file and line.
std::string read_plan(const std::string& file) {
  std::string text = read_text_file(file == "-" ? "./-" : file, "a JSON file");
  const json::Document document = json::Document::parse(text, file);
  formulation_of_plan(document), snap_of_plan(document);
  const json::Node root = document.root();
  for (const char* key : {"format", "fingerprint", "strategy"}) root.at(key).string();
  root.at("rows").integers(), root.at("columns").integers();
  return text;
}

}  // namespace

void bind_plan(nb::module_& m) {
  m.def(
      "_optimise", &optimise_plan, nb::arg("robot"), nb::arg("sensors"), nb::arg("formulation"), nb::arg("budget").none(),
      nb::arg("seed"), nb::arg("gaps"), nb::arg("report").none(),
      nb::sig("def _optimise(robot: Model, sensors: SensorSet | str | os.PathLike[str] | Mapping[str, Any], formulation: str, "
              "budget: float | None, seed: int, gaps: Sequence[Sequence[float]], report: Callable[[float, str], None] | None) "
              "-> tuple[str, str]"));
  m.def("_spy", &spy, nb::arg("robot"), nb::arg("sensors"), nb::arg("plan"),
        nb::sig("def _spy(robot: Model, sensors: SensorSet | str | os.PathLike[str] | Mapping[str, Any], plan: str) -> str"));
  m.def("_read_plan", &read_plan, nb::arg("file"), nb::sig("def _read_plan(file: str) -> str"));
}

}  // namespace sparsedyn::python
