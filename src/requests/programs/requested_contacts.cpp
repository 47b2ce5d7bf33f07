#include "requested_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "io/number.hpp"
#include "io/suggestions.hpp"
#include "json/answer_is_no.hpp"
#include "json/json_text.hpp"
#include "requested_parameters.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What generated code does not know, by its line.
void refuse_unknown(const ConstraintSet& set, const std::string& algorithm) {
  for (const Constraint& c : set.constraints) {
    const std::string element = "constraint \"" + c.name + "\"";
    if (c.hard && algorithm == "contact-inverse-dynamics")
      throw InputError(set.file, c.line, element, "\"hard\": true",
                       "soft constraints alone: forces of hard ones are no function of the accelerations");
    const double power = c.solimp.value_or(set.parameters.solimp)[4];
    if (power > 20 || power != std::floor(power))
      throw InputError(set.file, c.line, element, "the power " + number_text(power) + " in solimp",
                       "a whole number up to 20, in generated code");
  }
}

void check_stage_of_contacts(const ProgramRequest& request) {
  if (request.stage != "semi-implicit")
    throw UsageError("--stage " + request.stage +
                     ": not under --constraints, where a step solves for the forces once; expected semi-implicit");
  if (!request.parameters.empty())
    throw UsageError("--parameters: a stage under constraints has constant parameters; expected contact-dynamics");
  const std::vector<std::string>& known = contact_stage_outputs();
  for (const std::string& name : request.outputs)
    if (!has(known, name))
      throw UsageError("--outputs " + name + ": a step under --constraints has no such output" + suggestions_text(name, known) +
                       "; expected " + listing(known, known.size()));
}

ContactCode code_of(const Model& model, const ConstraintSet& set, const ProgramRequest& request, const std::string& name,
                    const ContactCodeOptions& options) {
  if (!request.stage.empty()) {
    const std::vector<std::string> usual{"x_next", "A", "B"};
    return contact_stage_code(model, set, request.outputs.empty() ? usual : request.outputs, name, options);
  }
  if (request.algorithm == "contact-inverse-dynamics") return contact_inverse_dynamics_code(model, set, name, options);
  return contact_dynamics_code(model, set, name, options);
}

}  // namespace

const std::vector<std::string>& contact_algorithms() {
  static const std::vector<std::string> names{"contact-dynamics", "contact-inverse-dynamics", "contact-derivatives",
                                              "contact-second-derivatives"};
  return names;
}

bool reads_constraints(const std::string& algorithm) { return has(contact_algorithms(), algorithm); }

void check_contact_request(const ProgramRequest& request) {
  check_request(request);
  if (!request.stage.empty()) return check_stage_of_contacts(request);
  if (!reads_constraints(request.algorithm))
    throw UsageError("constraints: expected " + listing(contact_algorithms()) + ", or a stage by semi-implicit");
  if (!request.outputs.empty()) throw UsageError(request.algorithm + ": --outputs does not go with it; it has all its outputs");
}

ContactCode requested_contacts(const Model& model, const ConstraintSet& set, const ProgramRequest& request,
                               const std::string& name, ContactCodeOptions options) {
  check_contact_request(request);
  options.second = request.algorithm == "contact-second-derivatives";
  options.derivatives = options.second || request.algorithm == "contact-derivatives";
  options.wrenches = request.all_inputs;
  options.force_multipliers = options.second && request.all_inputs;
  options.parameters = requested_parameters(model, "--parameters", request.parameters);
  refuse_unknown(set, request.algorithm);
  try {
    return code_of(model, set, request, name, options);
  } catch (const std::domain_error& zero) {
    throw AnswerIsNo(zero.what(), json::json_text({{"reason", zero.what()}}));
  } catch (const std::invalid_argument& bad) {
    throw InputError(set.file, 0, "", bad.what(), "constraints that fit the robot");
  }
}

}  // namespace sparsedyn
