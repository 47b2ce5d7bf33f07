#include "superword_program.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "codegen/ir/evaluation_order.hpp"
#include "io/number.hpp"
#include "isomorphic_operations.hpp"
#include "vector_nodes.hpp"
#include "vector_order.hpp"
#include "vector_outputs.hpp"
#include "vector_sources.hpp"

namespace sparsedyn {
namespace {

constexpr auto no_limit = static_cast<std::size_t>(-1);  // of time
constexpr double kWorth = 0.7;                           // of the operations of the program without vectors

/// An angle as a text, the same in every graph and another for every other angle: a sum of inputs and constants, these to the
/// last bit. None for anything else.
std::optional<std::string> spelled(const std::vector<Node>& nodes, Ref r) {
  const Node& n = nodes[r.node];
  const std::string sign = r.negative ? "-" : "";
  if (n.op == Op::input) return sign + "x" + std::to_string(n.port) + "." + std::to_string(n.element);
  if (n.op == Op::constant) return sign + number_text(n.value);
  if (n.op != Op::add) return {};
  std::optional<std::string> a = spelled(nodes, n.a), b = spelled(nodes, n.b);
  if (!a || !b) return {};
  if (*b < *a) std::swap(a, b);
  return sign + "(" + *a + " " + *b + ")";
}

/// The work is not as equal as was said.
struct Unequal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Makes what the results need, operands first: numbers as the graph has them, vectors as calls side by side gave them.
class Builder {
 public:
  Builder(const Graph& graph, const IsomorphicOperations& calls, const std::vector<std::vector<Ref>>& results, int lanes,
          const Program& program, VectorOrder order)
      : graph_(graph),
        nodes_(graph.nodes()),
        sources_(nodes_, calls, results, order),
        results_(results),
        lanes_(static_cast<std::size_t>(lanes)),
        made_(lanes_) {
    for (std::size_t k = 0; k < program.angles().size(); ++k)
      if (const auto text = spelled(program.nodes(), {program.angles()[k], false})) angles_[*text] = static_cast<int>(k);
    numbers_[0] = Ref{};
  }

  SuperwordProgram build(const std::vector<WantedColumn>& columns) {
    SuperwordProgram p;
    p.lanes = static_cast<int>(lanes_);
    std::vector<std::vector<bool>> in_column;
    for (const auto& result : results_) in_column.emplace_back(result.size(), false);
    std::vector<std::vector<int>> elements;
    for (const WantedColumn& column : columns) {
      p.columns.push_back({column.port, 0, static_cast<int>(column.lanes.size()), made(column)});
      elements.push_back(column.elements);
      for (int e : column.elements) in_column[column.port][e] = true;
    }
    for (std::size_t k = 0; k < results_.size(); ++k) {
      p.results.emplace_back();
      for (std::size_t e = 0; e < results_[k].size(); ++e)
        p.results[k].push_back(in_column[k][e] ? unused_lane : number(results_[k][e], no_limit));
    }
    p.nodes = made_.taken();
    return in_order(std::move(p), elements);
  }

 private:
  bool all_constant(const VectorRefs& x) const {
    return std::all_of(x.begin(), x.end(), [&](Ref r) { return !used(r) || graph_.is_constant(r); });
  }
  bool leaf(Ref r) const { return is_leaf(nodes_[r.node]); }
  bool all_leaves(const VectorRefs& x) const {
    return std::all_of(x.begin(), x.end(), [&](Ref r) { return !used(r) || leaf(r); });
  }

  Ref number(Ref r, std::size_t time) {
    const auto [known, is_new] = numbers_.emplace(r.node, unused_lane);
    if (is_new) known->second = made(r.node, time);
    if (!used(known->second)) throw Unequal("a number that needs itself");
    return with_sign(known->second, r.negative);
  }

  Ref made(int i, std::size_t time) {
    const Node& n = nodes_[i];
    if (n.op == Op::constant) return made_.constant(n.value);
    if (n.op == Op::input) return made_.input(n.port, n.element);
    if (n.op == Op::sin || n.op == Op::cos) {
      const std::optional<std::string> text = spelled(nodes_, n.a);
      const auto angle = text ? angles_.find(*text) : angles_.end();
      if (angle == angles_.end()) throw Unequal("an angle of its own");
      return made_.angle(n.op, angle->second);
    }
    if (const auto* home = sources_.home(i)) {
      const auto& [lanes, l] = *home;
      return with_sign(made_.lane(vector(lanes, time), l), lanes[l].negative);
    }
    const Call call = sources_.operation(i);
    const Ref a = number(call.a, time), b = operands(call.op) > 1 ? number(call.b, time) : Ref{};
    return with_sign(operation(call.op, false, a, b), call.result.negative);
  }

  Ref operation(Op op, bool wide, Ref a, Ref b) {
    if (wide && op == Op::sqrt) throw Unequal("a root of a vector");
    if (wide && op == Op::tanh) throw Unequal("the hyperbolic tangent of a vector");
    return made_.operation(op, wide, a, b);
  }

  /// An operand: the same in all lanes, or a vector.
  Ref operand(VectorRefs x, std::size_t time) {
    if (uniform(x)) return number(x.front(), time);
    return vector(std::move(x), time);
  }

  Ref vector(VectorRefs x, std::size_t time) {
    const bool negative = make_positive(x);
    const auto [known, is_new] = vectors_.emplace(x, unused_lane);
    if (is_new && !turned(x, known->second)) known->second = made(x, time);
    // A vector on the way that needs itself as it was before: by the lanes that it had then.
    return with_sign(used(known->second) ? known->second : assembled(x, time), negative);
  }

  /// x by another vector whose lanes are turned.
  bool turned(const VectorRefs& x, Ref& found) {
    for (std::size_t by = 1; by < lanes_ && used(x.back()); ++by) {
      VectorRefs y = x;
      std::rotate(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(by), y.end());
      const bool negative = make_positive(y);
      const auto known = vectors_.find(y);
      if (known == vectors_.end() || !used(known->second)) continue;
      found = with_sign(made_.turned(known->second, by), negative);  // y[k] = x[k + by]
      return true;
    }
    return false;
  }

  Ref made(const VectorRefs& x, std::size_t time) {
    if (all_constant(x)) return numbers(x);
    if (const auto call = sources_.maker(x, time); call && call->op != Op::sin && call->op != Op::cos) return made(*call);
    return all_leaves(x) ? gathered(x, time) : assembled(x, time);
  }

  Ref made(IsomorphicOperation call) {
    const bool negative = make_positive(call.result);
    const Ref a = operand(call.a, call.time), b = operands(call.op) > 1 ? operand(call.b, call.time) : Ref{};
    return with_sign(operation(call.op, true, a, b), negative);
  }

  Ref numbers(const VectorRefs& x) {
    std::vector<double> values;
    for (Ref r : x) values.push_back(used(r) ? graph_.value(r) : 0.0);
    return made_.numbers(std::move(values));
  }

  Ref gathered(const VectorRefs& x, std::size_t time) {
    std::vector<Ref> leaves;
    for (Ref r : x) leaves.push_back(used(r) ? number(r, time) : r);
    return made_.gathered(std::move(leaves));
  }

  /// Lanes of other vectors and numbers, brought together.
  Ref assembled(const VectorRefs& x, std::size_t time) {
    VectorRefs leaves(lanes_, unused_lane);
    std::map<int, std::vector<int>> from;  // vectors: which of their lanes become which here
    std::vector<std::pair<std::size_t, Ref>> numbers;
    for (std::size_t l = 0; l < lanes_ && used(x[l]); ++l) {
      const Ref r = number(x[l], time);
      const VectorNode n = made_[r];
      if (leaf(x[l]))
        leaves[l] = x[l];
      else if (n.kind == VectorNode::Kind::lane && !r.negative)
        from.emplace(n.a.node, std::vector<int>(lanes_, -1)).first->second[l] = n.element;
      else
        numbers.push_back({l, r});
    }
    Ref v = std::any_of(leaves.begin(), leaves.end(), used) ? gathered(leaves, time) : unused_lane;
    for (const auto& [source, picks] : from) v = made_.merged(v, {source, false}, picks);
    for (const auto& [l, r] : numbers) v = made_.inserted(v, l, r);
    return v;
  }

  /// The lanes of a column, moved to the front.
  Ref made(const WantedColumn& column) {
    const Ref v = with_sign(vector(column.vector, column.time + 1), column.negative);
    std::vector<int> picks = column.lanes;
    picks.resize(lanes_, -1);
    return with_sign(made_.merged(unused_lane, {v.node, false}, picks), v.negative);
  }

  const Graph& graph_;
  const std::vector<Node>& nodes_;
  VectorSources sources_;
  const std::vector<std::vector<Ref>>& results_;
  std::size_t lanes_;
  std::map<std::string, int> angles_;
  std::map<VectorRefs, Ref, VectorLess> vectors_{less};
  std::map<int, Ref> numbers_;
  VectorNodes made_;
};

}  // namespace

/// A vector of leaves takes one instruction for each lane, a column one.
double cost(const SuperwordProgram& p) {
  double n = static_cast<double>(p.columns.size());
  using Kind = VectorNode::Kind;
  for (const VectorNode& x : p.nodes) {
    const bool none = x.kind == Kind::constant || x.kind == Kind::input || x.kind == Kind::angle || x.kind == Kind::numbers;
    n += x.kind == Kind::gathered ? p.lanes : none ? 0 : 1;
  }
  return n;
}

std::shared_ptr<const SuperwordProgram> superword_program(const Graph& graph, const Calls& calls,
                                                          const std::vector<std::vector<Ref>>& results,
                                                          const std::vector<bool>& any_order, int lanes,
                                                          const Program& program) {
  const IsomorphicOperations isomorphic_operations(calls, lanes);
  const auto columns = wanted_columns(isomorphic_operations, results, any_order);
  std::shared_ptr<const SuperwordProgram> best;
  double least = kWorth * static_cast<double>(program.counts().flops());
  for (const VectorOrder order : {VectorOrder::free, VectorOrder::by_time}) try {
      auto p = std::make_shared<SuperwordProgram>(
          Builder(graph, isomorphic_operations, results, lanes, program, order).build(columns));
      if (cost(*p) < least) least = cost(*p), best = std::move(p);
    } catch (const Unequal&) {
    }
  return best;
}

}  // namespace sparsedyn
