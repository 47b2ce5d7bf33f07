#include "sparsedyn/program/pivot_health.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace sparsedyn {
namespace {

/// The nodes that some division has below the line, constants apart.
std::vector<int> pivots_of(const std::vector<Node>& nodes) {
  std::vector<int> pivots;
  for (const Node& n : nodes)
    if (n.op == Op::div && nodes[n.b.node].op != Op::constant) pivots.push_back(n.b.node);
  std::sort(pivots.begin(), pivots.end());
  pivots.erase(std::unique(pivots.begin(), pivots.end()), pivots.end());
  return pivots;
}

/// What is added up to each pivot: sums taken apart, down to what is none.
std::vector<std::vector<int>> terms_of(const std::vector<Node>& nodes, const std::vector<int>& pivots) {
  std::vector<std::vector<int>> terms;
  std::vector<int> seen_by(nodes.size(), -1);
  for (int pivot : pivots) {
    terms.emplace_back();
    std::vector<int> open{pivot};
    while (!open.empty()) {
      const int i = open.back();
      open.pop_back();
      if (seen_by[i] == pivot) continue;
      seen_by[i] = pivot;
      if (nodes[i].op == Op::add)
        open.push_back(nodes[i].a.node), open.push_back(nodes[i].b.node);
      else
        terms.back().push_back(i);
    }
  }
  return terms;
}

void check_shape(const Program& program, const ProgramState& state) {
  bool fits = state.size() == program.inputs().size();
  for (std::size_t k = 0; fits && k < state.size(); ++k) fits = state[k].size() == program.inputs()[k].elements.size();
  if (!fits) throw std::invalid_argument("a state for a program's health does not have the shape of its inputs");
}

/// s_k: the largest of each pivot's terms at all states.
std::vector<double> sizes(const Program& program, const std::vector<std::vector<int>>& terms,
                          const std::vector<ProgramState>& states) {
  std::vector<double> size(terms.size(), 0.0), x(program.nodes().size());
  std::vector<std::vector<double>> out;
  std::vector<double*> res;
  for (const Port& port : program.outputs()) out.emplace_back(port.elements.size());
  for (auto& port : out) res.push_back(port.data());
  for (const ProgramState& state : states) {
    check_shape(program, state);
    std::vector<const double*> arg;
    for (const auto& port : state) arg.push_back(port.data());
    program.evaluate(arg.data(), res.data(), x.data());
    for (std::size_t k = 0; k < terms.size(); ++k)
      for (int i : terms[k])
        if (std::isfinite(x[i])) size[k] = std::max(size[k], std::fabs(x[i]));
  }
  return size;
}

}  // namespace

Program with_health(const Program& program, const std::vector<ProgramState>& states) {
  std::vector<Node> nodes = program.nodes();
  const std::vector<int> pivots = pivots_of(nodes);
  const std::vector<double> size = sizes(program, terms_of(nodes, pivots), states);
  const auto made = [&](Op op, int a, int b, double value) {
    nodes.push_back({op, {a, false}, {b, false}, value, 0, 0});
    return static_cast<int>(nodes.size()) - 1;
  };
  std::vector<int> shares{made(Op::constant, 0, 0, 1.0)};
  for (std::size_t k = 0; k < pivots.size(); ++k) {
    if (!(size[k] > 0)) continue;  // zero at all states: nothing to compare with
    const int scale = made(Op::constant, 0, 0, 1 / size[k]);
    shares.push_back(made(Op::mul, scale, made(Op::abs, pivots[k], 0, 0.0), 0.0));
  }
  while (shares.size() > 1) {  // pairwise, so that the comparisons do not wait for each other
    std::vector<int> smaller;
    for (std::size_t k = 0; k + 1 < shares.size(); k += 2) smaller.push_back(made(Op::min, shares[k], shares[k + 1], 0.0));
    if (shares.size() % 2) smaller.push_back(shares.back());
    shares = std::move(smaller);
  }
  std::vector<Port> outputs = program.outputs();
  std::vector<std::vector<Ref>> results = program.results();
  outputs.push_back({"health", {"health"}});
  results.push_back({{shares[0], false}});
  return Program(nodes, program.inputs(), std::move(outputs), results);
}

}  // namespace sparsedyn
