#include <type_traits>

#include "catalogue.hpp"

namespace sparsedyn {
namespace {

#ifdef SPARSEDYN_SECOND_DERIVATIVES
constexpr bool with_second_derivatives = true;
#else
constexpr bool with_second_derivatives = false;
#endif

template <class Type>
const Algorithm* row_of();

template <class Type>
Algorithm made() {
  const auto evaluate = [](AlgorithmData<double>& data, const AlgorithmInputs<double>& in, double* const* out) {
    return Type::evaluate(data, in, out);
  };
  return {Type::name,
          Type::summary,
          Type::reads,
          Type::outputs(),
          evaluate,
          Type::columns,
          &Type::misfit == &catalogue::AlgorithmDefaults::misfit ? nullptr : &Type::misfit,
          Type::meaningless,
          Type::singular,
          Type::long_form,
          row_of<typename Type::Contracted>()};
}

template <class Type>
const Algorithm* row_of() {
  if constexpr (std::is_void_v<Type>) {
    return nullptr;
  } else {
    static const Algorithm row = made<Type>();
    return &row;
  }
}

}  // namespace

int size_of(Axis axis, const Model& model) {
  switch (axis) {
    case Axis::nq: return model.nq;
    case Axis::nv: return model.nv;
    case Axis::parameters: return ParameterIndex(model).count;
    case Axis::links: return static_cast<int>(model.links.size());
    case Axis::three: return 3;
    case Axis::six: return 6;
    default: return 7;
  }
}

int AlgorithmOutput::size(const Model& model) const {
  int n = 1;
  for (Axis axis : axes) n *= size_of(axis, model);
  return n;
}

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> all = [] {
    std::vector<Algorithm> rows;
    AlgorithmCatalogue::for_each([&](auto type) {
      using Type = decltype(type);
      if constexpr (with_second_derivatives || !Type::second_derivatives) rows.push_back(*row_of<Type>());
    });
    return rows;
  }();
  return all;
}

const Algorithm* find_algorithm(const std::string& name) {
  for (const Algorithm& algorithm : algorithms())
    if (name == algorithm.name) return &algorithm;
  return nullptr;
}

AlgorithmMisfit misfit_of(const Model& model, const std::string& algorithm) {
  const Algorithm* const known = find_algorithm(algorithm);
  return known && known->misfit && model.nv > 0 ? known->misfit(model) : AlgorithmMisfit();
}

}  // namespace sparsedyn
