// sparsedyn._core: the library as a Python module.
#define SPARSEDYN_IMPORTS_NUMPY
#include "algorithm.hpp"
#include "constraints.hpp"
#include "errors.hpp"
#include "live.hpp"
#include "logs.hpp"
#include "model.hpp"
#include "pages.hpp"
#include "plan.hpp"
#include "program.hpp"
#include "sensors.hpp"
#include "solver.hpp"
#include "tracker.hpp"
#include "verification.hpp"

namespace {

/// inspect.signature asks for `__signature__`, which nanobind's types of functions, this module's own, do not take from Python.
void set_signature(nb::handle kind, nb::handle signature) {
  auto* const type = reinterpret_cast<PyTypeObject*>(kind.ptr());
  if (PyDict_SetItemString(type->tp_dict, "__signature__", signature.ptr()) != 0) throw nb::python_error();
  PyType_Modified(type);
}

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
  bind_jacobians(m);
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
  bind_tracker(m);
  bind_live(m);
  bind_generated(m);
  bind_program(m);
  bind_verification(m);
  m.def("_set_signature", &set_signature, nb::arg("kind"), nb::arg("signature"),
        nb::sig("def _set_signature(kind: type, signature: property) -> None"));
  m.attr("version") = SPARSEDYN_VERSION;
}
