// sparsedyn flops: what the algorithms cost, raw and folded, beside the formulas of the literature.
#include <memory>

#include "cli/command.hpp"
#include "cli/flops_report.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/planning.hpp"
#include "cli/program.hpp"
#include "sparsedyn/io/number.hpp"
#include "sparsedyn/io/output_file.hpp"
#include "sparsedyn/json/sensor_set.hpp"
#include "sparsedyn/ordering/optimise.hpp"
#include "sparsedyn/solve/unit_entries.hpp"

namespace sparsedyn::cli {
namespace {

struct FlopsOptions {
  CommonOptions common;
  RobotOptions robot;
  std::string sensors, chain, output;
};

constexpr int longest_folded_chain = 60;  // beyond, recording every operation of O(n³) algorithms takes too much memory

OperationCounts to_counts(const Flops& flops) { return {flops.mul, flops.add, flops.div, 0, 0}; }

/// Factorisation and solve. Raw: every stored entry; folded: entries that are ±1 at every state cost nothing, and what the
/// outputs do not need is left out.
FlopsEntry lu_entry(const System& system, const Plan& plan, const std::string& sensors) {
  FlopsEntry entry{"zero_fill_lu", 0, to_counts(make_plan(system.pattern(), plan.order).flops()), {}, sensors, {}};
  const VariableKind wanted = sensors == "forward-dynamics" ? VariableKind::ddq : VariableKind::tau;
  std::vector<int> outputs;
  for (std::size_t x = 0; x < system.unknowns().size(); ++x)
    if (system.unknowns()[x].kind == wanted) outputs.push_back(static_cast<int>(x));
  entry.folded = to_counts(make_plan(system.pattern(), plan.order, unit_entries(system), outputs).flops());
  return entry;
}

FlopsEntry program_entry(const Model& model, const std::string& algorithm) {
  const OperationCounts counts = program_counts(model, algorithm);
  return {"program", 0, counts, counts, algorithm, {}};
}

std::vector<FlopsEntry> robot_entries(const Model& model, const FlopsOptions& options) {
  std::vector<FlopsEntry> entries;
  for (const AlgorithmCounts& counted : recursive_counts(model, true))
    entries.push_back({counted.algorithm, 0, counted.raw, counted.folded, "", {}});
  for (const char* algorithm : {"rnea", "aba"}) entries.push_back(program_entry(model, algorithm));
  const System system(model, load_sensor_set(options.sensors));
  if (const std::optional<Plan> plan = plan_for(system, "", options.common))
    entries.push_back(lu_entry(system, *plan, options.sensors));
  return entries;
}

std::vector<FlopsEntry> chain_entries(int n) {
  const Model model = general_chain(n);
  std::vector<FlopsEntry> entries;
  for (const AlgorithmCounts& counted : recursive_counts(model, n <= longest_folded_chain)) {
    entries.push_back({counted.algorithm, n, counted.raw, counted.folded, "", {}});
    for (const PublishedCount& formula : published_counts(n))
      if (formula.algorithm == counted.algorithm) entries.back().published.push_back(formula);
  }
  if (n > longest_folded_chain) return entries;
  for (const char* algorithm : {"rnea", "aba"}) entries.push_back(program_entry(model, algorithm));
  for (const char* sensors : {"inverse-dynamics", "forward-dynamics"}) {
    const System system(model, load_sensor_set(sensors));
    if (const std::optional<Plan> plan = recursive_plan(system)) entries.push_back(lu_entry(system, *plan, sensors));
  }
  for (FlopsEntry& entry : entries) entry.n = n;
  return entries;
}

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

ExitCode flops(const FlopsOptions& options) {
  const bool chain = !options.chain.empty(), robot = !options.robot.urdf.empty() && !options.sensors.empty();
  if (chain == robot || (chain && !options.robot.urdf.empty()))
    throw UsageError("flops: expected ROBOT --sensors S, or --chain A..B");
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  if (robot) refuse_output_over_input(options.output, {options.robot.urdf, options.sensors});
  std::vector<FlopsEntry> entries;
  if (chain) {
    const auto [first, last] = chain_range(options.chain);
    for (int n = first; n <= last; ++n)
      for (FlopsEntry& entry : chain_entries(n)) entries.push_back(std::move(entry));
  } else {
    entries = robot_entries(load_robot(options.robot, options.common), options);
  }
  if (!options.output.empty()) write_file(options.output, flops_html(entries));
  if (options.common.json || options.output != "-") tell(options.common.json ? flops_json(entries) : flops_text(entries));
  return ExitCode::done;
}

}  // namespace

void add_flops(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("flops", "What the algorithms cost on a robot, or on chains");
  const auto options = std::make_shared<FlopsOptions>();
  add_options(command, options->robot);
  command.get_option("ROBOT").required(false);
  add_sensors_option(command, options->sensors);
  command.get_option("--sensors").required(false);
  command.add_option("--chain", options->chain, "N or A..B: general chains of so many revolute joints, without a robot");
  command.add_option("-o,--output", options->output, "Report as HTML, or - for the standard output");
  add_options(command, options->common);
  command.footer(
      "Example:\n  sparsedyn flops robots/arm.urdf --sensors forward-dynamics\n  sparsedyn flops --chain 2..30 -o report.html");
  command.callback([=, &chosen] { chosen = [=] { return answering(options->common, [=] { return flops(*options); }); }; });
}

}  // namespace sparsedyn::cli
