// What the commands about a state over time have in common: which rows, and a Tracker or its refusal.
#pragma once

#include <memory>
#include <string>

#include "cli/support/command.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/options.hpp"
#include "sparsedyn/tracking/step_plan.hpp"

namespace sparsedyn::cli {

/// --rows.
void add_rows_option(Command command, std::string& rows);
/// Of --rows: kinematic, whole-body, or nothing. Throws UsageError.
TrackRows chosen_track_rows(const std::string& rows);
/// Of a set, with the closed loops and couplings of a file of constraints; none of an empty path. Throws InputError.
std::shared_ptr<const System> tracked_system(const Model& model, const std::string& sensors, const std::string& constraints,
                                             const CommonOptions& common);
/// Warns of what the tracker does not use of these files.
void tell_notes(const Tracker& tracker, const std::string& sensors, const std::string& constraints,
                const CommonOptions& common);
/// Throws UsageError for an output that there is not, AnswerIsNo where the sensors leave open what is tracked.
Tracker tracker_of(const std::shared_ptr<const System>& system, const TrackerOptions& wanted);
/// The plan that `optimise --over-time` wrote; none of an empty path. Throws InputError where the file is none.
std::shared_ptr<const StepPlan> step_plan(const std::string& path);
Json step_flops_json(const Flops& flops);
/// mul, add, div of carry, interval, end.
Json step_flops_json(const StepFlops& flops);
/// The plan's text. robot, sensors: names, for readers.
std::string step_plan_text(const StepSearch& found, const std::string& robot, const std::string& sensors);

/// "kinematic" or "whole-body".
const char* rows_taken(const Tracker& tracker);

}  // namespace sparsedyn::cli
