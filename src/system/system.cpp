#include "sparsedyn/system/system.hpp"

#include "names.hpp"
#include "swallowed_bodies.hpp"
#include "system/build/stages.hpp"

namespace sparsedyn {

System::System(const Model& model, const SensorSet& sensors, const Formulation& formulation, RobotNumbersOf numbers) {
  tables_.stands_for_inputs = numbers == RobotNumbersOf::examples;
  tables_.formulation = formulation;
  tables_.model = formulated(model, formulation);
  tables_.sensors = sensors;
  tables_.sums_inertias = swallows_bodies(model, formulation);
  add_bodies(tables_);
  if (formulation.joint_space) add_joint_rows(tables_);
  add_sensors(*this, tables_);
  add_closures(tables_);
  add_state_sigma(tables_);
  check_formulation(tables_);
  tables_.unknown_names = names_of_unknowns(*this);
  tables_.equation_names = names_of_equations(*this);
  derive_pattern(*this, tables_);
}

System System::of_examples() const {
  System same = *this;
  same.tables_.stands_for_inputs = false;
  return same;
}

double System::sigma_of(int equation) const {
  const int k = tables_.equations[equation].measurement;
  return k < 0 ? 0.0 : tables_.measurements[k].sigma[equation - tables_.measurements[k].first_row];
}

int System::input_of(int equation) const {
  const int k = tables_.equations[equation].measurement;
  return k < 0 || tables_.measurements[k].inputs.empty()
             ? -1
             : tables_.measurements[k].inputs[equation - tables_.measurements[k].first_row];
}

}  // namespace sparsedyn
