// sparsedyn simulate: a consistent log of a smooth motion.
#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "cli/json_text.hpp"
#include "cli/log_columns.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "cli/trajectory.hpp"
#include "sparsedyn/io/csv_writer.hpp"
#include "sparsedyn/recursive/rnea.hpp"

namespace sparsedyn::cli {
namespace {

struct SimulateOptions {
  CommonOptions common;
  RobotOptions robot;
  std::string output;
  double seconds = 10, rate = 250;
  std::uint64_t seed = 1;
};

long number_of_rows(const SimulateOptions& options) {
  const double rows = std::round(options.seconds * options.rate);
  if (!(options.seconds > 0) || !(options.rate > 0) || !(rows >= 1 && rows <= 1e9))
    throw UsageError("--seconds, --rate: expected positive numbers that make 1 to 1e9 rows");
  return static_cast<long>(rows);
}

/// The inverse dynamics along the trajectory; each part of a row is written under its prefix.
void simulate_rows(const Model& model, const SimulateOptions& options, long rows, CsvWriter& out) {
  std::vector<std::string> header{"time"};
  const auto add = [&](const std::vector<std::string>& names) { header.insert(header.end(), names.begin(), names.end()); };
  add(with_prefix("q", coordinate_names(model)));
  add(with_prefix("dq", velocity_names(model)));
  add(with_prefix("ddq", velocity_names(model)));
  add(with_prefix("tau", force_names(model)));
  out.header(header);

  Random random(options.seed);
  const Trajectory trajectory(model, random);
  Workspace<double> work(model);
  std::vector<double> q(model.nq), v(model.nv), a(model.nv), tau(model.nv);
  Progress progress(options.common);
  for (long k = 0; k < rows; ++k, progress.row()) {
    const double t = static_cast<double>(k) / options.rate;
    trajectory.evaluate(t, q.data(), v.data(), a.data());
    rnea(model, work, q.data(), v.data(), a.data(), static_cast<const Force<double>*>(nullptr), tau.data());
    out.number(t);
    for (const auto* part : {&q, &v, &a, &tau})
      for (double x : *part) out.number(x);
    out.end_row();
  }
  out.commit();
}

ExitCode simulate(const SimulateOptions& options) {
  const long rows = number_of_rows(options);
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  refuse_output_over_input(options.output, {options.robot.urdf});
  const Model model = load_robot(options.robot, options.common);
  CsvWriter out(options.output);
  simulate_rows(model, options, rows, out);
  tell(options.common.json ? json_text({{"rows", rows}}) : "simulate: " + std::to_string(rows) + " rows\n",
       options.output == "-");
  return ExitCode::done;
}

}  // namespace

void add_simulate(CLI::App& program, Chosen& chosen) {
  CLI::App& command = *program.add_subcommand("simulate", "A consistent log of a smooth motion");
  const auto options = std::make_shared<SimulateOptions>();
  add_options(command, options->robot);
  command.add_option("--seconds", options->seconds, "Length of the log")->capture_default_str();
  command.add_option("--rate", options->rate, "Rows a second")->capture_default_str();
  command.add_option("--seed", options->seed, "Of the motion")->capture_default_str();
  command.add_option("-o,--output", options->output, "CSV file, or - for the standard output")->required();
  add_options(command, options->common);
  command.footer("Example:\n  sparsedyn simulate robots/arm.urdf --seconds 10 --rate 250 --seed 1 -o log.csv");
  command.callback([=, &chosen] { chosen = [=] { return simulate(*options); }; });
}

}  // namespace sparsedyn::cli
