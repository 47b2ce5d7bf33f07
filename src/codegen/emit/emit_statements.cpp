#include "emit_statements.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "codegen/ir/evaluation_order.hpp"
#include "codegen/kernel/emit_kernel.hpp"
#include "statement_order.hpp"
#include "text_parts.hpp"

namespace sparsedyn {
namespace {

/// Cycles from operands to the value on processors with vectors of eight.
int cycles(Op op) { return op == Op::tanh ? 48 : op == Op::div || op == Op::sqrt ? 24 : 4; }

/// Writes one function's statements; values of single use become part of the expression that uses them. Results are stored as
/// soon as they are known, so that they need not be kept. Where the sines are made in steps (dialect.turn) a statement is one
/// operation, a product and a sum together (FMA) if they can be, and statements come in the order of work.
class Writer {
 public:
  Writer(const Program& program, const Dialect& dialect, const ResultSources& sources = {})
      : program_(program), nodes_(program.nodes()), dialect_(dialect) {
    uses_.assign(nodes_.size(), 0);
    slot_.assign(nodes_.size(), -1);
    fused_.assign(nodes_.size(), false);
    results_of_.resize(nodes_.size()), text_.resize(nodes_.size()), needs_.resize(nodes_.size());
    for (const Node& n : nodes_) {
      if (operands(n.op) > 0) ++uses_[n.a.node];
      if (operands(n.op) > 1) ++uses_[n.b.node];
    }
    const auto& results = program.results();
    for (std::size_t k = 0; k < results.size(); ++k)
      for (std::size_t e = 0; e < results[k].size(); ++e) {
        if (!sources.empty() && sources[k][e] != static_cast<int>(e)) continue;
        uses_[results[k][e].node] += 2;  // a result has a name
        results_of_[results[k][e].node].push_back({k, e});
      }
    fuse();
    for (std::size_t k = 0; k < program.angles().size(); ++k) angle_of_.push_back(program.angles()[k]);
    turned_.assign(angle_of_.size(), false);
  }

  Statements statements(int largest_part) {
    std::vector<std::size_t> results;
    for (const auto& of_node : results_of_) results.push_back(of_node.size());
    const TextParts parts = text_parts(program_, results, largest_part);
    slot_ = parts.slot;
    Statements s;
    s.kept = parts.slots;
    for (std::size_t p = 0; p + 1 < parts.starts.size(); ++p)
      s.parts.push_back(part(static_cast<int>(p), parts.starts[p], parts.starts[p + 1]));
    s.counts = counts_;
    return s;
  }

  Statements angles() {
    begin_part();
    for (int i = 0; i < program_.body(); ++i)
      if (nodes_[i].op != Op::sin && nodes_[i].op != Op::cos && operands(nodes_[i].op) > 0) define(i);
    for (std::size_t k = 0; k < angle_of_.size(); ++k) {
      const std::string text = value(angle_of_[k]).text;
      say(filled(dialect_.angle, {{'K', index(k)}, {'X', text}}), needs_[angle_of_[k]]);
    }
    Statements s;
    s.parts = {text()};
    s.counts = counts_;
    return s;
  }

 private:
  bool leaf(int i) const { return i < program_.body(); }

  bool in_steps() const { return !dialect_.turn.empty(); }

  /// Of an array, in the language.
  template <class Integer>
  std::string index(Integer i) const {
    return std::to_string(static_cast<long>(i) + dialect_.first_index);
  }
  std::string definition(const std::string& name, const std::string& value) const {
    return filled(dialect_.definition, {{'N', name}, {'X', value}});
  }
  std::string negative(const std::string& atom) const { return filled(dialect_.operators.negative, {{'A', atom}}); }
  static ExpressionText called(const std::string& function, const std::string& a, const std::string& b = {}) {
    return {filled(function, {{'A', a}, {'B', b}}), TextLevel::atom};
  }

  /// Of the products in a sum that serve nothing else, the one whose factors are known last joins it.
  void fuse() {
    std::vector<int> depth(nodes_.size(), 0);
    const auto joins = [&](int i) { return nodes_[i].op == Op::mul && uses_[i] == 1; };
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Node& n = nodes_[i];
      const int a = n.a.node, b = n.b.node;
      if (operands(n.op) > 0) depth[i] = depth[a] + 1;
      if (operands(n.op) > 1) depth[i] = std::max(depth[i], depth[b] + 1);
      if (n.op == Op::sin || n.op == Op::cos) depth[i] += static_cast<int>(turn_steps().size()) / 2;
      if (n.op == Op::add && (joins(a) || joins(b))) fused_[joins(b) && (!joins(a) || depth[b] >= depth[a]) ? b : a] = true;
    }
  }

  /// Adds a statement; returns its number.
  int say(const std::string& text, std::vector<int> needs, int operations = 0, int cycles = 4) {
    out_.push_back({filled(dialect_.line, {{'X', text}}), std::move(needs), operations, cycles});
    return static_cast<int>(out_.size()) - 1;
  }

  void begin_part() {
    out_.clear();
    for (int i : of_part_) text_[i] = {}, needs_[i].clear();
    of_part_.clear();
    turned_by_.assign(angle_of_.size(), {});
  }

  std::string text() const {
    if (in_steps()) return in_order_of_work(out_);
    std::string text;
    for (const TextStatement& s : out_) text += s.text;
    return text;
  }

  /// The steps that make sine and cosine of angle k.
  void turn(std::size_t k) {
    if (!in_steps() || turned_[k]) return;
    turned_[k] = true;
    std::vector<int> steps;
    for (const std::vector<int>& step : turn_steps()) {
      std::vector<int> needs;
      for (int s : step) needs.push_back(steps[s]);
      const std::string number = std::to_string(steps.size());
      steps.push_back(say(filled(dialect_.turn, {{'S', number}, {'K', index(k)}}), needs, 1));
    }
    turned_by_[k] = {steps[kSineStep], steps[kCosineStep]};
  }

  std::string part(int p, int first, int last) {
    begin_part();
    for (int i = p == 0 ? 0 : first; i < last; ++i) {
      if (!leaf(i)) define(i);
      for (const auto& [port, element] : results_of_[i]) write_result(port, element);
    }
    return text();
  }

  void write_result(std::size_t k, std::size_t e) {
    const Ref r = program_.results()[k][e];
    const std::string pointer = "out_" + program_.outputs()[k].name, text = argument(r.node);
    say(filled(dialect_.store, {{'P', pointer}, {'E', index(e)}, {'X', r.negative ? negative(text) : text}}), needs_[r.node]);
  }

  /// Gives node i a text; a statement too, unless the text is short and used once.
  void define(int i) {
    remember(i, expression(i));
    const Node& n = nodes_[i];
    needs_[i] = needs_[n.a.node];
    if (operands(n.op) > 1) needs_[i].insert(needs_[i].end(), needs_[n.b.node].begin(), needs_[n.b.node].end());
    const bool once = uses_[i] == 1 && slot_[i] < 0;
    if (once && (in_steps() ? fused_[i] : text_[i].text.size() <= longest_expression)) return;
    const std::string name = "t" + std::to_string(i);
    needs_[i] = {say(definition(name, text_[i].text), needs_[i], 1, cycles(n.op))};
    if (slot_[i] >= 0) say(filled(dialect_.keep, {{'I', index(slot_[i])}, {'X', name}}), needs_[i]);
    text_[i] = {name, TextLevel::atom};
  }

  /// For the rest of the part.
  const ExpressionText& remember(int i, ExpressionText text) {
    of_part_.push_back(i);
    return text_[i] = std::move(text);
  }

  ExpressionText expression(int i) {
    const Node& n = nodes_[i];
    count(n.op, counts_);
    switch (n.op) {
      case Op::add: {
        const ExpressionText a = value(n.a.negative ? n.b.node : n.a.node), b = value(n.a.negative ? n.a.node : n.b.node);
        return sum_text(a, n.a.negative || n.b.negative, b, dialect_.operators);
      }
      case Op::mul:
      case Op::div: {
        const ExpressionText a = value(n.a.node), b = value(n.b.node);
        return product_text(a, n.op, b, dialect_.operators);
      }
      case Op::sqrt: return called(dialect_.sqrt, n.a.negative ? negative(atom(n.a.node)) : atom(n.a.node));
      case Op::sin: return called(dialect_.sin, value(n.a.node).text);
      case Op::cos: return called(dialect_.cos, value(n.a.node).text);
      case Op::tanh: return called(dialect_.tanh, value(n.a.node).text);
      case Op::abs: return called(dialect_.abs, argument(n.a.node));
      case Op::min: return called(dialect_.min, argument(n.a.node), argument(n.b.node));
      case Op::constant:
      case Op::input: break;
    }
    return {};
  }

  /// A whole value of the dialect's type.
  std::string argument(int i) {
    return nodes_[i].op == Op::constant ? filled(dialect_.constant, {{'C', dialect_.literal(nodes_[i].value)}}) : value(i).text;
  }

  std::string atom(int i) { return within(value(i), TextLevel::atom, dialect_.operators); }

  /// The text of an operand; what comes from outside this function is read at its first use.
  ExpressionText value(int i) {
    if (!text_[i].text.empty()) return text_[i];
    const Node& n = nodes_[i];
    if (n.op == Op::constant)
      return remember(i, {filled(dialect_.factor, {{'C', dialect_.literal(n.value)}}), TextLevel::atom});
    if (n.op == Op::input) {
      const std::string& port = program_.inputs()[n.port].name;
      const std::string name = port + "_" + std::to_string(n.element);
      needs_[i] = {say(definition(name, filled(dialect_.load, {{'P', "in_" + port}, {'E', index(n.element)}})), {})};
      return remember(i, {name, TextLevel::atom});
    }
    if (leaf(i) && (n.op == Op::sin || n.op == Op::cos)) {
      const auto k = static_cast<std::size_t>(std::find(angle_of_.begin(), angle_of_.end(), n.a.node) - angle_of_.begin());
      for (std::size_t l = k; l < std::min(k + 3, angle_of_.size()); ++l) turn(l);
      if (!turned_by_[k].empty()) needs_[i] = {turned_by_[k][n.op == Op::cos]};
      return remember(i, {filled(n.op == Op::sin ? dialect_.sine : dialect_.cosine, {{'K', index(k)}}), TextLevel::atom});
    }
    if (leaf(i)) {  // part of an angle: cheap enough to be made again
      define(i);
      return text_[i];
    }
    const std::string name = "t" + std::to_string(i);
    needs_[i] = {say(definition(name, filled(dialect_.kept, {{'I', index(slot_[i])}})), {})};
    return remember(i, {name, TextLevel::atom});
  }

  const Program& program_;
  const std::vector<Node>& nodes_;
  const Dialect& dialect_;
  std::vector<int> uses_, slot_, angle_of_;
  std::vector<bool> fused_, turned_;                                          // into a sum; angles whose sines are made
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> results_of_;  // port and element of each that a node is
  std::vector<ExpressionText> text_;                                          // of the nodes that this part has met, of_part_
  std::vector<int> of_part_;
  std::vector<std::vector<int>> needs_, turned_by_;  // statements that a text, and sine[k] and cosine[k], need
  std::vector<TextStatement> out_;
  OperationCounts counts_;
};

}  // namespace

std::string array(const std::string& type, const std::string& name, std::size_t n) {
  return "  " + type + " " + name + (n > 0 ? "[" + std::to_string(n) + "];\n" : "[1] = {0};\n");  // passed on, never read
}

std::string shortest_decimal(double x) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, x).ptr;
  std::string text(buffer, end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

Statements emit_statements(const Program& program, const Dialect& dialect, int largest_part, const ResultSources& sources) {
  return Writer(program, dialect, sources).statements(largest_part);
}

Statements emit_angles(const Program& program, const Dialect& dialect) { return Writer(program, dialect).angles(); }

bool uses(const Program& program, Op op) {
  const std::vector<Node>& nodes = program.nodes();
  return std::any_of(nodes.begin(), nodes.end(), [op](const Node& n) { return n.op == op; });
}

}  // namespace sparsedyn
