#include "pivot_health.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "evaluation_order.hpp"

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

/// The program's nodes with, behind each pivot, the smallest share so far: only that one number is kept for long.
class Woven {
 public:
  Woven(const Program& program, const std::vector<int>& pivots, const std::vector<double>& size)
      : program_(program), place_(program.nodes().size(), -1), scale_(program.nodes().size(), -1) {
    smallest_ = made(Op::constant, 0, 0, 1.0);
    for (std::size_t k = 0; k < pivots.size(); ++k)
      if (size[k] > 0)
        scale_[pivots[k]] = made(Op::constant, 0, 0, 1 / size[k]);  // zero at all states: nothing to compare with
    constants_ = static_cast<int>(nodes_.size());
    for (int i = 0; i < static_cast<int>(place_.size()); ++i) {
      if (i == program.body())
        for (int early = 0; early < i; ++early) compare(early);
      Node n = program.nodes()[i];
      if (operands(n.op) > 0) n.a.node = place_[n.a.node];
      if (operands(n.op) > 1) n.b.node = place_[n.b.node];
      place_[i] = static_cast<int>(nodes_.size());
      nodes_.push_back(n);
      if (i >= program.body()) compare(i);
    }
  }

  Program with_output() {
    std::vector<int> angles;
    for (int i : program_.angles()) angles.push_back(place_[i]);
    std::vector<Port> outputs = program_.outputs();
    std::vector<std::vector<Ref>> results = program_.results();
    for (auto& result : results)
      for (Ref& r : result) r.node = place_[r.node];
    outputs.push_back({"health", {"health"}});
    results.push_back({{smallest_, false}});
    return Program(std::move(nodes_), program_.body() + constants_, std::move(angles), program_.inputs(), std::move(outputs),
                   std::move(results));
  }

 private:
  int made(Op op, int a, int b, double value) {
    nodes_.push_back({op, {a, false}, {b, false}, value, 0, 0});
    return static_cast<int>(nodes_.size()) - 1;
  }
  void compare(int pivot) {
    if (scale_[pivot] < 0) return;
    const int share = made(Op::mul, scale_[pivot], made(Op::abs, place_[pivot], 0, 0.0), 0.0);
    smallest_ = made(Op::min, smallest_, share, 0.0);
  }

  const Program& program_;
  std::vector<Node> nodes_;
  std::vector<int> place_, scale_;  // of each node of the program: its new index, and the constant 1/s of a pivot or -1
  int smallest_, constants_ = 0;
};

}  // namespace

Program with_health(const Program& program, const std::vector<ProgramState>& states) {
  const std::vector<int> pivots = pivots_of(program.nodes());
  return Woven(program, pivots, sizes(program, terms_of(program.nodes(), pivots), states)).with_output();
}

}  // namespace sparsedyn
