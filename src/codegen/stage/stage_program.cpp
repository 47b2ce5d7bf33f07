#include <algorithm>
#include <memory>
#include <stdexcept>

#include "codegen/programs/catalogue_programs.hpp"
#include "codegen/programs/coordinate_tangent.hpp"
#include "rate_stage.hpp"
#include "runge_kutta_stage.hpp"
#include "semi_implicit_stage.hpp"
#include "sparsedyn/codegen/programs.hpp"

namespace sparsedyn {
namespace {

using Names = std::vector<std::string>;

bool asks(const Names& outputs, const std::string& name) {
  return std::find(outputs.begin(), outputs.end(), name) != outputs.end();
}

/// Which of them need what.
struct Asked {
  explicit Asked(const Names& names, const Names& with_forces_on)
      : outputs(names),
        links(with_forces_on),
        jacobian(asks(names, "A") || asks(names, "B") || asks(names, "T")),
        multipliers(asks(names, "g") || asks(names, "H")) {}
  Multipliers lambda() const { return multipliers ? Multipliers::tangent : Multipliers::none; }
  const Names &outputs, &links;
  bool jacobian, multipliers;
  bool derivatives() const { return jacobian || multipliers; }
};

void record_semi_implicit(Recorder& recorder, const Model& model, const MinimalFormulation& f, const Asked& asked) {
  const StageInputs in(recorder, model, asked.lambda(), true, asked.links);
  SemiImplicitStage stage(model, f, in, asked.derivatives());
  if (asks(asked.outputs, "x_next")) output_next(recorder, model, stage.next());
  if (asked.jacobian) output_jacobians(recorder, model, in, asked.outputs, stage.jacobian());
  if (asks(asked.outputs, "g")) output_gradient(recorder, stage.gradient());
  if (asks(asked.outputs, "H")) output_hessian(recorder, stage.hessian());
}

void record_runge_kutta(Recorder& recorder, const Model& model, const MinimalFormulation& f, const Asked& asked) {
  const StageInputs in(recorder, model, asked.lambda());
  using Order = RungeKuttaStage::Order;
  const bool curved = asks(asked.outputs, "H");
  const RungeKuttaStage stage(model, f, in, curved ? Order::second : asked.jacobian ? Order::first : Order::value);
  if (asks(asked.outputs, "x_next")) output_next(recorder, model, stage.next);
  if (asked.jacobian) output_jacobians(recorder, model, in, asked.outputs, stage.J);
  if (asks(asked.outputs, "g")) output_gradient(recorder, runge_kutta_gradient(model, f, in));
  if (curved) output_hessian(recorder, runge_kutta_hessian(model, in, stage));
}

}  // namespace

const std::vector<std::string>& stage_integrators() {
  static const Names names{"semi-implicit", "rk4", "runge-kutta", "rate"};
  return names;
}

const std::vector<std::string>& stage_outputs(const std::string& integrator) {
  static const Names step{"x_next", "A", "B", "T", "g", "H"}, rate{"xdot", "A", "B", "g", "H"};
  if (integrator == "rate") return rate;
  if (asks(stage_integrators(), integrator)) return step;
  throw std::invalid_argument("a stage has no integrator " + integrator);
}

std::string why_no_stage(const Model& model, const std::string& integrator) {
  return integrator == "rate" && !has_additive_coordinates(model) ? "a free base, or a joint of several freedoms" : "";
}

Program stage_program(const Model& robot, const std::string& integrator, const std::vector<std::string>& outputs,
                      const ParameterInputs& parameters, const std::vector<std::string>& forces) {
  const Names& known = stage_outputs(integrator);
  for (const std::string& name : outputs)
    if (!asks(known, name)) throw std::invalid_argument("a stage by " + integrator + " has no output " + name);
  if (const std::string why = why_no_stage(robot, integrator); !why.empty()) throw std::invalid_argument(why);
  if (!forces.empty() && integrator != "semi-implicit")
    throw std::invalid_argument("forces on links are inputs of semi-implicit steps");
  for (const std::string& link : forces)
    if (robot.find_link(link) < 0) throw std::invalid_argument("forces on " + link + ": no such link");
  const Asked asked(outputs, forces);
  const auto varying = parameters.empty() ? nullptr : std::make_unique<const VaryingRobot>(robot, parameters);
  const Model& model = varying ? varying->model() : robot;
  const MinimalFormulation f = formulation_for(model, asked.derivatives() ? "aba-derivatives" : "aba", varying.get());
  return program_in(model, f, [&](Recorder& recorder, const Model& recorded, const MinimalFormulation& chosen) {
    if (varying) varying->declare(recorder, recorded, (integrator == "rate" ? 2 : 3) + (asked.multipliers ? 1 : 0));
    if (integrator == "rate") return record_rate(recorder, recorded, chosen, outputs);
    (integrator == "semi-implicit" ? record_semi_implicit : record_runge_kutta)(recorder, recorded, chosen, asked);
  });
}

}  // namespace sparsedyn
