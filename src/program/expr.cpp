#include "sparsedyn/program/expr.hpp"

#include <stdexcept>

namespace sparsedyn {
namespace {

thread_local Graph* recorded = nullptr;
thread_local std::vector<Call>* kept = nullptr;

Ref computed(Graph& graph, Op op, Ref a, Ref b) {
  switch (op) {
    case Op::add: return graph.add(a, b);
    case Op::mul: return graph.mul(a, b);
    case Op::div: return graph.div(a, b);
    case Op::sqrt: return graph.sqrt(a);
    case Op::sin: return graph.sin(a);
    case Op::cos: return graph.cos(a);
    default: throw std::logic_error("this operation is not recorded");
  }
}

}  // namespace

Recording::Recording(Graph& graph) : before_(recorded), calls_before_(kept) { recorded = &graph, kept = nullptr; }
Recording::~Recording() { recorded = before_, kept = calls_before_; }

Graph& Recording::graph() {
  if (!recorded) throw std::logic_error("an Expr is computed outside a Recording");
  return *recorded;
}

void Recording::keep_calls(std::vector<Call>* calls) { kept = calls; }

Ref Recording::call(Op op, Ref a, Ref b) {
  const Ref result = computed(graph(), op, a, b);
  if (kept) kept->push_back({op, a, b, result});
  return result;
}

}  // namespace sparsedyn
