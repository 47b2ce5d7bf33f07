#include "emit_lanes.hpp"

#include <algorithm>
#include <utility>

#include "codegen/ir/evaluation_order.hpp"
#include "emit_statements.hpp"
#include "expression_text.hpp"

namespace sparsedyn {
namespace {

using Kind = VectorNode::Kind;

/// Operations on such numbers from which on they come first. With fewer, to cut the program in two costs more than it gives.
constexpr int kMany = 300;

class LaneWriter {
 public:
  LaneWriter(const Program& program, const SuperwordProgram& superwords)
      : program_(program), lanes_(superwords), nodes_(lanes_.nodes), text_(nodes_.size()), uses_(nodes_.size(), 0) {
    find_early();
  }

  LaneStatements statements() {
    const int n = static_cast<int>(nodes_.size());
    results_of_.resize(nodes_.size()), columns_of_.resize(nodes_.size());
    for (int i = 0; i < n; ++i) count_uses(i);
    for (std::size_t k = 0; k < lanes_.results.size(); ++k) {
      written_.emplace_back(lanes_.results[k].size(), false);
      for (std::size_t e = 0; e < lanes_.results[k].size(); ++e)
        if (const int i = lanes_.results[k][e].node; i != SuperwordProgram::no_node) {
          uses_[i] += 2;  // a result has a name
          results_of_[i].push_back({k, e});
        }
    }
    for (const VectorOutput& c : lanes_.columns) {
      uses_[c.vector.node] += 2;
      columns_of_[c.vector.node].push_back(&c);
    }
    std::vector<std::pair<int, std::string>> kept;
    for (int i = 1; i < n; ++i) {
      if (!early_[i]) continue;
      place(i);
      if (!needed_later_[i]) continue;
      kept.push_back({i, "kept[" + std::to_string(out_.kept++) + "]"});
      out_.text += "  " + kept.back().second + " = " + text_[i].text + ";\n";
    }
    for (auto& [i, slot] : kept) text_[i] = {std::move(slot), TextLevel::atom};
    out_.numbers.swap(out_.text);
    for (int i = 0; i < n; ++i)
      if (!early_[i]) place(i);
    return std::move(out_);
  }

 private:
  /// Numbers that no vector is needed for.
  void find_early() {
    const auto early = [&](Ref r) { return leaf(r.node) || early_[r.node]; };
    early_.assign(nodes_.size(), false);
    long many = 0;
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      const VectorNode& n = nodes_[i];
      if (n.kind != Kind::operation) continue;
      early_[i] = !n.wide && early(n.a) && (operands(n.op) < 2 || early(n.b));
      many += early_[i];
    }
    if (many < kMany) early_.assign(nodes_.size(), false);
    needed_later_.assign(nodes_.size(), false);
  }

  void place(int i) {
    if (i != 0 && !leaf(i)) define(i);
    for (const auto& [port, element] : results_of_[i]) write_result(port, element);
    for (const VectorOutput* column : columns_of_[i]) write_column(*column);
  }

  bool leaf(int i) const {
    const Kind kind = nodes_[i].kind;
    return kind == Kind::constant || kind == Kind::input || kind == Kind::angle;
  }

  /// A number that a vector's operation needs has a name: else it would be computed in each lane.
  void use(const VectorNode& by, int operand) {
    const bool later = early_[operand] && (by.kind != Kind::operation || !early_[&by - nodes_.data()]);
    uses_[operand] += later || (by.wide && !nodes_[operand].wide) ? 2 : 1;
    if (later) needed_later_[operand] = true;
  }

  void count_uses(int i) {
    const VectorNode& n = nodes_[i];
    if (n.kind == Kind::operation) {
      use(n, n.a.node);
      if (operands(n.op) > 1) use(n, n.b.node);
    }
    const bool merged = n.kind == Kind::merged, inserted = n.kind == Kind::inserted;
    if (n.kind == Kind::lane || n.kind == Kind::turned || merged) uses_[n.a.node] += 2;  // what has an index has a name
    if (merged) uses_[n.b.node] += 2;
    if (n.kind == Kind::spread || inserted) use(n, n.a.node);
    if (inserted) use(n, n.b.node), uses_[i] += 2;
  }

  std::string output(std::size_t k) const { return "out_" + program_.outputs()[k].name; }

  void write_result(std::size_t k, std::size_t e) {
    const Ref r = lanes_.results[k][e];
    out_.text += "  " + output(k) + "[" + std::to_string(e) + "] = " + (r.negative ? "-" : "") + value(r.node).text + ";\n";
    written_[k][e] = true;
  }

  /// Whole vectors, or their first half or quarter if that holds the column, since a store across two lines of the cache takes
  /// twice as long. The last lanes may fall on elements that are not theirs, as long as these are still to be written.
  void write_column(const VectorOutput& c) {
    const auto k = static_cast<std::size_t>(c.port), first = static_cast<std::size_t>(c.first);
    const auto begin = written_[k].begin() + c.first;
    int width = lanes_.lanes;
    while (width / 2 >= c.lanes) width /= 2;
    const bool fits = first + static_cast<std::size_t>(width) <= written_[k].size() &&
                      std::none_of(begin, begin + width, [](bool written) { return written; });
    const std::string name = value(c.vector.node).text, sign = c.vector.negative ? "-" : "";
    if (fits)
      out_.text += "  *(@_anywhere" + part(width) + " *)(" + output(k) + " + " + std::to_string(first) + ") = " + sign +
                   first_lanes(name, width) + ";\n";
    for (std::size_t l = 0; l < static_cast<std::size_t>(c.lanes); ++l) {
      written_[k][first + l] = true;
      if (!fits)
        out_.text +=
            "  " + output(k) + "[" + std::to_string(first + l) + "] = " + sign + name + "[" + std::to_string(l) + "];\n";
    }
  }

  std::string part(int width) const { return width == lanes_.lanes ? "" : std::to_string(width); }

  std::string first_lanes(const std::string& vector, int width) const {
    if (width == lanes_.lanes) return vector;
    std::string text;
    for (int l = 0; l < width; ++l) text += (l ? ", " : "") + vector + "[" + std::to_string(l) + "]";
    return "(@_first" + std::to_string(width) + "){" + text + "}";
  }

  /// Gives node i a text; a statement too, unless the text is short and used once.
  void define(int i) {
    ExpressionText text = expression(nodes_[i]);
    if (uses_[i] != 1 || text.text.size() > longest_expression) {
      const std::string name = (nodes_[i].wide ? "v" : "t") + std::to_string(i);
      const bool inserted = nodes_[i].kind == Kind::inserted;
      out_.text += std::string(inserted ? "  " : "  const ") + (nodes_[i].wide ? "@_branches " : "double ") + name + " = " +
                   text.text + ";\n";
      if (inserted)
        out_.text += "  " + name + "[" + std::to_string(nodes_[i].element) + "] = " + signed_value(nodes_[i].b) + ";\n";
      text = {name, TextLevel::atom};
    }
    text_[i] = std::move(text);
  }

  ExpressionText expression(const VectorNode& n) {
    switch (n.kind) {
      case Kind::operation: return operation(n);
      case Kind::lane: return {value(n.a.node).text + "[" + std::to_string(n.element) + "]", TextLevel::atom};
      case Kind::turned: return {turned(value(n.a.node).text, n.element), TextLevel::atom};
      case Kind::spread: return {"(" + signed_value(n.a) + " - (@_branches){0})", TextLevel::atom};
      case Kind::inserted: return {signed_value(n.a), TextLevel::atom};
      case Kind::merged: return {merged(n), TextLevel::atom};
      case Kind::numbers:
      case Kind::gathered: return {vector(n), TextLevel::atom};
      default: return {};
    }
  }

  ExpressionText operation(const VectorNode& n) {
    const int width = n.wide ? lanes_.lanes : 1;
    ++out_.operations;
    for (int l = 0; l < width; ++l) count(n.op, out_.counts);
    if (n.op == Op::sqrt)
      return {std::string("sqrt(") + (n.a.negative ? "-(" : "(") + value(n.a.node).text + "))", TextLevel::atom};
    if (n.op == Op::tanh) return {"tanh(" + value(n.a.node).text + ")", TextLevel::atom};
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

  std::string vector(const VectorNode& n) {
    std::string text;
    for (std::size_t k = 0; k < static_cast<std::size_t>(lanes_.lanes); ++k) {
      text += k ? ", " : "";
      if (n.kind == Kind::numbers)
        text += shortest_decimal(n.values[k]);
      else
        text += n.leaves[k].node == SuperwordProgram::no_node ? "0" : signed_value(n.leaves[k]);
    }
    return "(@_branches){" + text + "}";
  }

  std::string merged(const VectorNode& n) const {
    std::string text, lanes;
    bool one = true;
    for (std::size_t k = 0; k < n.picks.size(); ++k) {
      const bool other = n.picks[k] >= 0;
      const int from = other ? n.b.node : n.a.node;
      const std::string lane = std::to_string(other ? n.picks[k] : static_cast<int>(k)), comma = k ? ", " : "";
      text += comma + text_[from].text + "[" + lane + "]";
      lanes += comma + lane;
      one = one && from == (n.picks[0] >= 0 ? n.b.node : n.a.node);
    }
    if (!one || n.picks.size() != 8) return "(@_branches){" + text + "}";
    return "@_PERMUTED(" + text_[n.picks[0] >= 0 ? n.b.node : n.a.node].text + ", " + lanes + ")";
  }

  std::string signed_value(Ref r) {
    const ExpressionText x = value(r.node);
    return r.negative ? (x.level == TextLevel::sum ? "-(" + x.text + ")" : "-" + x.text) : x.text;
  }

  /// The text of an operand; leaves are read where they are used.
  ExpressionText value(int i) {
    if (!leaf(i)) return text_[i];
    const VectorNode& n = nodes_[i];
    const std::string element = "[" + std::to_string(n.element) + "]";
    if (n.kind == Kind::constant) return {shortest_decimal(n.value), TextLevel::atom};
    if (n.kind == Kind::input) return {"in_" + program_.inputs()[n.port].name + element, TextLevel::atom};
    return {(n.op == Op::sin ? "sine" : "cosine") + element, TextLevel::atom};
  }

  const Program& program_;
  const SuperwordProgram& lanes_;
  const std::vector<VectorNode>& nodes_;
  std::vector<ExpressionText> text_;
  std::vector<int> uses_;
  std::vector<bool> early_, needed_later_;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> results_of_;  // port and element of each that a node is
  std::vector<std::vector<const VectorOutput*>> columns_of_;
  std::vector<std::vector<bool>> written_;  // elements of the outputs, so far
  LaneStatements out_;
};

}  // namespace

LaneStatements emit_lanes(const Program& program, const SuperwordProgram& superwords) {
  return LaneWriter(program, superwords).statements();
}

}  // namespace sparsedyn
