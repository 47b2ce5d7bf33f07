// A program run once.
#pragma once

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/scalar/detail/complex_tanh.hpp"

namespace sparsedyn::test {

/// Its outputs, a vector a port, for inputs by their ports' names.
std::vector<std::vector<double>> evaluated(const Program& program, const std::map<std::string, const double*>& inputs);

/// The same of any scalar, operation by operation: inputs and outputs a vector a port, in the order of the ports.
template <class S>
std::vector<std::vector<S>> evaluated_as(const Program& program, const std::vector<std::vector<S>>& inputs) {
  using std::cos, std::sin, std::sqrt;
  std::vector<S> x;
  const auto at = [&x](Ref r) { return r.negative ? -x[r.node] : x[r.node]; };
  for (const Node& n : program.nodes()) switch (n.op) {
      case Op::constant: x.push_back(S(n.value)); break;
      case Op::input: x.push_back(inputs[n.port][n.element]); break;
      case Op::add: x.push_back(at(n.a) + at(n.b)); break;
      case Op::mul: x.push_back(at(n.a) * at(n.b)); break;
      case Op::div: x.push_back(at(n.a) / at(n.b)); break;
      case Op::sqrt: x.push_back(sqrt(at(n.a))); break;
      case Op::sin: x.push_back(sin(at(n.a))); break;
      case Op::cos: x.push_back(cos(at(n.a))); break;
      case Op::tanh: x.push_back(tanh_of(S(at(n.a)))); break;
      default: throw std::logic_error("no program without health has this operation");
    }
  std::vector<std::vector<S>> outputs;
  for (const std::vector<Ref>& result : program.results()) {
    outputs.emplace_back();
    for (Ref r : result) outputs.back().push_back(at(r));
  }
  return outputs;
}

}  // namespace sparsedyn::test
