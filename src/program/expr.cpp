#include "sparsedyn/program/expr.hpp"

#include <stdexcept>

namespace sparsedyn {
namespace {

thread_local Graph* recorded = nullptr;

}  // namespace

Recording::Recording(Graph& graph) : before_(recorded) { recorded = &graph; }
Recording::~Recording() { recorded = before_; }

Graph& Recording::graph() {
  if (!recorded) throw std::logic_error("an Expr is computed outside a Recording");
  return *recorded;
}

}  // namespace sparsedyn
