// sparsedyn._core: the library as a Python module.
#define SPARSEDYN_IMPORTS_NUMPY
#include "algorithm.hpp"
#include "constraints.hpp"
#include "errors.hpp"
#include "logs.hpp"
#include "model.hpp"
#include "pages.hpp"
#include "plan.hpp"
#include "program.hpp"
#include "sensors.hpp"
#include "solver.hpp"

namespace {

bool import_numpy() {
  import_array1(false);
  return true;
}

}  // namespace

NB_MODULE(_core, m) {
  using namespace sparsedyn::python;
  if (!import_numpy()) throw nb::python_error();
  register_errors();
  bind_model(m);
  bind_dynamics(m);
  bind_derivatives(m);
  bind_kinematics(m);
  bind_equations(m);
  define_others(m);
  bind_constraints(m);
  bind_identification(m);
  bind_excitation(m);
  bind_inverse_kinematics(m);
  bind_sensors(m);
  bind_pages(m);
  bind_plan(m);
  bind_solver(m);
  bind_sensitivities(m);
  bind_logs(m);
  bind_program(m);
  m.attr("version") = SPARSEDYN_VERSION;
}
