// Functions of the module that come from the library's catalogue of algorithms.
#include <deque>
#include <utility>

#include "algorithm.hpp"

namespace sparsedyn::python {
namespace {

using H = nb::handle;
template <std::size_t>
using Argument = H;

/// Functions hold pointers to them until the interpreter ends.
const Algorithm& kept(const Algorithm& algorithm) {
  static std::deque<Algorithm> all;
  return all.emplace_back(algorithm);
}

std::string function_name(const Algorithm& algorithm) {
  std::string name = algorithm.row->name;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

std::string signature(const Algorithm& algorithm) {
  std::string text = "def " + function_name(algorithm) + "(robot: Model";
  for (const auto& input : algorithm.inputs) text += std::string(", ") + input.first + ": ArrayLike";
  if (algorithm.row->reads.fx) text += ", fx: Mapping[str, ArrayLike] | None = None";
  const bool several = algorithm.outputs.size() > 1;
  return text + ", *, out: " + (several ? "tuple[NDArray[numpy.float64], ...]" : "NDArray[numpy.float64]") +
         " | None = None, threads: int = 1, on_error: Literal['raise', 'nan'] = 'raise') -> " +
         (several ? algorithm.result : "NDArray[numpy.float64]");
}

void require_fit(const Algorithm& algorithm, const Model& model) {
  if (!algorithm.row->misfit) return;
  const AlgorithmMisfit misfit = algorithm.row->misfit(model);
  if (misfit.found.empty()) return;
  const std::string what = algorithm.row->name + (": " + misfit.element) + ": " + misfit.found;
  throw nb::value_error((what + "; expected " + misfit.expected).c_str());
}

template <std::size_t... k>
void define(nb::module_& m, const Algorithm& algorithm, const char* doc, std::index_sequence<k...>) {
  const std::string name = function_name(algorithm), text = signature(algorithm);
  const auto evaluated = [a = &algorithm](const RobotModel& r, const H* in, H fx, H out, int threads, H on_error) {
    require_fit(*a, r.model());
    return call(*a, r, {in, fx, out, -1, threads, on_error});
  };
  if (algorithm.row->reads.fx)
    m.def(
        name.c_str(),
        [evaluated](const RobotModel& r, Argument<k>... inputs, H fx, H out, int threads, H on_error) {
          const H in[] = {inputs...};
          return evaluated(r, in, fx, out, threads, on_error);
        },
        nb::arg("robot"), nb::arg(algorithm.inputs[k].first)..., nb::arg("fx") = nb::none(), nb::kw_only(),
        nb::arg("out") = nb::none(), nb::arg("threads") = 1, nb::arg("on_error") = "raise", nb::sig(text.c_str()), doc);
  else
    m.def(
        name.c_str(),
        [evaluated](const RobotModel& r, Argument<k>... inputs, H out, int threads, H on_error) {
          const H in[] = {inputs...};
          return evaluated(r, in, nb::none(), out, threads, on_error);
        },
        nb::arg("robot"), nb::arg(algorithm.inputs[k].first)..., nb::kw_only(), nb::arg("out") = nb::none(),
        nb::arg("threads") = 1, nb::arg("on_error") = "raise", nb::sig(text.c_str()), doc);
}

}  // namespace

void define(nb::module_& m, const Algorithm& algorithm, const char* doc) {
  const Algorithm& own = kept(algorithm);
  switch (own.inputs.size()) {
    case 1: return define(m, own, doc, std::make_index_sequence<1>());
    case 2: return define(m, own, doc, std::make_index_sequence<2>());
    case 3: return define(m, own, doc, std::make_index_sequence<3>());
    default: return define(m, own, doc, std::make_index_sequence<4>());
  }
}

void define_others(nb::module_& m) {
  for (const sparsedyn::Algorithm& row : algorithms()) {
    const Algorithm algorithm = of_catalogue(row.name);
    if (row.outputs.size() == 1 && !nb::hasattr(m, function_name(algorithm).c_str())) define(m, algorithm, row.summary);
  }
}

}  // namespace sparsedyn::python
