#include "emit_lanes.hpp"

#include <utility>

#include "emit_statements.hpp"
#include "expression_text.hpp"
#include "schedule.hpp"

namespace sparsedyn {
namespace {

using Kind = LaneNode::Kind;

/// The same order of evaluation as for numbers: to the schedule a vector is a value like any other.
std::vector<Node> shadow(const std::vector<LaneNode>& nodes) {
  std::vector<Node> shadows;
  for (const LaneNode& n : nodes) {
    const bool moves = n.kind == Kind::lane || n.kind == Kind::turned;
    const Op op = n.kind == Kind::operation ? n.op : moves ? Op::abs : n.kind == Kind::constant ? Op::constant : Op::input;
    shadows.push_back({op, n.a, n.b, 0.0, 0, 0});
  }
  return shadows;
}

class Writer {
 public:
  explicit Writer(const Program& program)
      : program_(program), lanes_(*program.lanes()), nodes_(lanes_.nodes), text_(nodes_.size()), uses_(nodes_.size(), 0) {}

  LaneStatements statements() {
    const Schedule s = schedule(shadow(nodes_), lanes_.results);
    results_of_.resize(nodes_.size());
    for (int i : s.order) count_uses(i);
    for (std::size_t k = 0; k < lanes_.results.size(); ++k)
      for (std::size_t e = 0; e < lanes_.results[k].size(); ++e) {
        uses_[lanes_.results[k][e].node] += 2;  // a result has a name
        results_of_[lanes_.results[k][e].node].push_back({k, e});
      }
    for (int i : s.order) {
      if (i != 0 && !leaf(i)) define(i);
      for (const auto& [port, element] : results_of_[i]) write_result(port, element);
    }
    return std::move(out_);
  }

 private:
  bool leaf(int i) const {
    const Kind kind = nodes_[i].kind;
    return kind == Kind::constant || kind == Kind::input || kind == Kind::angle;
  }

  /// A number that a vector's operation needs has a name: else it would be computed in each lane.
  void use(const LaneNode& by, int operand) { uses_[operand] += by.wide && !nodes_[operand].wide ? 2 : 1; }

  void count_uses(int i) {
    const LaneNode& n = nodes_[i];
    if (n.kind == Kind::operation) {
      use(n, n.a.node);
      if (operands(n.op) > 1) use(n, n.b.node);
    }
    if (n.kind == Kind::lane || n.kind == Kind::turned) uses_[n.a.node] += 2;  // what has an index has a name
  }

  void write_result(std::size_t k, std::size_t e) {
    const Ref r = lanes_.results[k][e];
    out_.text += "  out_" + program_.outputs()[k].name + "[" + std::to_string(e) + "] = " + (r.negative ? "-" : "") +
                 value(r.node).text + ";\n";
  }

  /// Gives node i a text; a statement too, unless the text is short and used once.
  void define(int i) {
    ExpressionText text = expression(nodes_[i]);
    if (uses_[i] != 1 || text.text.size() > longest_expression) {
      const std::string name = (nodes_[i].wide ? "v" : "t") + std::to_string(i);
      out_.text += std::string("  const ") + (nodes_[i].wide ? "@_branches " : "double ") + name + " = " + text.text + ";\n";
      text = {name, TextLevel::atom};
    }
    text_[i] = std::move(text);
  }

  ExpressionText expression(const LaneNode& n) {
    switch (n.kind) {
      case Kind::operation: return operation(n);
      case Kind::lane: return {value(n.a.node).text + "[" + std::to_string(n.element) + "]", TextLevel::atom};
      case Kind::turned: return {turned(value(n.a.node).text, n.element), TextLevel::atom};
      case Kind::numbers:
      case Kind::gathered: return {vector(n), TextLevel::atom};
      default: return {};
    }
  }

  ExpressionText operation(const LaneNode& n) {
    const int width = n.wide ? lanes_.lanes : 1;
    ++out_.operations;
    for (int l = 0; l < width; ++l) count(n.op, out_.counts);
    if (n.op == Op::sqrt)
      return {std::string("sqrt(") + (n.a.negative ? "-(" : "(") + value(n.a.node).text + "))", TextLevel::atom};
    const bool swaps = n.op == Op::add && n.a.negative;
    const ExpressionText a = value(swaps ? n.b.node : n.a.node), b = value(swaps ? n.a.node : n.b.node);
    if (n.op == Op::add) return sum_text(a, n.a.negative || n.b.negative, b);
    return product_text(a, n.op, b);
  }

  std::string turned(const std::string& name, int by) const {
    std::string text;
    for (int k = 0; k < lanes_.lanes; ++k)
      text += (k ? ", " : "") + name + "[" + std::to_string((k - by + lanes_.lanes) % lanes_.lanes) + "]";
    return "(@_branches){" + text + "}";
  }

  std::string vector(const LaneNode& n) {
    std::string text;
    for (std::size_t k = 0; k < static_cast<std::size_t>(lanes_.lanes); ++k) {
      text += k ? ", " : "";
      if (n.kind == Kind::numbers)
        text += literal(n.values[k]);
      else
        text += (n.leaves[k].negative ? "-" : "") + value(n.leaves[k].node).text;
    }
    return "(@_branches){" + text + "}";
  }

  /// The text of an operand; leaves are read where they are used.
  ExpressionText value(int i) {
    if (!leaf(i)) return text_[i];
    const LaneNode& n = nodes_[i];
    const std::string element = "[" + std::to_string(n.element) + "]";
    if (n.kind == Kind::constant) return {literal(n.value), TextLevel::atom};
    if (n.kind == Kind::input) return {"in_" + program_.inputs()[n.port].name + element, TextLevel::atom};
    return {(n.op == Op::sin ? "sine" : "cosine") + element, TextLevel::atom};
  }

  const Program& program_;
  const LaneProgram& lanes_;
  const std::vector<LaneNode>& nodes_;
  std::vector<ExpressionText> text_;
  std::vector<int> uses_;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> results_of_;  // port and element of each that a node is
  LaneStatements out_;
};

}  // namespace

LaneStatements emit_lanes(const Program& program) { return Writer(program).statements(); }

}  // namespace sparsedyn
