#include "sparsedyn/program/lane_program.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "schedule.hpp"

namespace sparsedyn {
namespace {

constexpr double kWorth = 0.7;  // of the operations of the program without vectors

/// One value for each lane.
using Lanes = std::vector<Ref>;

bool less(const Lanes& a, const Lanes& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](Ref x, Ref y) { return std::tie(x.node, x.negative) < std::tie(y.node, y.negative); });
}
using Less = bool (*)(const Lanes&, const Lanes&);

/// The same up to a common sign: the first lane that is not zero is positive. True if the sign has changed.
bool make_positive(Lanes& x) {
  const auto first = std::find_if(x.begin(), x.end(), [](Ref r) { return r.node != 0; });
  if (first == x.end() || !first->negative) return false;
  for (Ref& r : x) r = -r;
  return true;
}

bool uniform(const Lanes& x) {
  return std::all_of(x.begin(), x.end(), [&](Ref r) { return r == x.front(); });
}

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

/// The recordings do not fit together.
struct Unequal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Builder {
 public:
  Builder(const Graph& graph, const std::vector<std::vector<Call>>& calls, const Program& program)
      : graph_(graph), nodes_(graph.nodes()), calls_(calls), lanes_(calls.size()) {
    for (std::size_t k = 0; k < program.angles().size(); ++k)
      angles_[spelled(program.nodes(), {program.angles()[k], false})] = static_cast<int>(k);
    out_.lanes = static_cast<int>(lanes_);
    out_.nodes.emplace_back();
    numbers_[0] = Ref{};
  }

  LaneProgram build(const std::vector<std::vector<Ref>>& results) {
    find_makers();
    find_homes(results);
    for (const auto& result : results) {
      out_.results.emplace_back();
      for (Ref r : result) out_.results.back().push_back(number(r));
    }
    return std::move(out_);
  }

 private:
  Lanes of_call(std::size_t k, Ref Call::*member) const {
    Lanes x;
    for (const auto& calls : calls_) x.push_back(calls[k].*member);
    return x;
  }

  bool all_constant(const Lanes& x) const {
    return std::all_of(x.begin(), x.end(), [&](Ref r) { return graph_.is_constant(r); });
  }
  bool all_leaves(const Lanes& x) const {
    return std::all_of(x.begin(), x.end(), [&](Ref r) { return operands(nodes_[r.node].op) == 0; });
  }

  /// The first call that gives each vector. Its operands were there before it, so that nothing needs itself.
  void find_makers() {
    for (std::size_t k = 0; k < calls_.front().size(); ++k) {
      for (const auto& calls : calls_)
        if (calls.size() != calls_.front().size() || calls[k].op != calls_.front()[k].op) throw Unequal("other calls");
      Lanes x = of_call(k, &Call::result);
      if (uniform(x) || all_leaves(x)) continue;
      make_positive(x);
      makers_.emplace(x, k);
    }
  }

  /// For each number that is wanted, the first vector that holds it, if most of that vector's lanes are different and all are
  /// wanted.
  void find_homes(const std::vector<std::vector<Ref>>& results) {
    const std::vector<bool> wanted = needed_nodes(nodes_, results);
    for (std::size_t k = 0; k < calls_.front().size(); ++k) {
      Lanes x = of_call(k, &Call::result);
      make_positive(x);
      std::vector<int> different;
      for (Ref r : x) different.push_back(wanted[r.node] && operands(nodes_[r.node].op) > 0 ? r.node : -1);
      std::sort(different.begin(), different.end());
      if (different.front() < 0) continue;
      different.erase(std::unique(different.begin(), different.end()), different.end());
      if (2 * different.size() <= lanes_) continue;
      for (std::size_t l = 0; l < lanes_; ++l) homes_.emplace(x[l].node, std::make_pair(x, l));
    }
  }

  Ref added(LaneNode node) {
    out_.nodes.push_back(std::move(node));
    return {static_cast<std::int32_t>(out_.nodes.size()) - 1, false};
  }

  static Ref with_sign(Ref r, bool negative) { return negative ? -r : r; }

  Ref number(Ref r) {
    const auto known = numbers_.find(r.node);
    if (known != numbers_.end()) return with_sign(known->second, r.negative);
    if (!begun_.insert(r.node).second) throw Unequal("a number that is a lane of what needs it");
    return with_sign(numbers_[r.node] = made(r.node), r.negative);
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
      x.kind = LaneNode::Kind::input, x.port = n.port, x.element = n.element;
      return added(x);
    }
    if (n.op == Op::sin || n.op == Op::cos) {
      const auto angle = angles_.find(spelled(nodes_, n.a));
      if (angle == angles_.end()) throw Unequal("an angle of its own");
      x.kind = LaneNode::Kind::angle, x.element = angle->second;
      return added(x);
    }
    if (const auto home = homes_.find(i); home != homes_.end()) {
      const auto& [lanes, l] = home->second;
      x.kind = LaneNode::Kind::lane, x.a = vector(lanes), x.element = static_cast<int>(l);
      const bool negative = x.a.negative != lanes[l].negative;
      x.a.negative = false;
      return with_sign(added(x), negative);
    }
    return operation(n.op, false, number(n.a), operands(n.op) > 1 ? number(n.b) : Ref{});
  }

  /// Signs of factors go to the product.
  Ref operation(Op op, bool wide, Ref a, Ref b) {
    LaneNode x;
    x.kind = LaneNode::Kind::operation, x.wide = wide, x.op = op, x.a = a, x.b = b;
    if (wide && op == Op::sqrt) throw Unequal("a root of a vector");
    const bool factors = op == Op::mul || op == Op::div, both = op == Op::add && a.negative && b.negative;
    const bool negative = factors ? a.negative != b.negative : both;
    if (factors || both) x.a.negative = x.b.negative = false;
    return with_sign(added(x), negative);
  }

  /// An operand: the same in all lanes, or a vector.
  Ref operand(Lanes x) {
    if (uniform(x)) return number(x.front());
    const bool negative = make_positive(x);
    return with_sign(vector(x), negative);
  }

  Ref vector(const Lanes& x) {
    const auto known = vectors_.find(x);
    if (known != vectors_.end()) return known->second;
    Ref r;
    if (!turned(x, r)) r = made(x);
    return vectors_.emplace(x, r).first->second;
  }

  /// x by another vector whose lanes are turned.
  bool turned(const Lanes& x, Ref& found) {
    for (std::size_t by = 1; by < lanes_; ++by) {
      Lanes y = x;
      std::rotate(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(by), y.end());
      const bool negative = make_positive(y);
      const auto known = vectors_.find(y);
      if (known == vectors_.end()) continue;
      LaneNode node;  // y[k] = x[k + by]
      node.kind = LaneNode::Kind::turned, node.wide = true, node.a = known->second;
      node.element = static_cast<int>(by);
      const bool other = node.a.negative != negative;
      node.a.negative = false;
      found = with_sign(added(node), other);
      return true;
    }
    return false;
  }

  Ref made(const Lanes& x) {
    LaneNode node;
    node.wide = true;
    if (all_constant(x)) {
      node.kind = LaneNode::Kind::numbers;
      for (Ref r : x) node.values.push_back(graph_.value(r));
      return added(node);
    }
    if (const auto maker = makers_.find(x); maker != makers_.end()) {
      const std::size_t k = maker->second;
      Lanes result = of_call(k, &Call::result);
      const bool negative = make_positive(result);
      const Op op = calls_.front()[k].op;
      if (op != Op::sin && op != Op::cos) {
        const Ref a = operand(of_call(k, &Call::a)), b = operands(op) > 1 ? operand(of_call(k, &Call::b)) : Ref{};
        return with_sign(operation(op, true, a, b), negative);
      }
    }
    node.kind = LaneNode::Kind::gathered;
    for (Ref r : x) {
      const Op op = nodes_[r.node].op;
      if (operands(op) > 0 && op != Op::sin && op != Op::cos) throw Unequal("a vector that no call makes");
      node.leaves.push_back(number(r));
    }
    return added(node);
  }

  const Graph& graph_;
  const std::vector<Node>& nodes_;
  const std::vector<std::vector<Call>>& calls_;
  std::size_t lanes_;
  std::map<std::string, int> angles_;
  std::map<Lanes, std::size_t, Less> makers_{less};
  std::map<int, std::pair<Lanes, std::size_t>> homes_;
  std::map<Lanes, Ref, Less> vectors_{less};
  std::map<int, Ref> numbers_;
  std::set<int> begun_;  // numbers, also those still in the making
  LaneProgram out_;
};

/// Instructions, roughly: a vector of leaves takes one for each lane.
double cost(const LaneProgram& p) {
  double n = 0;
  for (const LaneNode& x : p.nodes) {
    n += x.kind == LaneNode::Kind::operation || x.kind == LaneNode::Kind::lane || x.kind == LaneNode::Kind::turned;
    n += x.kind == LaneNode::Kind::gathered ? p.lanes : 0;
  }
  return n;
}

}  // namespace

std::shared_ptr<const LaneProgram> lane_program(const Graph& graph, const std::vector<std::vector<Call>>& calls,
                                                const std::vector<std::vector<Ref>>& results, const Program& program) {
  try {
    auto p = std::make_shared<LaneProgram>(Builder(graph, calls, program).build(results));
    return cost(*p) < kWorth * static_cast<double>(program.counts().flops()) ? p : nullptr;
  } catch (const Unequal&) {
    return nullptr;
  }
}

}  // namespace sparsedyn
