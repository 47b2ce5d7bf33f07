#include "errors.hpp"

#include "io/suggestions.hpp"
#include "json/answer_is_no.hpp"
#include "json/json_text.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/jit/compiled_program.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/simulation/smooth_motion.hpp"
#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace sparsedyn::python {
namespace {

/// PyErr_SetObject of a new exception; what happens on the way takes its place.
template <class... Arguments>
void set_error(const char* type, Arguments&&... arguments) {
  try {
    const nb::object kind = error_type(type);
    const nb::object error = kind(std::forward<Arguments>(arguments)...);
    PyErr_SetObject(kind.ptr(), error.ptr());
  } catch (nb::python_error& raised) {
    raised.restore();
  }
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    set_error("InputError", error.what(), error.file(), error.line());
  } catch (const AnswerIsNo& error) {
    set_error("AnswerIsNo", error.what(), error.json);
  } catch (const ContradictoryConstants& error) {
    set_error("AnswerIsNo", error.what(), json::json_text({{"worst_violation", error.by}}));
  } catch (const PlanMismatch& error) {
    set_error("AnswerIsNo", error.what(), "{}");
  } catch (const NoPlan& error) {
    set_error("AnswerIsNo", error.what(), "{}");
  } catch (const SingularSystem& error) {
    set_error("AnswerIsNo", error.what(), "{}");
  } catch (const UsageError& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const UnknownName& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const UnknownOutput& error) {
    PyErr_SetString(PyExc_ValueError, (std::string("outputs: ") + error.what()).c_str());
  } catch (const CompilerFailure& error) {
    set_error("CompilerFailure", error.what());
  }
}

nb::object member(const char* module, const char* name) { return nb::module_::import_(module).attr(name); }

}  // namespace

nb::object error_type(const char* name) { return member("sparsedyn._errors", name); }
nb::object result_type(const char* name) { return member("sparsedyn._results", name); }

void raise_solve_error(const std::vector<Failure>& failures, npy_intp rows) {
  nb::list indices, messages;
  for (const Failure& failure : failures) {
    indices.append(failure.row);
    messages.append(failure.why);
  }
  const nb::object kind = error_type("SolveError");
  const nb::object error = kind(indices, messages, rows);
  PyErr_SetObject(kind.ptr(), error.ptr());
  throw nb::python_error();
}

void warn(const std::string& text) {
  if (PyErr_WarnEx(error_type("SparsedynWarning").ptr(), text.c_str(), 1) != 0) throw nb::python_error();
}

void note(const std::string& text) { PySys_WriteStderr("note: %.900s\n", text.c_str()); }

void register_errors() { nb::register_exception_translator(translate); }

}  // namespace sparsedyn::python
