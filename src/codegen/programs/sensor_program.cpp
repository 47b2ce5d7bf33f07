#include "codegen/differentiate/set_hessian.hpp"
#include "recorded_factors.hpp"
#include "recorded_sensitivities.hpp"
#include "refinement_steps.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "system/assemble.hpp"
#include "varying_robot.hpp"

namespace sparsedyn {

Program sensor_program(const System& system, const Plan& plan, const std::vector<std::string>& outputs, const ReadInputs& read,
                       const DerivativesBy& derivatives, const RobotParameters& parameters, const RefinementSteps& refined) {
  Recorder recorder;
  declare_parameters(recorder, parameters, system, derivatives.second ? 4 : 3);
  const SensorInputs in = sensor_inputs(recorder, system, read);
  std::vector<Expr> cells(static_cast<std::size_t>(plan.program.cells));
  SystemWorkspace<Expr> work(system);
  system.assemble(in.q.data(), in.v.data(), in.y.data(), cells.data(), cells.data() + plan.program.right_side, work);
  assemble_parameters(system, cells.data());
  const RecordedFactors factors(plan, cells);
  const auto first = cells.begin() + plan.program.right_side;
  std::vector<Expr> x = factors.solve({first, first + system.pattern().rows}, steps_of_unknowns(refined));
  const std::vector<Expr> multiplied = x;

  system.unshift(x.data(), work);
  const Outputs wanted(system, outputs);
  std::vector<Expr> values(wanted.columns().size());
  wanted.write(x.data(), in.y.data(), work, values.data());
  output_by_kind(recorder, wanted.columns(), values);
  const auto change_of_x = [&](const RecordedChange& change) {
    std::vector<Expr> right(static_cast<std::size_t>(system.pattern().rows));
    for (const auto& [row, value] : change.right_side) right[row] += value;
    for (const RecordedChange::Entry& e : change.matrix) right[e.row] -= e.value * multiplied[e.column];
    return factors.solve(right);
  };
  const RecordedSolution solution{in, read, work, multiplied, change_of_x};
  if (derivatives.second)
    record_hessian(recorder, system, wanted, solution,
                   {parameters, {}, {}, [&](const std::vector<Expr>& c) { return factors.solve_transposed(c); }}, derivatives);
  record_sensitivities(recorder, system, wanted, solution, derivatives);
  return recorder.program();
}

}  // namespace sparsedyn
