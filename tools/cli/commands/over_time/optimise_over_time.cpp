#include "optimise_over_time.hpp"

#include <cstdio>
#include <memory>

#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/tracked_system.hpp"
#include "io/output_file.hpp"
#include "sparsedyn/json/files.hpp"

namespace sparsedyn::cli {
namespace {

Json strategies_json(const StepSearch& found) {
  Json strategies = Json::array();
  for (const StepStrategy& s : found.strategies)
    strategies.push_back({{"name", s.name}, {"flops", step_flops_json(s.interval)}});
  return strategies;
}

std::string strategies_in_words(const StepSearch& found) {
  std::string text = "strategy            flops of the interval's rows\n";
  char line[160];
  for (const StepStrategy& s : found.strategies) {
    std::snprintf(line, sizeof line, "%-18s %9ld%s\n", s.name.c_str(), s.interval.total(),
                  &s == &found.strategies.front() ? " *" : "");
    text += line;
  }
  std::snprintf(line, sizeof line, "* chosen. Carried over the interval: %ld, rows at its end: %ld flops.\n",
                found.flops.carry.total(), found.flops.end.total());
  return text + line + (found.plan.order.empty() ? "Kinematic rows cost the same in each order.\n" : "");
}

}  // namespace

ExitCode optimise_over_time(const RobotOptions& robot, const std::string& sensors, const std::string& constraints,
                            const std::string& rows, const std::string& output, const CommonOptions& common) {
  TrackerOptions wanted;
  wanted.rows = chosen_track_rows(rows);
  const Model model = load_robot(robot, common);
  const std::shared_ptr<const System> system = tracked_system(model, sensors, constraints, common);
  const Tracker tracker = tracker_of(system, wanted);
  tell_notes(tracker, sensors, constraints, common);
  const StepSearch found = search_step_order(system, wanted.rows);
  OutputFile file(output);
  file.write(step_plan_text(found, model.name, system->sensors().name));
  file.commit();
  Json json{{"strategies", strategies_json(found)},
            {"chosen", found.plan.strategy},
            {"rows_taken", rows_taken(tracker)},
            {"states", tracker.states()},
            {"flops", step_flops_json(found.flops)}};
  tell(common.json ? json_text(json) : strategies_in_words(found), output == "-");
  return ExitCode::done;
}

}  // namespace sparsedyn::cli
