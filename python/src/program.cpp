// Compiled programs as Python sees them: called, or bound to arrays once.
#include "program.hpp"

#include <algorithm>
#include <array>

#include "batch.hpp"
#include "compiled_function.hpp"
#include "errors.hpp"
#include "interruptible.hpp"
#include "sparsedyn/jit/compiled_program.hpp"
#include "tiles.hpp"

namespace sparsedyn::python {
namespace {

/// One sample and one result in arrays that are as they should be; none where something is not so, or goes wrong: the general
/// way then says what.
nb::object call_one(const CompiledFunction& function, const nb::args& arguments, nb::handle out, nb::handle on_error) {
  constexpr std::size_t most = 4;
  const std::size_t n = function.inputs().size();
  if (arguments.size() != n || n > most || function.outputs().size() != 1 || function.single()) return nb::none();
  if (!PyUnicode_Check(on_error.ptr()) || PyUnicode_CompareWithASCIIString(on_error.ptr(), "raise") != 0) return nb::none();
  const double* in[most];
  Core core[most];
  for (std::size_t k = 0; k < n; ++k) {
    core[k] = CompiledFunction::core_of(function.inputs()[k].second);
    in[k] = one_sample(PyTuple_GET_ITEM(arguments.ptr(), static_cast<Py_ssize_t>(k)), core[k], 0);
    if (!in[k]) return nb::none();
  }
  const Core result_core = CompiledFunction::core_of(function.outputs()[0].second);
  nb::object result;
  if (out.is_none()) {
    std::array<npy_intp, 3> shape = result_core.size;
    result = nb::steal(PyArray_SimpleNew(result_core.rank, shape.data(), NPY_DOUBLE));
    if (!result.is_valid()) throw nb::python_error();
  } else
    result = nb::borrow(out);
  double* to = one_sample(result, result_core, NPY_ARRAY_WRITEABLE);
  if (!to) return nb::none();
  for (std::size_t k = 0; k < n; ++k)
    if (in[k] < to + result_core.count() && to < in[k] + core[k].count()) return nb::none();
  if (!function.quaternions().empty() && !function.of_norm_one(in[function.coordinates()])) return nb::none();
  const bool done = function.code().call(in, &to) == 0 && all_finite(to, result_core.count());
  return done ? result : nb::none();
}

constexpr npy_intp grain_of_programs = 8 * tile_of_programs;

RunOptions options_of_programs() {
  RunOptions options;
  options.grain = grain_of_programs;
  return options;
}

nb::object call_function(CompiledFunction& function, const nb::args& arguments, nb::handle out, int threads,
                         nb::handle on_error) {
  if (threads >= 0)
    if (nb::object one = call_one(function, arguments, out, on_error); !one.is_none()) return one;
  RunOptions options = run_options(threads, on_error);
  options.grain = grain_of_programs;
  Rows rows;
  function.prepare(arguments, false, rows);
  rows.make_outputs(out);
  const std::vector<Failure> failures = run(rows, function, options);
  return answer(rows, failures, options, function.make(), !out.is_none());
}

std::string text_of(const CompiledFunction& f);

/// Arrays fixed once.
class BoundFunction {
 public:
  BoundFunction(std::shared_ptr<CompiledFunction> function, const nb::args& arguments, nb::handle out)
      : function_(std::move(function)) {
    function_->prepare(arguments, true, rows_);
    rows_.make_outputs(out);
    own_.worker = function_->take();
    if (rows_.outputs.size() == 1)
      value_ = rows_.outputs[0].object();
    else {
      nb::list parts;
      for (const OutputArray& output : rows_.outputs) parts.append(output.object());
      value_ = function_->make()(*nb::tuple(parts));
    }
  }
  ~BoundFunction() {
    if (own_.worker) function_->give_back(std::move(own_.worker));
  }
  std::string text() const {
    return "BoundFunction(" + text_of(*function_) + ", " + std::to_string(rows_.count) +
           (rows_.count == 1 ? " sample)" : " samples)");
  }
  nb::object call() {
    failures_.clear();
    if (rows_.count == 1)
      own_.idle().run(rows_, 0, 1, failures_);
    else
      failures_ = run(rows_, own_, options_of_programs());
    if (!failures_.empty()) raise_solve_error(failures_, rows_.count);
    return value_;
  }

 private:
  std::shared_ptr<CompiledFunction> function_;
  Rows rows_;
  OwnWorker own_;
  std::vector<Failure> failures_;
  nb::object value_;
};

/// `out` by name, or behind the inputs.
BoundFunction* bind(const std::shared_ptr<CompiledFunction>& function, const nb::args& arguments, nb::handle out) {
  const std::size_t n = function->inputs().size();
  if (!out.is_none() || arguments.size() != n + 1) return new BoundFunction(function, arguments, out);
  const auto inputs = nb::steal<nb::args>(PyTuple_GetSlice(arguments.ptr(), 0, static_cast<Py_ssize_t>(n)));
  return new BoundFunction(function, inputs, arguments[n]);
}

std::shared_ptr<CompiledFunction> compile(const std::string& source, const std::string& header, const std::string& name,
                                          const Shapes& inputs, const Shapes& outputs, nb::handle make, const std::string& cc,
                                          const std::string& flags, bool single, const std::vector<int>& quaternions) {
  CompileOptions options;
  options.compiler = cc, options.flags = flags;
  auto code = interruptible<std::shared_ptr<const CompiledProgram>>([=](const Progress&) {
    return std::make_shared<const CompiledProgram>(CProgram{source, header, ""}, name, options);
  });
  return std::make_shared<CompiledFunction>(std::move(code),
                                            CompiledFunction::Made{source, header, name, cc, flags, quaternions}, inputs,
                                            outputs, nb::borrow(make), single);
}

/// `arm_rnea(q: 7, dq: 7, ddq: 7) -> (tau: 7)`; matrices as 7 x 7.
std::string text_of(const CompiledFunction& f) {
  const auto list = [](const Shapes& shapes) {
    std::string text;
    for (const auto& [name, shape] : shapes) {
      text += (text.empty() ? "" : ", ") + name + ":";
      for (std::size_t k = 0; k < shape.size(); ++k) text += (k ? " x " : " ") + std::to_string(shape[k]);
      if (shape.empty()) text += " 1";
    }
    return "(" + text + ")";
  };
  return f.made().name + list(f.inputs()) + " -> " + list(f.outputs()) + (f.single() ? ", float32" : "");
}

/// A function of the package that makes it again, and what of.
nb::tuple reduced(const CompiledFunction& f) {
  const CompiledFunction::Made& made = f.made();
  const nb::object again = nb::module_::import_("sparsedyn._program").attr("compiled_again");
  const nb::object state = nb::module_::import_("sparsedyn._pickles")
                               .attr("state")(2, made.source, made.header, made.name, f.inputs(), f.outputs(), made.cc,
                                              made.flags, f.single(), made.quaternions);
  return nb::make_tuple(again, state);
}

}  // namespace

void bind_program(nb::module_& m) {
  nb::class_<BoundFunction>(m, "BoundFunction",
                            "A compiled program on arrays that were fixed by bind. Call it without arguments.")
      .def("__call__", &BoundFunction::call, nb::sig("def __call__(self) -> Any"),
           "Evaluates at what the arrays hold now, into the bound `out`, which is returned. Raises SolveError.")
      .def("__repr__", &BoundFunction::text);
  nb::class_<CompiledFunction>(m, "CompiledFunction", R"(A program in machine code: f(q, dq, …), its inputs by position.

Leading axes are the batch; `out`, `threads` and `on_error` as in rnea. Rows are turned into structures of arrays by tiles on
the way in. Several outputs are a named tuple.)")
      .def("__call__", &call_function, nb::arg("arguments"), nb::arg("out") = nb::none(), nb::arg("threads") = 1,
           nb::arg("on_error") = "raise",
           nb::sig(
               "def __call__(self, *arguments: ArrayLike, out: NDArray[numpy.float64] | tuple[NDArray[numpy.float64], ...] | "
               "None = None, threads: int = 1, on_error: Literal['raise', 'nan'] = 'raise') -> Any"),
           "Evaluates one sample or a batch.")
      .def("bind", &bind, nb::arg("arguments"), nb::arg("out") = nb::none(), nb::rv_policy::take_ownership,
           nb::sig("def bind(self, *arguments: NDArray[numpy.float64] | tuple[NDArray[numpy.float64], ...], out: "
                   "NDArray[numpy.float64] | tuple[NDArray[numpy.float64], ...] | None = None) -> BoundFunction"),
           R"(Arrays fixed once, for control loops; C-contiguous float64 only.

`f.bind(q, dq, ddq, out)`, or by name; without `out` a new one is made.)")
      .def_prop_ro(
          "cached", [](const CompiledFunction& f) { return f.code().cached(); }, "Whether the user's cache had it.")
      .def_prop_ro(
          "inputs",
          [](const CompiledFunction& f) {
            nb::list names;
            for (const auto& [name, shape] : f.inputs()) names.append(name);
            return nb::tuple(names);
          },
          nb::sig("def inputs(self) -> tuple[str, ...]"), "Names of the arguments, in order.")
      .def(
          "_address",
          [](const CompiledFunction& f, const std::string& name) {
            return reinterpret_cast<std::uintptr_t>(f.code().symbol(name));
          },
          nb::arg("name"), nb::sig("def _address(self, name: str) -> int"),
          "Where a further function of the text begins, as long as this object lives.")
      .def("__reduce__", &reduced, nb::sig("def __reduce__(self) -> tuple[Any, ...]"),
           "For worker processes: the program's text, which they compile, or find in the user's cache.")
      .def("__repr__", [](const CompiledFunction& f) { return "CompiledFunction(" + text_of(f) + ")"; });
  m.def("_compile", &compile, nb::arg("source"), nb::arg("header"), nb::arg("name"), nb::arg("inputs"), nb::arg("outputs"),
        nb::arg("make").none(), nb::arg("cc"), nb::arg("flags"), nb::arg("single"), nb::arg("quaternions"),
        nb::sig("def _compile(source: str, header: str, name: str, inputs: Sequence[tuple[str, Sequence[int]]], outputs: "
                "Sequence[tuple[str, Sequence[int]]], make: Callable[..., Any] | None, cc: str, flags: str, single: bool, "
                "quaternions: Sequence[int]) -> CompiledFunction"));
}

}  // namespace sparsedyn::python
