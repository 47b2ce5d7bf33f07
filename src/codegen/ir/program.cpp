#include "sparsedyn/codegen/program.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "evaluation_order.hpp"
#include "runtime/output_request.hpp"

namespace sparsedyn {
namespace {

void check_shapes(const std::vector<Port>& ports, const std::vector<std::vector<Ref>>& results) {
  bool fits = ports.size() == results.size();
  for (std::size_t k = 0; fits && k < ports.size(); ++k) fits = ports[k].elements.size() == results[k].size();
  if (!fits) throw std::invalid_argument("a program's outputs and their names differ in number");
}

bool are_all(const std::vector<Port>& ports, const std::vector<std::string>& names) {
  const auto named = [](const Port& port, const std::string& name) { return port.name == name; };
  return std::equal(ports.begin(), ports.end(), names.begin(), names.end(), named);
}

}  // namespace

Program::Program(const Graph& graph, std::vector<Port> inputs, std::vector<Port> outputs,
                 const std::vector<std::vector<Ref>>& results)
    : Program(graph.sound().nodes(), std::move(inputs), std::move(outputs), results) {}

Program::Program(const std::vector<Node>& recorded, std::vector<Port> inputs, std::vector<Port> outputs,
                 const std::vector<std::vector<Ref>>& results)
    : inputs_(std::move(inputs)), outputs_(std::move(outputs)), results_(results) {
  check_shapes(outputs_, results_);
  const EvaluationOrder s = evaluation_order(recorded, results);
  std::vector<int> place(recorded.size(), -1);
  for (std::size_t i = 0; i < s.order.size(); ++i) place[s.order[i]] = static_cast<int>(i);
  for (int i : s.order) {
    Node n = recorded[i];
    if (operands(n.op) > 0) n.a.node = place[n.a.node];
    if (operands(n.op) > 1) n.b.node = place[n.b.node];
    nodes_.push_back(n);
  }
  for (int i : s.angles) angles_.push_back(place[i]);
  for (auto& result : results_)
    for (Ref& r : result) r.node = place[r.node];
  body_ = s.body;
}

Program::Program(std::vector<Node> nodes, int body, std::vector<int> angles, std::vector<Port> inputs,
                 std::vector<Port> outputs, std::vector<std::vector<Ref>> results)
    : inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      results_(std::move(results)),
      nodes_(std::move(nodes)),
      angles_(std::move(angles)),
      body_(body) {
  check_shapes(outputs_, results_);
}

Program Program::only(const std::vector<std::string>& outputs) const {
  if (are_all(outputs_, outputs)) return *this;
  const auto named = [](const Port& port, const std::string& name) { return port.name == name; };
  std::vector<std::size_t> asked;         // ports
  std::vector<std::vector<bool>> wanted;  // their elements
  for (const Port& port : outputs_) wanted.emplace_back(port.elements.size(), false);
  for (const std::string& name : outputs) {
    bool found = false;
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      bool here = named(outputs_[k], name);
      for (std::size_t e = 0; e < wanted[k].size(); ++e)
        if (named(outputs_[k], name) || answers(outputs_[k].elements[e], name)) wanted[k][e] = here = true;
      if (here && std::find(asked.begin(), asked.end(), k) == asked.end()) asked.push_back(k);
      found = found || here;
    }
    if (!found) throw std::invalid_argument("a program has no output " + name);
  }
  std::vector<Port> ports;
  std::vector<std::vector<Ref>> results;
  for (std::size_t k : asked) {
    ports.push_back({outputs_[k].name, {}}), results.emplace_back();
    for (std::size_t e = 0; e < wanted[k].size(); ++e)
      if (wanted[k][e]) ports.back().elements.push_back(outputs_[k].elements[e]), results.back().push_back(results_[k][e]);
  }
  return Program(nodes_, inputs_, ports, results);
}

VectorisedProgram VectorisedProgram::only(const std::vector<std::string>& outputs) const {
  return {program.only(outputs), are_all(program.outputs(), outputs) ? superwords : nullptr};
}

void count(Op op, OperationCounts& counts) {
  switch (op) {
    case Op::constant:
    case Op::input: break;
    case Op::add: ++counts.add; break;
    case Op::mul: ++counts.mul; break;
    case Op::div: ++counts.div; break;
    case Op::sqrt: ++counts.sqrt; break;
    case Op::sin:
    case Op::cos:
    case Op::tanh: ++counts.trig; break;
    case Op::abs:
    case Op::min: break;
  }
}

OperationCounts Program::counts() const {
  OperationCounts c;
  for (const Node& n : nodes_) count(n.op, c);
  return c;
}

template <class S>
bool Program::evaluate_in(const S* const* arg, S* const* res, S* x) const noexcept {
  const auto at = [x](Ref r) { return r.negative ? -x[r.node] : x[r.node]; };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& n = nodes_[i];
    switch (n.op) {
      case Op::constant: x[i] = static_cast<S>(n.value); break;
      case Op::input: x[i] = arg[n.port][n.element]; break;
      case Op::add: x[i] = at(n.a) + at(n.b); break;
      case Op::mul: x[i] = at(n.a) * at(n.b); break;
      case Op::div: x[i] = at(n.a) / at(n.b); break;
      case Op::sqrt: x[i] = std::sqrt(at(n.a)); break;
      case Op::sin: x[i] = std::sin(at(n.a)); break;
      case Op::cos: x[i] = std::cos(at(n.a)); break;
      case Op::tanh: x[i] = std::tanh(at(n.a)); break;
      case Op::abs: x[i] = std::abs(at(n.a)); break;
      case Op::min: x[i] = std::min(at(n.a), at(n.b)); break;
    }
  }
  bool finite = true;
  for (std::size_t k = 0; k < results_.size(); ++k)
    for (std::size_t e = 0; e < results_[k].size(); ++e) {
      res[k][e] = at(results_[k][e]);
      finite = finite && std::isfinite(res[k][e]);
    }
  return finite;
}

bool Program::evaluate(const double* const* arg, double* const* res, double* x) const noexcept {
  return evaluate_in(arg, res, x);
}
bool Program::evaluate(const float* const* arg, float* const* res, float* x) const noexcept { return evaluate_in(arg, res, x); }

}  // namespace sparsedyn
