#include "cli/generate_program.hpp"

#include <algorithm>

#include "cli/exit_code.hpp"
#include "sparsedyn/io/near_names.hpp"
#include "sparsedyn/program/algorithm_programs.hpp"

namespace sparsedyn::cli {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

RequestedProgram of_algorithm(const Model& model, const ProgramRequest& request) {
  Program program = algorithm_program(model, request.algorithm);
  if (!request.outputs.empty()) {
    std::vector<std::string> known;
    for (const Port& port : program.outputs()) known.push_back(port.name);
    for (const std::string& name : request.outputs)
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw UsageError("--outputs " + name + ": " + request.algorithm + " has no such output" + near_names_text(name, known) +
                         "; expected " + joined(known));
    program = algorithm_program(model, request.algorithm, request.outputs);
  }
  return {std::move(program), request.algorithm};
}

}  // namespace

void check_request(const ProgramRequest& request) {
  if (request.algorithm.empty() == request.sensors.empty()) throw UsageError("expected one of --algorithm and --sensors");
  if (request.sensors.empty() && request.all_inputs) throw UsageError("--all-inputs goes with --sensors");
  const std::vector<std::string> known = program_algorithms();
  if (!request.algorithm.empty() && std::find(known.begin(), known.end(), request.algorithm) == known.end())
    throw UsageError("--algorithm " + request.algorithm + ": unknown" + near_names_text(request.algorithm, known) +
                     "; expected one of " + joined(known));
}

RequestedProgram requested_program(const Model& model, const ProgramRequest& request, const CommonOptions&) {
  return of_algorithm(model, request);
}

}  // namespace sparsedyn::cli
