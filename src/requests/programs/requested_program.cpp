#include "requested_program.hpp"

#include <algorithm>

#include "determinacy/required_inertia.hpp"
#include "io/suggestions.hpp"
#include "json/answer_is_no.hpp"
#include "json/json_text.hpp"
#include "model/loads.hpp"
#include "requested_contacts.hpp"
#include "requested_parameters.hpp"
#include "requests/inverts_inertia.hpp"
#include "runtime/output_request.hpp"
#include "set_program.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/json/files.hpp"

namespace sparsedyn {
namespace {

/// The outputs asked for; `what` has them.
VectorisedProgram selected(const VectorisedProgram& program, const std::vector<std::string>& outputs, const std::string& what) {
  std::vector<std::string> kinds, known;
  for (const Port& port : program.program.outputs()) {
    kinds.push_back(port.name), known.push_back(port.name);
    known.insert(known.end(), port.elements.begin(), port.elements.end());
  }
  for (const std::string& name : outputs)
    if (std::none_of(known.begin(), known.end(), [&](const std::string& column) { return answers(column, name); }))
      throw UsageError("--outputs " + name + ": " + what + " has no such output" + suggestions_text(name, known) +
                       "; expected columns of " + listing(kinds, kinds.size()));
  return program.only(outputs);
}

RequestedProgram of_algorithm(const Model& model, const ProgramRequest& request) {
  if (reads_constraints(request.algorithm)) throw UsageError(request.algorithm + ": constraints are required");
  const ParameterInputs parameters = requested_parameters(model, "--parameters", request.parameters);
  if (inverts_inertia(request.algorithm) && parameters.empty())
    require_inertia(System(model, load_sensor_set("forward-dynamics")));
  VectorisedProgram program = vectorised_program(model, request.algorithm, request.all_inputs, parameters);
  if (!request.outputs.empty()) program = selected(program, request.outputs, request.algorithm);
  return {std::move(program), request.algorithm, parameters};
}

/// --forces: links that move, each once.
void check_links(const Model& model, const std::vector<std::string>& forces) {
  std::vector<std::string> moving;
  for (const Link& link : model.links)
    if (link.body >= 0) moving.push_back(link.name);
  for (auto name = forces.begin(); name != forces.end(); ++name) {
    if (std::find(moving.begin(), moving.end(), *name) == moving.end())
      throw UsageError("--forces " + *name + ": no link that moves has this name" + suggestions_text(*name, moving));
    if (std::find(forces.begin(), name, *name) != name) throw UsageError("--forces " + *name + ": named twice");
  }
}

/// A step of time. Outputs are whole vectors and matrices.
RequestedProgram of_stage(const Model& model, const ProgramRequest& request) {
  const std::vector<std::string>& known = stage_outputs(request.stage);
  const auto is_known = [&](const std::string& name) { return std::find(known.begin(), known.end(), name) != known.end(); };
  for (const std::string& name : request.outputs) {
    const std::string kind = name.substr(0, name.find('.'));
    if (kind != name && is_known(kind))
      throw UsageError("--outputs " + name + ": of a stage whole vectors and matrices alone; expected " + kind);
    if (!is_known(name))
      throw UsageError("--outputs " + name + ": a stage by " + request.stage + " has no such output" +
                       suggestions_text(name, known) + "; expected " + listing(known, known.size()));
  }
  if (const std::string why = why_no_stage(model, request.stage); !why.empty())
    throw UsageError("--stage " + request.stage + ": " + why + "; expected a robot on the ground, of joints of one freedom");
  const ParameterInputs parameters = requested_parameters(model, "--parameters", request.parameters);
  if (parameters.empty()) require_inertia(System(model, load_sensor_set("forward-dynamics")));
  const std::vector<std::string> outputs =
      request.outputs.empty() ? std::vector<std::string>{known.front(), "A", "B"} : request.outputs;
  check_links(model, request.forces);
  return {{stage_program(model, request.stage, outputs, parameters, request.forces), nullptr},
          "stage, " + request.stage,
          parameters};
}

/// Why a program met a division by what is zero at every state: forward dynamics leaves an acceleration open (a joint that
/// moves no mass), which is named; else as the program says.
std::string undetermined_motion(const Model& model, const std::string& otherwise) {
  try {
    require_inertia(System(model, load_sensor_set("forward-dynamics")));
  } catch (const SingularSystem& singular) {
    return with_massless_advice(singular.what(), model);
  }
  return otherwise;
}

/// --parameters: of programs whose outputs are functions of the parameters that are asked for.
void check_parameters(const ProgramRequest& request) {
  const std::string& algorithm = request.algorithm;
  if (algorithm.rfind("regressor", 0) == 0)
    throw UsageError("--parameters: " + algorithm + " holds no parameters, or reads all of them; expected another algorithm");
  if (algorithm.rfind("contact-", 0) == 0 && algorithm != "contact-dynamics")
    throw UsageError("--parameters: " + algorithm + " has constant parameters; expected contact-dynamics");
  const bool base = std::find(request.parameters.begin(), request.parameters.end(), "base") != request.parameters.end();
  for (const char* whole : {"energy", "momentum", "momentum-rate", "centroidal-momentum-matrix", "centre-of-mass-jacobian"})
    if (base && algorithm == whole)
      throw UsageError("--parameters base: " + algorithm + " is no function of the base parameters; expected inertial");
}

/// --stage: alone, of a method that is known.
void check_stage(const ProgramRequest& request) {
  if (!request.algorithm.empty() || !request.sensors.empty())
    throw UsageError("--stage: a step of forward dynamics; not with --algorithm and --sensors");
  if (request.all_inputs) throw UsageError("--stage: --all-inputs does not go with it; wrenches on links are zero");
  const std::vector<std::string>& known = stage_integrators();
  if (std::find(known.begin(), known.end(), request.stage) == known.end())
    throw UsageError("--stage " + request.stage + suggestions_text(request.stage, known) + ": expected " +
                     listing(known, known.size()));
  if (!request.forces.empty() && request.stage != "semi-implicit")
    throw UsageError("--forces: of --stage semi-implicit, not of " + request.stage);
}

}  // namespace

DerivativesBy derivatives_by(const std::string& option, const std::vector<std::string>& names) {
  DerivativesBy by;
  for (const std::string& name : names) {
    if (name != "q" && name != "v" && name != "y" && name != "p" && name != "second")
      throw UsageError(option + " " + name + ": expected q, v, y or p, and second, by commas");
    (name == "q" ? by.q : name == "v" ? by.v : name == "y" ? by.y : name == "p" ? by.p : by.second) = true;
  }
  if (by.second && !by.q && !by.v && !by.y)
    throw UsageError(option + " second: expected those of q, v and y beside it by which second derivatives are taken");
  return by;
}

void check_request(const ProgramRequest& request) {
  if (!request.stage.empty())
    check_stage(request);
  else if (request.algorithm.empty() == request.sensors.empty())
    throw UsageError("expected one of --algorithm, --sensors and --stage");
  for (const auto& [given, option] : {std::pair(request.plan != nullptr, "--plan"),
                                      {request.weights, "--weights"},
                                      {request.deviations, "--sd"},
                                      {request.derivatives.any(), "--derivatives"}})
    if (request.sensors.empty() && given) throw UsageError(std::string(option) + " goes with --sensors");
  if (!request.forces.empty() && request.stage.empty()) throw UsageError("--forces goes with --stage");
  if (!request.parameters.empty()) check_parameters(request);
  for (const auto& [name, why] :
       {std::pair("ik", "it searches until the links are there; expected sparsedyn compute ik"),
        {"sensitivities",
         "they are of a sensor set; expected --sensors with --derivatives, or sparsedyn compute sensitivities"}})
    if (request.algorithm == name) throw UsageError("--algorithm " + request.algorithm + ": " + why);
  std::vector<std::string> known = program_algorithms();
  known.insert(known.end(), contact_algorithms().begin(), contact_algorithms().end());
  if (!request.algorithm.empty() && std::find(known.begin(), known.end(), request.algorithm) == known.end())
    throw UsageError("--algorithm " + request.algorithm + ": unknown" + suggestions_text(request.algorithm, known) +
                     "; expected one of " + listing(known, known.size()));
}

RequestedProgram requested_program(const Model& model, const ProgramRequest& request, std::vector<std::string>& warnings) {
  try {
    return !request.stage.empty()    ? of_stage(model, request)
           : request.sensors.empty() ? of_algorithm(model, request)
                                     : set_program(model, request, warnings);
  } catch (const std::domain_error& zero) {
    const std::string reason = undetermined_motion(model, zero.what());
    throw AnswerIsNo(reason, json::json_text({{"reason", reason}}));
  }
}

}  // namespace sparsedyn
