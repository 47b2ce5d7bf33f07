#include "sensor_ports.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "system/assemble.hpp"

namespace sparsedyn {

Program sensor_program(const System& system, const Plan& plan, const std::vector<std::string>& outputs,
                       const ReadInputs& read) {
  Recorder recorder;
  const SensorInputs in = sensor_inputs(recorder, system, read);
  std::vector<Expr> cells(static_cast<std::size_t>(plan.program.cells));
  SystemWorkspace<Expr> work(system);
  system.assemble(in.q.data(), in.v.data(), in.y.data(), cells.data(), cells.data() + plan.program.right_side, work);
  for (const Schedule* part : {&plan.program.factor, &plan.program.solve, &plan.program.complete}) run(*part, cells.data());
  std::vector<Expr> x;
  for (int cell : plan.program.solution) x.push_back(cells[cell]);

  system.unshift(x.data(), work);
  const Outputs wanted(system, outputs);
  std::vector<Expr> values(wanted.columns().size());
  wanted.write(x.data(), in.y.data(), work, values.data());
  output_by_kind(recorder, wanted.columns(), values);
  return recorder.program();
}

}  // namespace sparsedyn
