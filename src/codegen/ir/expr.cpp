#include "sparsedyn/codegen/expr.hpp"

#include <stdexcept>

namespace sparsedyn {
namespace {

thread_local Graph* recorded = nullptr;
thread_local Calls* kept = nullptr;
thread_local VaryingNumbers* varied = nullptr;

Ref computed(Graph& graph, Op op, Ref a, Ref b) {
  switch (op) {
    case Op::add: return graph.add(a, b);
    case Op::mul: return graph.mul(a, b);
    case Op::div: return graph.div(a, b);
    case Op::sqrt: return graph.sqrt(a);
    case Op::sin: return graph.sin(a);
    case Op::cos: return graph.cos(a);
    case Op::tanh: return graph.tanh(a);
    default: throw std::logic_error("this operation is not recorded");
  }
}

}  // namespace

void Calls::add_lane_loop(const std::vector<std::size_t>& begins) {
  if (begins.size() < 2) return;
  const std::size_t first = begins.front(), length = begins[1] - first;
  if (first + begins.size() * length != all.size()) return;
  for (std::size_t k = 0; k < begins.size(); ++k) {
    if (begins[k] != first + k * length) return;
    for (std::size_t c = 0; c < length; ++c)
      if (all[begins[k] + c].op != all[first + c].op) return;
  }
  for_each_lane.push_back({first, length, static_cast<int>(begins.size())});
}

Recording::Recording(Graph& graph) : before_(recorded), calls_before_(kept), numbers_before_(varied) {
  recorded = &graph, kept = nullptr, varied = nullptr;
}
Recording::~Recording() { recorded = before_, kept = calls_before_, varied = numbers_before_; }

Graph& Recording::graph() {
  if (!recorded) throw std::logic_error("an Expr is computed outside a Recording");
  return *recorded;
}

void Recording::keep_calls(Calls* calls) { kept = calls; }
Calls* Recording::kept_calls() { return kept; }

void Recording::vary(VaryingNumbers* numbers) { varied = numbers; }

const VaryingNumbers* Recording::varying_numbers() { return varied; }

bool Recording::varies() { return varied && !varied->empty(); }

void Recording::stands_for(double number, Ref value) {
  if (graph().is_constant(value)) return;
  if (!varied || number == 0) throw std::logic_error("a number of a robot cannot stand for a value");
  (*varied)[number] = value;
}

const Ref* Recording::varying(double number) {
  if (!varied) return nullptr;
  const auto found = varied->find(number);
  return found == varied->end() ? nullptr : &found->second;
}

Ref Recording::call(Op op, Ref a, Ref b) {
  const Ref result = computed(graph(), op, a, b);
  if (kept) kept->all.push_back({op, a, b, result});
  return result;
}

}  // namespace sparsedyn
