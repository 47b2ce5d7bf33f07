// sparsedyn flops: what the algorithms cost, raw and folded, beside the formulas of the literature.
#include <unistd.h>

#include <memory>

#include "cli/reports/flops_report.hpp"
#include "cli/support/command.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "cli/support/planning.hpp"
#include "cli/support/terminal.hpp"
#include "io/output_file.hpp"
#include "program.hpp"

namespace sparsedyn::cli {
namespace {

struct FlopsOptions {
  CommonOptions common;
  RobotOptions robot;
  std::string sensors, chain, output;
  bool all = false;
};

/// "N" or "A..B", 1 ≤ A ≤ B ≤ 1000.
std::pair<int, int> chain_range(const std::string& text) {
  const std::size_t dots = text.find("..");
  const auto number = [&](const std::string& digits) {
    const bool fine = !digits.empty() && digits.size() <= 4 && digits.find_first_not_of("0123456789") == std::string::npos;
    return fine ? std::stoi(digits) : 0;
  };
  const int first = number(text.substr(0, dots));
  const int last = dots == std::string::npos ? first : number(text.substr(dots + 2));
  if (first < 1 || last < first || last > 1000)
    throw UsageError("--chain " + text + ": expected N or A..B, 1 <= A <= B <= 1000");
  return {first, last};
}

bool ends_in(const std::string& path, const std::string& ending) {
  return path.size() > ending.size() && path.compare(path.size() - ending.size(), ending.size(), ending) == 0;
}

FlopsReport counts_of_robot(const FlopsOptions& options) {
  std::vector<std::string> warnings;
  FlopsReport report =
      flops_of_robot(load_robot(with_snap(options.robot, nullptr, snap_of_code), options.common), options.sensors, warnings);
  for (const std::string& warning : warnings) warn(options.common, warning);
  return report;
}

FlopsReport counts_of_chains(const FlopsOptions& options) {
  const auto [first, last] = chain_range(options.chain);
  Progress progress(options.common);
  FlopsReport report = flops_of_chains(first, last, [&](double share) { progress.part("chains", share); });
  progress.clear();
  return report;
}

ExitCode flops(const FlopsOptions& options) {
  const bool chain = !options.chain.empty(), robot = !options.robot.urdf.empty();
  if (chain == robot || (chain && !options.sensors.empty()))
    throw UsageError("flops: expected ROBOT, with --sensors S or without, or --chain A..B");
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  const FlopsReport report = robot ? counts_of_robot(options) : counts_of_chains(options);
  if (!options.output.empty())
    write_file(options.output, ends_in(options.output, ".csv") ? flops_csv(report) : flops_html(report));
  if (options.common.json || options.output != "-")
    tell(options.common.json ? flops_json(report)
         : options.all       ? flops_text(report, ::isatty(STDOUT_FILENO) ? terminal_width(0) : 0)
                             : flops_summary(report));
  return ExitCode::done;
}

}  // namespace

void add_flops(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("flops", "Operation counts of the algorithms on a robot, or on chains");
  const auto options = std::make_shared<FlopsOptions>();
  add_sensors_option(command, options->sensors);
  command.get_option("--sensors").required(false);
  command.add_flag(
      "--all", options->all,
      "Every entry with its kinds of operations, in lines as wide as the terminal, else as they need; default: a summary");
  command.add_option("--chain", options->chain, "N or A..B: general chains of N, or A to B, revolute joints, without a robot");
  command.add_file("-o,--output", options->output, FileRole::output,
                   "Report: NAME.csv as CSV, else as a page of HTML; - for the standard output");
  add_options(command, options->robot);
  command.get_option("ROBOT").required(false);
  add_options(command, options->common);
  command.footer(
      "Examples:\n  sparsedyn flops robots/arm.urdf\n  sparsedyn flops robots/arm.urdf --sensors forward-dynamics -o "
      "report.html\n"
      "  sparsedyn flops --chain 2..30 -o report.html\n  sparsedyn flops --chain 2..30 -o counts.csv");
  command.callback([=, &chosen] { chosen = [=] { return answering(options->common, [=] { return flops(*options); }); }; });
}

}  // namespace sparsedyn::cli
