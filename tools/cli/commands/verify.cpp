// sparsedyn verify: a robot's algorithms beside each other.
#include "sparsedyn/verification/verify.hpp"

#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>

#include "cli/support/command.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "io/text/how_many.hpp"
#include "program.hpp"

namespace sparsedyn::cli {
namespace {

struct VerifyCommand {
  CommonOptions common;
  RobotOptions robot;
  std::uint64_t samples = 100, seed = 1;
  bool no_programs = false;
};

const char* verdict(const Agreement& row) {
  if (!row.skipped.empty()) return "not compared";
  return row.agrees() ? "agrees" : "OFF";
}

std::string state_name(int sample) { return sample == 0 ? "neutral, at rest" : "sample " + std::to_string(sample); }

/// A line a row, under its quantity.
std::string table_of_pairs(const Verification& found) {
  std::string text, quantity;
  for (const Agreement& row : found.agreements) {
    if (row.quantity != quantity) text += (quantity = row.quantity) + "\n";
    char line[160];
    if (row.skipped.empty())
      std::snprintf(line, sizeof line, "  %-63.63s %7.1e %s\n", (row.way + " | " + row.beside).c_str(), row.worst,
                    verdict(row));
    else
      std::snprintf(line, sizeof line, "  %-63.63s       - %s\n", (row.way + " | " + row.beside).c_str(), verdict(row));
    text += line;
    if (!row.skipped.empty()) text += "      " + row.skipped + "\n";
    if (!row.agrees())
      text += "      worst at " + row.entry + ", " + state_name(row.sample) + "; rounding may leave " + [&] {
        std::snprintf(line, sizeof line, "%.1e", row.allowed);
        return std::string(line);
      }() + "\n";
    if (row.refused > 0)
      text += "      not at " + how_many(row.refused, "state", "states") + ": M is singular there, or nearly\n";
  }
  return text;
}

std::string in_words(const Verification& found, const VerifyCommand& options) {
  char line[240];
  std::snprintf(line, sizeof line,
                "\nWorst differences over %llu states, relative to the largest value of the entry.\nM's conditioning is %.1e: "
                "accelerations lose that many times a rounding of 1e-16.\n",
                static_cast<unsigned long long>(options.samples), found.conditioning);
  return table_of_pairs(found) + line +
         (found.passed() ? "All that was compared agrees.\n"
                         : "Some are OFF: please report it with this table and the robot.\n");
}

Json as_json(const Verification& found, const VerifyCommand& options) {
  Json rows = Json::array();
  for (const Agreement& row : found.agreements) {
    Json one{{"quantity", row.quantity}, {"a", row.way},           {"b", row.beside},       {"worst", nullptr}, {"at", nullptr},
             {"verdict", verdict(row)},  {"states", row.compared}, {"refused", row.refused}};
    if (row.skipped.empty())
      one["worst"] = row.worst, one["allowed"] = row.allowed, one["at"] = row.entry, one["sample"] = row.sample;
    else
      one["why"] = row.skipped;
    rows.push_back(std::move(one));
  }
  return {{"samples", options.samples},
          {"seed", options.seed},
          {"conditioning", found.conditioning},
          {"passed", found.passed()},
          {"pairs", rows}};
}

ExitCode verify_robot(const VerifyCommand& options) {
  if (options.samples < 1 || options.samples > 1000000) throw UsageError("--samples: expected 1 to 1000000");
  if (options.seed > std::numeric_limits<unsigned>::max()) throw UsageError("--seed: expected at most 4294967295");
  const Model model = load_robot(options.robot, options.common);
  if (model.nv == 0) throw UsageError("verify: the robot has no freedoms; expected a joint that moves");
  VerifyOptions how;
  how.samples = static_cast<int>(options.samples), how.seed = static_cast<unsigned>(options.seed);
  how.programs = !options.no_programs;
  const Verification found = verify(model, how);
  tell(options.common.json ? json_text(as_json(found, options)) : in_words(found, options));
  return found.passed() ? ExitCode::done : ExitCode::no;
}

}  // namespace

void add_verify(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("verify", "Every algorithm beside every other, on your robot: worst differences");
  const auto options = std::make_shared<VerifyCommand>();
  command.add_option("--samples", options->samples, "States: neutral at rest, neutral in motion, random ones within limits")
      .capture_default_str();
  command.add_option("--seed", options->seed, "Of the random states").capture_default_str();
  command.add_flag("--no-programs", options->no_programs, "Without generated code, which takes a C compiler and seconds");
  add_options(command, options->robot);
  add_options(command, options->common);
  command.footer(
      "Exit codes:\n  1 where two ways to one quantity differ by more than rounding.\n\n"
      "Python's sd.verify(robot) compares with Pinocchio and MuJoCo too, where they are installed.\n\n"
      "Example:\n  sparsedyn verify robots/arm.urdf");
  command.callback(
      [=, &chosen] { chosen = [=] { return answering(options->common, [=] { return verify_robot(*options); }); }; });
}

}  // namespace sparsedyn::cli
