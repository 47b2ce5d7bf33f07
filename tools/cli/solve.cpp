// sparsedyn solve: the sparse system, its order replayed on each row of a log.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "cli/comparison.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/output_names.hpp"
#include "cli/planning.hpp"
#include "cli/program.hpp"
#include "cli/system_inputs.hpp"
#include "sparsedyn/io/csv_writer.hpp"
#include "sparsedyn/json/sensor_set.hpp"
#include "sparsedyn/ordering/optimise_order.hpp"
#include "sparsedyn/solve/solver.hpp"

namespace sparsedyn::cli {
namespace {

struct SolveOptions {
  CommonOptions common;
  RobotOptions robot;
  std::string sensors, plan, log, output, outputs;
};

struct SolveSummary {
  long rows = 0, rows_failed = 0;
  double seconds = 0;
  double worst_backward_error = 0, worst_growth = 0;
  SolverCounts counts;
  Json compared;
  std::string compared_text;
  double rows_per_second() const { return seconds > 0 ? static_cast<double>(rows) / seconds : 0.0; }
};

/// The torques and joint accelerations that the set does not hold exactly.
std::vector<std::string> default_outputs(const System& system) {
  std::vector<bool> held(system.unknowns().size(), false);
  const Pattern& pattern = system.pattern();
  for (std::size_t r = 0; r < system.equations().size(); ++r) {
    const Equation& row = system.equations()[r];
    if (row.kind != EquationKind::sensor || pattern.row_start[r + 1] - pattern.row_start[r] != 1) continue;
    const Measurement& m = system.measurements()[row.measurement];
    const std::size_t k = r - static_cast<std::size_t>(m.first_row);
    if (!(m.sigma[k] > 0)) held[pattern.column[pattern.row_start[r]]] = true;
  }
  std::vector<std::string> names;
  for (VariableKind kind : {VariableKind::tau, VariableKind::ddq})
    for (std::size_t x = 0; x < held.size(); ++x)
      if (!held[x] && system.unknowns()[x].kind == kind) names.push_back(system.unknown_names()[x]);
  return names;
}

void check_usage(const SolveOptions& options) {
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  const std::vector<std::string> inputs{options.robot.urdf, options.sensors, options.plan, options.log};
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) throw UsageError("more than one input is -");
  refuse_output_over_input(options.output, inputs);
}

/// What solves a row; without a plan every row fails.
struct RowSolver {
  std::shared_ptr<const System> system;
  std::vector<std::string> columns;
  std::shared_ptr<const Plan> plan;
  std::unique_ptr<Solver> solver;
  std::string why_none;
};

RowSolver make_row_solver(const SolveOptions& options) {
  RowSolver made;
  const Model model = load_robot(options.robot, options.common);
  made.system = std::make_shared<const System>(model, load_sensor_set(options.sensors));
  SolverOptions solver_options;
  solver_options.outputs = options.outputs.empty() ? default_outputs(*made.system) : listed("--outputs", options.outputs);
  made.columns = Outputs(*made.system, solver_options.outputs).columns();
  try {
    made.plan = std::make_shared<const Plan>(plan_for(*made.system, options.plan, options.common));
    made.solver = std::make_unique<Solver>(made.system, made.plan, solver_options);
  } catch (const SingularSystem& singular) {
    made.why_none = singular.what();
  }
  return made;
}

SolveSummary solve_rows(const RowSolver& row, CsvReader& log, CsvWriter& out, const CommonOptions& common) {
  SystemInputs inputs(*row.system, log, common);
  std::vector<std::string> known;
  for (const Input& input : row.system->inputs()) known.insert(known.end(), input.columns.begin(), input.columns.end());
  warn_of_unknown_columns(log, row.system->model(), known, common);
  const bool timed = log.keep("time");
  std::vector<std::string> header = row.columns;
  Comparison comparison(log, header, [&](const std::string& column) { return inputs.uses(column); });
  std::vector<double> results(header.size());
  if (timed) header.insert(header.begin(), "time");
  out.header(header);

  SolveSummary summary;
  FailedRows failed(log.path());
  Progress progress(common);
  const auto start = std::chrono::steady_clock::now();
  for (; log.next(); ++summary.rows, progress.row()) {
    const bool readable = inputs.read();
    SolverStatus status;
    if (readable && row.solver) status = row.solver->solve(inputs.q(), inputs.v(), inputs.y(), results.data());
    const bool done = readable && row.solver && status.ok();
    if (timed) out.raw(log.kept());
    for (double result : results) done ? out.number(result) : out.empty();
    out.end_row();
    if (done) {
      comparison.add(results.data());
      summary.worst_backward_error = std::max(summary.worst_backward_error, status.backward_error);
      summary.worst_growth = std::max(summary.worst_growth, status.growth);
    } else {
      failed.add(log.line(), !readable ? inputs.why() : row.solver ? row.solver->describe(status) : row.why_none);
    }
  }
  out.commit();
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.clear();
  failed.tell_rest();
  summary.rows_failed = failed.count();
  if (row.solver) summary.counts = row.solver->counts();
  summary.compared = comparison.json();
  summary.compared_text = comparison.text();
  return summary;
}

Json summary_json(const SolveSummary& summary, const std::string& strategy) {
  return {
      {"rows", summary.rows},
      {"rows_failed", summary.rows_failed},
      {"rows_per_second", summary.rows_per_second()},
      {"worst_backward_error", summary.worst_backward_error},
      {"worst_growth", summary.worst_growth},
      {"strategy", strategy},
      {"remedies",
       {{"refined", summary.counts.refined}, {"second_order", summary.counts.second_order}, {"dense", summary.counts.dense}}},
      {"compared", summary.compared}};
}

std::string summary_text(const SolveSummary& summary, const std::string& strategy) {
  char line[200];
  std::snprintf(line, sizeof line, "%ld rows, %ld failed, %.0f rows/s, worst backward error %.1e, worst growth %.3g\n",
                summary.rows, summary.rows_failed, summary.rows_per_second(), summary.worst_backward_error,
                summary.worst_growth);
  return "order: " + strategy + "\n" + line + summary.compared_text;
}

ExitCode solve(const SolveOptions& options) {
  check_usage(options);
  const RowSolver row = make_row_solver(options);
  CsvReader log(options.log);
  CsvWriter out(options.output);
  const SolveSummary summary = solve_rows(row, log, out, options.common);
  const std::string strategy = row.plan ? row.plan->strategy : "none";
  tell(options.common.json ? json_text(summary_json(summary, strategy)) : summary_text(summary, strategy),
       options.output == "-");
  return summary.rows_failed ? ExitCode::numerical : ExitCode::done;
}

}  // namespace

void add_solve(CLI::App& program, Chosen& chosen) {
  CLI::App& command = *program.add_subcommand("solve", "Every wanted quantity on each row of a log, from what the sensors say");
  const auto options = std::make_shared<SolveOptions>();
  add_options(command, options->robot);
  add_sensors_option(command, options->sensors);
  command.add_option("--plan", options->plan, "JSON of `optimise`; without one: a shipped, the recursive, or a searched order");
  command.add_option("--log", options->log, "CSV log, or - for the standard input")->required();
  command.add_option("-o,--output", options->output, "CSV file, or - for the standard output")->required();
  command.add_option("--outputs", options->outputs,
                     "Kinds (tau), kinds and names (f.JOINT), or columns, by commas; default: the tau and ddq not given");
  add_options(command, options->common);
  command.footer(
      "Example:\n  sparsedyn solve robots/arm.urdf --sensors inverse-dynamics --log robots/arm.csv -o tau.csv --outputs tau");
  command.callback([=, &chosen] { chosen = [=] { return answering(options->common, [=] { return solve(*options); }); }; });
}

}  // namespace sparsedyn::cli
