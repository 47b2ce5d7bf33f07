// sparsedyn check: what a sensor set determines, at one time or over time; what hard constraints leave free.
#include <memory>

#include "cli/commands/over_time/check_over_time.hpp"
#include "cli/support/command.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "cli/support/tracked_system.hpp"
#include "io/text/how_many.hpp"
#include "json/determinacy_report.hpp"
#include "program.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/json/files.hpp"

namespace sparsedyn::cli {
namespace {

struct CheckOptions {
  CommonOptions common;
  RobotOptions robot;
  std::string sensors, constraints, rows;
  bool over_time = false;
};

std::string hard_rows_in_words(const HardRows& found) {
  std::string text = how_many(found.rows, "hard row", "hard rows") + " of rank " + std::to_string(found.rank) + ": " +
                     how_many(found.freedoms, "freedom", "freedoms") + " left\n";
  for (const std::string& name : found.redundant) text += "  " + name + " follows from the others\n";
  return text;
}

ExitCode check_constraints(const CheckOptions& options) {
  const Model model = load_robot(options.robot, options.common);
  const HardRows found = hard_rows(model, load_constraint_set(options.constraints, model));
  const Json report{{"rows", found.rows}, {"rank", found.rank}, {"redundant", found.redundant}, {"freedoms", found.freedoms}};
  tell(options.common.json ? json_text(report) : hard_rows_in_words(found));
  return ExitCode::done;
}

ExitCode check(const CheckOptions& options) {
  if (options.over_time) {
    if (options.sensors.empty()) throw UsageError("--over-time: expected --sensors");
    return check_over_time(options.robot, options.sensors, options.constraints, options.rows, options.common);
  }
  if (!options.rows.empty()) throw UsageError("--rows: expected --over-time beside it");
  if (options.sensors.empty() && options.constraints.empty()) throw UsageError("check: expected --sensors or --constraints");
  if (options.sensors.empty()) return check_constraints(options);
  const Model model = load_robot(options.robot, options.common);
  const System system(model, constrained_set(options.sensors, options.constraints, model, options.common));
  const Determinacy found = determinacy(system);
  const RankOverStates ranks = rank_over_states(system, 20, 16);
  Json report = to_json(system, found);
  report["states"] = to_json(ranks);
  tell(options.common.json ? json_text(report) : in_words(system, found) + in_words(ranks));
  const bool fine = found.verdict() != Verdict::insufficient && found.redundant_exact.empty();
  return fine ? ExitCode::done : ExitCode::no;
}

}  // namespace

void add_check(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("check", "Whether a sensor set is determined, redundant or insufficient");
  const auto options = std::make_shared<CheckOptions>();
  add_sensors_option(command, options->sensors);
  command.get_option("--sensors").required(false);
  command.add_file(
      "--constraints", options->constraints, FileRole::input,
      "Loops and couplings (JSON): print rank and redundant rows of the hard ones; with --sensors: add them to the set");
  command.add_flag("--over-time", options->over_time,
                   "What `track` cannot see by this set, by name: in motion, at rest, at rest on one contact alone");
  add_rows_option(command, options->rows);
  add_options(command, options->robot);
  add_options(command, options->common);
  command.footer("Example:\n  sparsedyn check robots/arm.urdf --sensors forward-dynamics");
  command.callback([=, &chosen] { chosen = [=] { return answering(options->common, [=] { return check(*options); }); }; });
}

}  // namespace sparsedyn::cli
