#include "errors.hpp"

#include <algorithm>
#include <iterator>

#include "io/suggestions.hpp"
#include "json/answer_is_no.hpp"
#include "json/json_text.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/jit/compiled_program.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/simulation/smooth_motion.hpp"
#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/tracking/tracker.hpp"
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

/// Arguments that take a value, and those that are true or false; others stay as they are said.
constexpr const char* valued[] = {"algorithm", "constraints", "cut",  "derivatives", "fit",    "forces",  "joints", "lock",
                                  "offsets",   "outputs",     "plan", "prior",       "robust", "sensors", "dtype",  "stage"};
constexpr const char* flags[] = {"floating", "lenient", "mimic", "sd", "weights", "urdf-dynamics", "urdf-transmissions"};

template <std::size_t n>
bool among(const char* const (&names)[n], const std::string& name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// The word behind an option is its value where `:` follows it, or where it is said in passing and is one of these.
bool is_value(const std::string& word, char behind) {
  const bool number = !word.empty() && word.find_first_not_of("0123456789.e+-") == std::string::npos;
  return !word.empty() && (behind == ':' || number || word == "massless" || word == "huber" || word == "double");
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    set_error("InputError", spoken(error.what()), error.file(), error.line());
  } catch (const AnswerIsNo& error) {
    set_error("AnswerIsNo", spoken(error.what()), error.json);
  } catch (const ContradictoryConstants& error) {
    set_error("AnswerIsNo", error.what(), json::json_text({{"worst_violation", error.by}}));
  } catch (const PlanMismatch& error) {
    set_error("AnswerIsNo", spoken(error.what()), "{}");
  } catch (const NoPlan& error) {
    set_error("AnswerIsNo", spoken(error.what()), "{}");
  } catch (const SingularSystem& error) {
    set_error("AnswerIsNo", spoken(error.what()), "{}");
  } catch (const Untrackable& error) {
    set_error("AnswerIsNo", spoken(error.what()), "{}");
  } catch (const UnknownTrackOutput& error) {
    PyErr_SetString(PyExc_ValueError, (std::string("outputs: ") + error.what()).c_str());
  } catch (const UsageError& error) {
    PyErr_SetString(PyExc_ValueError, spoken(error.what()).c_str());
  } catch (const UnknownName& error) {
    PyErr_SetString(PyExc_ValueError, spoken(error.what()).c_str());
  } catch (const UnknownOutput& error) {
    PyErr_SetString(PyExc_ValueError, (std::string("outputs: ") + error.what()).c_str());
  } catch (const CompilerFailure& error) {
    set_error("CompilerFailure", error.what());
  }
}

nb::object member(const char* module, const char* name) { return nb::module_::import_(module).attr(name); }

}  // namespace

std::string spoken(const std::string& text) {
  std::string said;
  std::size_t at = 0;
  for (std::size_t dashes; (dashes = text.find("--", at)) != std::string::npos;) {
    const std::size_t begin = dashes + 2;
    std::size_t end = begin;
    while (end < text.size() && ((text[end] >= 'a' && text[end] <= 'z') || text[end] == '-')) ++end;
    const std::string name = text.substr(begin, end - begin);
    const bool starts = dashes == 0 || std::string(" (`\"'").find(text[dashes - 1]) != std::string::npos;
    said.append(text, at, dashes - at), at = end;
    if (!starts || !(among(valued, name) || among(flags, name))) {
      said.append(text, dashes, end - dashes);
      continue;
    }
    std::string argument = name;
    std::replace(argument.begin(), argument.end(), '-', '_');
    said += argument;
    if (among(flags, name)) {
      said += "=True";
    } else if (end < text.size() && text[end] != ':') {
      const std::size_t word = end + 1, past = std::min(text.find_first_of(" :;,)`", word), text.size());
      const std::string value = word < past ? text.substr(word, past - word) : "";
      said += "=";
      if (text[end] == ' ' && is_value(value, past < text.size() ? text[past] : ' ')) {
        const bool number = value.find_first_not_of("0123456789.e+-") == std::string::npos;
        const bool named = past < text.size() && text[past] == ':';
        said += number || named ? value : "'" + (value == "double" ? std::string("float64") : value) + "'", at = past;
      }
    } else if (end == text.size()) {
      said += "=";
    }
  }
  return said.append(text, at, std::string::npos);
}

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
  if (PyErr_WarnEx(error_type("SparsedynWarning").ptr(), spoken(text).c_str(), 1) != 0) throw nb::python_error();
}

void note(const std::string& text) { PySys_WriteStderr("note: %.900s\n", text.c_str()); }

void register_errors() { nb::register_exception_translator(translate); }

}  // namespace sparsedyn::python
