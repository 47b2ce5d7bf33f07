#include "sparsedyn/program/lane_program.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "lane_calls.hpp"
#include "lane_columns.hpp"
#include "lane_order.hpp"
#include "lane_sources.hpp"
#include "schedule.hpp"

namespace sparsedyn {
namespace {

using Kind = LaneNode::Kind;

constexpr double kWorth = 0.7;  // of the operations of the program without vectors

/// An angle as a text, the same in every graph: a sum of inputs and constants.
std::string spelled(const std::vector<Node>& nodes, Ref r) {
  const Node& n = nodes[r.node];
  const std::string sign = r.negative ? "-" : "";
  if (n.op == Op::input) return sign + "x" + std::to_string(n.port) + "." + std::to_string(n.element);
  if (n.op == Op::constant) return sign + std::to_string(n.value);
  if (n.op != Op::add) return "?";
  std::string a = spelled(nodes, n.a), b = spelled(nodes, n.b);
  if (b < a) std::swap(a, b);
  return sign + "(" + a + " " + b + ")";
}

/// The work is not as equal as was said.
struct Unequal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Ref with_sign(Ref r, bool negative) { return negative ? -r : r; }

/// Makes what the results need, operands first: numbers as the graph has them, vectors as calls abreast gave them.
class Builder {
 public:
  Builder(const Graph& graph, const LaneCalls& calls, const std::vector<std::vector<Ref>>& results, int lanes,
          const Program& program, LaneOrder order)
      : graph_(graph),
        nodes_(graph.nodes()),
        sources_(nodes_, calls, results, order),
        results_(results),
        lanes_(static_cast<std::size_t>(lanes)) {
    for (std::size_t k = 0; k < program.angles().size(); ++k)
      angles_[spelled(program.nodes(), {program.angles()[k], false})] = static_cast<int>(k);
    out_.lanes = lanes;
    out_.nodes.emplace_back();
    numbers_[0] = Ref{};
  }

  LaneProgram build(const std::vector<WantedColumn>& columns) {
    std::vector<std::vector<bool>> in_column;
    for (const auto& result : results_) in_column.emplace_back(result.size(), false);
    std::vector<std::vector<int>> elements;
    for (const WantedColumn& column : columns) {
      out_.columns.push_back({column.port, 0, static_cast<int>(column.lanes.size()), made(column)});
      elements.push_back(column.elements);
      for (int e : column.elements) in_column[column.port][e] = true;
    }
    for (std::size_t k = 0; k < results_.size(); ++k) {
      out_.results.emplace_back();
      for (std::size_t e = 0; e < results_[k].size(); ++e)
        out_.results[k].push_back(in_column[k][e] ? unused_lane : number(results_[k][e]));
    }
    return in_order(std::move(out_), elements);
  }

 private:
  bool all_constant(const LaneRefs& x) const {
    return std::all_of(x.begin(), x.end(), [&](Ref r) { return !used(r) || graph_.is_constant(r); });
  }
  bool leaf(Ref r) const { return is_leaf(nodes_[r.node]); }
  bool all_leaves(const LaneRefs& x) const {
    return std::all_of(x.begin(), x.end(), [&](Ref r) { return !used(r) || leaf(r); });
  }

  Ref added(LaneNode node) {
    out_.nodes.push_back(std::move(node));
    return {static_cast<std::int32_t>(out_.nodes.size()) - 1, false};
  }

  Ref number(Ref r) {
    const auto [known, is_new] = numbers_.emplace(r.node, unused_lane);
    if (is_new) known->second = made(r.node);
    if (!used(known->second)) throw Unequal("a number that needs itself");
    return with_sign(known->second, r.negative);
  }

  Ref made(int i) {
    const Node& n = nodes_[i];
    LaneNode x;
    x.op = n.op;
    if (n.op == Op::constant) {
      x.value = n.value;
      return added(x);
    }
    if (n.op == Op::input) {
      x.kind = Kind::input, x.port = n.port, x.element = n.element;
      return added(x);
    }
    if (n.op == Op::sin || n.op == Op::cos) {
      const auto angle = angles_.find(spelled(nodes_, n.a));
      if (angle == angles_.end()) throw Unequal("an angle of its own");
      x.kind = Kind::angle, x.element = angle->second;
      return added(x);
    }
    if (const auto* home = sources_.home(i)) {
      const auto& [lanes, l] = *home;
      x.kind = Kind::lane, x.a = vector(lanes), x.element = static_cast<int>(l);
      const bool negative = x.a.negative != lanes[l].negative;
      x.a.negative = false;
      return with_sign(added(x), negative);
    }
    const Call call = sources_.operation(i);
    const Ref a = number(call.a), b = operands(call.op) > 1 ? number(call.b) : Ref{};
    return with_sign(operation(call.op, false, a, b), call.result.negative);
  }

  /// Signs of factors go to the product.
  Ref operation(Op op, bool wide, Ref a, Ref b) {
    LaneNode x;
    x.kind = Kind::operation, x.wide = wide, x.op = op, x.a = a, x.b = b;
    if (wide && op == Op::sqrt) throw Unequal("a root of a vector");
    const bool factors = op == Op::mul || op == Op::div, both = op == Op::add && a.negative && b.negative;
    const bool negative = factors ? a.negative != b.negative : both;
    if (factors || both) x.a.negative = x.b.negative = false;
    return with_sign(added(x), negative);
  }

  /// An operand: the same in all lanes, or a vector.
  Ref operand(LaneRefs x) {
    if (uniform(x)) return number(x.front());
    return vector(std::move(x));
  }

  Ref vector(LaneRefs x) {
    const bool negative = make_positive(x);
    const auto [known, is_new] = vectors_.emplace(x, unused_lane);
    if (is_new && !turned(x, known->second)) known->second = made(x);
    if (!used(known->second)) throw Unequal("a vector that needs itself");
    return with_sign(known->second, negative);
  }

  /// x by another vector whose lanes are turned.
  bool turned(const LaneRefs& x, Ref& found) {
    for (std::size_t by = 1; by < lanes_ && used(x.back()); ++by) {
      LaneRefs y = x;
      std::rotate(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(by), y.end());
      const bool negative = make_positive(y);
      const auto known = vectors_.find(y);
      if (known == vectors_.end() || !used(known->second)) continue;
      LaneNode node;  // y[k] = x[k + by]
      node.kind = Kind::turned, node.wide = true, node.a = known->second;
      node.element = static_cast<int>(by);
      const bool other = node.a.negative != negative;
      node.a.negative = false;
      found = with_sign(added(node), other);
      return true;
    }
    return false;
  }

  Ref made(const LaneRefs& x) {
    LaneNode node;
    node.wide = true;
    if (all_constant(x)) {
      node.kind = Kind::numbers;
      for (Ref r : x) node.values.push_back(used(r) ? graph_.value(r) : 0.0);
      return added(node);
    }
    if (auto call = sources_.maker(x); call && call->op != Op::sin && call->op != Op::cos) {
      const bool negative = make_positive(call->result);
      const Ref a = operand(call->a), b = operands(call->op) > 1 ? operand(call->b) : Ref{};
      return with_sign(operation(call->op, true, a, b), negative);
    }
    return all_leaves(x) ? gathered(x) : assembled(x);
  }

  Ref gathered(const LaneRefs& x) {
    LaneNode node;
    node.wide = true, node.kind = Kind::gathered;
    for (Ref r : x) node.leaves.push_back(used(r) ? number(r) : r);
    return added(node);
  }

  /// Lanes of other vectors and numbers, brought together.
  Ref assembled(const LaneRefs& x) {
    LaneRefs leaves(lanes_, unused_lane);
    std::map<int, std::vector<int>> from;  // vectors: which of their lanes become which here
    std::vector<std::pair<std::size_t, Ref>> numbers;
    for (std::size_t l = 0; l < lanes_ && used(x[l]); ++l) {
      const Ref r = number(x[l]);
      const LaneNode& n = out_.nodes[r.node];
      if (leaf(x[l]))
        leaves[l] = x[l];
      else if (n.kind == Kind::lane && !r.negative)
        from.emplace(n.a.node, std::vector<int>(lanes_, -1)).first->second[l] = n.element;
      else
        numbers.push_back({l, r});
    }
    Ref v = std::any_of(leaves.begin(), leaves.end(), used) ? gathered(leaves) : unused_lane;
    for (const auto& [source, picks] : from) v = merged(v, {source, false}, picks);
    for (const auto& [l, r] : numbers) v = inserted(v, l, r);
    return v;
  }

  Ref merged(Ref v, Ref source, std::vector<int> picks) {
    bool in_place = !used(v);
    for (std::size_t l = 0; l < lanes_; ++l) in_place = in_place && (picks[l] < 0 || picks[l] == static_cast<int>(l));
    if (in_place) return source;
    LaneNode node;
    node.kind = Kind::merged, node.wide = true, node.a = used(v) ? v : source, node.b = source, node.picks = std::move(picks);
    return added(node);
  }

  Ref inserted(Ref v, std::size_t lane, Ref number) {
    LaneNode node;
    node.kind = used(v) ? Kind::inserted : Kind::spread, node.wide = true, node.element = static_cast<int>(lane);
    node.a = used(v) ? v : number, node.b = used(v) ? number : Ref{};
    return added(node);
  }

  /// The lanes of a column, moved to the front.
  Ref made(const WantedColumn& column) {
    const Ref v = with_sign(vector(column.vector), column.negative);
    std::vector<int> picks = column.lanes;
    picks.resize(lanes_, -1);
    return with_sign(merged(unused_lane, {v.node, false}, picks), v.negative);
  }

  const Graph& graph_;
  const std::vector<Node>& nodes_;
  LaneSources sources_;
  const std::vector<std::vector<Ref>>& results_;
  std::size_t lanes_;
  std::map<std::string, int> angles_;
  std::map<LaneRefs, Ref, LaneLess> vectors_{less};
  std::map<int, Ref> numbers_;
  LaneProgram out_;
};

}  // namespace

/// A vector of leaves takes one instruction for each lane, a column one.
double lane_cost(const LaneProgram& p) {
  double n = static_cast<double>(p.columns.size());
  for (const LaneNode& x : p.nodes) {
    const bool none = x.kind == Kind::constant || x.kind == Kind::input || x.kind == Kind::angle || x.kind == Kind::numbers;
    n += x.kind == Kind::gathered ? p.lanes : none ? 0 : 1;
  }
  return n;
}

std::shared_ptr<const LaneProgram> lane_program(const Graph& graph, const Calls& calls,
                                                const std::vector<std::vector<Ref>>& results,
                                                const std::vector<bool>& any_order, int lanes, const Program& program) {
  const LaneCalls lane_calls(calls, lanes);
  const auto columns = wanted_columns(lane_calls, results, any_order);
  std::shared_ptr<const LaneProgram> best;
  double least = kWorth * static_cast<double>(program.counts().flops());
  for (const LaneOrder order : {LaneOrder::free, LaneOrder::by_time}) try {
      auto p = std::make_shared<LaneProgram>(Builder(graph, lane_calls, results, lanes, program, order).build(columns));
      if (lane_cost(*p) < least) least = lane_cost(*p), best = std::move(p);
    } catch (const Unequal&) {
    }
  return best;
}

}  // namespace sparsedyn
