#include "cli/support/tracked_system.hpp"

#include <algorithm>

#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "io/suggestions.hpp"
#include "json/answer_is_no.hpp"
#include "json/refusals.hpp"
#include "sparsedyn/json/document.hpp"
#include "sparsedyn/json/files.hpp"

namespace sparsedyn::cli {
namespace {

constexpr const char* plan_format = "sparsedyn-step-plan";

}  // namespace

void add_rows_option(Command command, std::string& rows) {
  command.add_option("--rows", rows,
                     "kinematic: readings of motion alone, without torques; whole-body: the dynamics too; default: what "
                     "the set reads");
}

TrackRows chosen_track_rows(const std::string& rows) {
  if (rows.empty()) return TrackRows::automatic;
  if (rows != "kinematic" && rows != "whole-body")
    throw UsageError("--rows " + rows + suggestions_text(rows, {"kinematic", "whole-body"}) +
                     ": expected kinematic or whole-body");
  return rows == "kinematic" ? TrackRows::kinematic : TrackRows::whole_body;
}

std::shared_ptr<const System> tracked_system(const Model& model, const std::string& sensors, const std::string& constraints,
                                             const CommonOptions& common) {
  SensorSet set = load_sensor_set(sensors);
  join_constraints(set, constraints, model, common);
  return std::make_shared<const System>(model, std::move(set));
}

void tell_notes(const Tracker& tracker, const std::string& sensors, const std::string& constraints,
                const CommonOptions& common) {
  for (const std::string& text : tracker.notes()) warn(common, sensors + ": " + text);
  if (!constraints.empty() && tracker.rows() == TrackRows::kinematic)
    warn(common, constraints + ": kinematic rows do not use loops");
}

Tracker tracker_of(const std::shared_ptr<const System>& system, const TrackerOptions& wanted) {
  try {
    return Tracker(system, wanted);
  } catch (const UnknownTrackOutput& unknown) {
    throw UsageError(std::string("--outputs: ") + unknown.what());
  } catch (const PlanMismatch& mismatch) {
    refuse_plan(mismatch.what());
  } catch (const Untrackable& open) {
    throw AnswerIsNo(open.what(), json_text({{"untrackable", open.what()}}));
  }
}

std::shared_ptr<const StepPlan> step_plan(const std::string& path) {
  if (path.empty()) return nullptr;
  const json::Document file = json::Document::load(path);
  const json::Node root = file.root(), format = root.at("format"), version = root.at("version");
  if (format.string() != plan_format) format.refuse(format.found(), std::string("\"") + plan_format + "\"");
  if (version.integer() != 1) version.refuse(version.found(), "version 1");
  root.only_keys({"format", "version", "robot", "sensors", "rows_taken", "fingerprint", "strategy", "flops", "order"});
  StepPlan plan{root.at("fingerprint").string(), root.at("strategy").string(), root.at("order").integers()};
  std::vector<int> sorted = plan.order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size(); ++k)
    if (sorted[k] != static_cast<int>(k))
      root.at("order").refuse(root.at("order").found(), "a permutation of 0 … " + std::to_string(sorted.size() - 1));
  return std::make_shared<const StepPlan>(std::move(plan));
}

Json step_flops_json(const Flops& flops) { return {{"mul", flops.mul}, {"add", flops.add}, {"div", flops.div}}; }

Json step_flops_json(const StepFlops& flops) {
  return {{"carry", step_flops_json(flops.carry)},
          {"interval", step_flops_json(flops.interval)},
          {"end", step_flops_json(flops.end)}};
}

std::string step_plan_text(const StepSearch& found, const std::string& robot, const std::string& sensors) {
  const Json plan{{"format", plan_format},
                  {"version", 1},
                  {"robot", robot},
                  {"sensors", sensors},
                  {"rows_taken", found.plan.order.empty() ? "kinematic" : "whole-body"},
                  {"fingerprint", found.plan.fingerprint},
                  {"strategy", found.plan.strategy},
                  {"flops", step_flops_json(found.flops)},
                  {"order", found.plan.order}};
  return json_text(plan);
}

const char* rows_taken(const Tracker& tracker) { return tracker.rows() == TrackRows::kinematic ? "kinematic" : "whole-body"; }

}  // namespace sparsedyn::cli
