#include "emit_statements.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "expression_text.hpp"
#include "schedule.hpp"

namespace sparsedyn {
namespace {

std::string filled(std::string text, const std::string& mark, const std::string& with) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + with.size()))
    text.replace(at, mark.size(), with);
  return text;
}

/// Writes one function's statements; values of single use become part of the expression that uses them. Results are stored as
/// soon as they are known, so that they need not be kept.
class Writer {
 public:
  Writer(const Program& program, const Dialect& dialect, const ResultSources& sources = {})
      : program_(program), nodes_(program.nodes()), dialect_(dialect) {
    uses_.assign(nodes_.size(), 0);
    last_part_.assign(nodes_.size(), 0);
    part_.assign(nodes_.size(), 0);
    slot_.assign(nodes_.size(), -1);
    results_of_.resize(nodes_.size());
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
    for (std::size_t k = 0; k < program.angles().size(); ++k) angle_of_.push_back(program.angles()[k]);
  }

  Statements statements(int largest_part) {
    cut(largest_part);
    Statements s;
    s.kept = assign_slots();
    for (std::size_t p = 0; p < starts_.size(); ++p) {
      const int first = starts_[p], last = p + 1 < starts_.size() ? starts_[p + 1] : static_cast<int>(nodes_.size());
      s.parts.push_back(part(static_cast<int>(p), first, last));
    }
    s.counts = counts_;
    return s;
  }

  Statements angles() {
    out_.clear();
    text_.assign(nodes_.size(), {});
    for (int i = 0; i < program_.body(); ++i)
      if (nodes_[i].op != Op::sin && nodes_[i].op != Op::cos && operands(nodes_[i].op) > 0) define(i);
    for (std::size_t k = 0; k < angle_of_.size(); ++k)
      out_ += "  angle[" + std::to_string(k) + "] = " + value(angle_of_[k]).text + ";\n";
    Statements s;
    s.parts = {out_};
    s.counts = counts_;
    return s;
  }

 private:
  bool leaf(int i) const { return i < program_.body(); }

  /// Parts begin at starts_; part_ and last_part_: where a value is made and last used. Operations and results count alike.
  void cut(int largest_part) {
    const int first = program_.body(), n = static_cast<int>(nodes_.size());
    std::vector<long> before(nodes_.size() + 1, 0);  // statements before each node
    for (int i = first; i < n; ++i) before[i + 1] = before[i] + static_cast<long>(results_of_[i].size()) + 1;
    const int many = static_cast<int>(std::max(1L, (before[n] + largest_part - 1) / largest_part));
    for (int p = 0; p < many; ++p) {
      const auto start = std::lower_bound(before.begin() + first, before.begin() + n, before[n] * p / many);
      starts_.push_back(static_cast<int>(start - before.begin()));
    }
    for (int p = 0; p < many; ++p) {
      const int last = p + 1 < many ? starts_[p + 1] : n;
      for (int i = starts_[p]; i < last; ++i) {
        part_[i] = last_part_[i] = p;
        if (operands(nodes_[i].op) > 0) last_part_[nodes_[i].a.node] = p;
        if (operands(nodes_[i].op) > 1) last_part_[nodes_[i].b.node] = p;
      }
    }
  }

  /// Slots of `kept` for the values that a later part uses; a slot is free again after its value's last part.
  int assign_slots() {
    std::vector<int> busy_until;
    for (int i = program_.body(); i < static_cast<int>(nodes_.size()); ++i) {
      if (last_part_[i] == part_[i]) continue;
      std::size_t s = 0;
      while (s < busy_until.size() && busy_until[s] >= part_[i]) ++s;
      if (s == busy_until.size()) busy_until.push_back(0);
      busy_until[s] = last_part_[i];
      slot_[i] = static_cast<int>(s);
    }
    return static_cast<int>(busy_until.size());
  }

  /// Angle k and the next two: the processor then always has some work at hand that waits for nothing.
  void turn_up_to(std::size_t k) {
    if (dialect_.turn.empty()) return;
    for (; turned_ < std::min(k + 3, angle_of_.size()); ++turned_)
      out_ += "  " + filled(dialect_.turn, "$K", std::to_string(turned_)) + ";\n";
  }

  std::string part(int p, int first, int last) {
    out_.clear();
    text_.assign(nodes_.size(), {});
    for (int i = p == 0 ? 0 : first; i < last; ++i) {
      if (!leaf(i)) define(i);
      for (const auto& [port, element] : results_of_[i]) write_result(port, element);
    }
    return out_;
  }

  void write_result(std::size_t k, std::size_t e) {
    const Ref r = program_.results()[k][e];
    const std::string pointer = "out_" + program_.outputs()[k].name;
    out_ += "  " + filled(filled(dialect_.store, "$P", pointer), "$E", std::to_string(e)) + (r.negative ? "-" : "") +
            argument(r.node) + ";\n";
  }

  /// Gives node i a text; a statement too, unless the text is short and used once.
  void define(int i) {
    text_[i] = expression(i);
    const bool once = uses_[i] == 1 && slot_[i] < 0;
    if (once && text_[i].text.size() <= longest_expression) return;
    const std::string name = "t" + std::to_string(i);
    out_ += "  const " + dialect_.scalar + " " + name + " = " + text_[i].text + ";\n";
    if (slot_[i] >= 0) out_ += "  kept[" + std::to_string(slot_[i]) + "] = " + name + ";\n";
    text_[i] = {name, TextLevel::atom};
  }

  ExpressionText expression(int i) {
    const Node& n = nodes_[i];
    count(n.op, counts_);
    switch (n.op) {
      case Op::add: {
        const ExpressionText a = value(n.a.negative ? n.b.node : n.a.node), b = value(n.a.negative ? n.a.node : n.b.node);
        return sum_text(a, n.a.negative || n.b.negative, b);
      }
      case Op::mul:
      case Op::div: {
        const ExpressionText a = value(n.a.node), b = value(n.b.node);
        return product_text(a, n.op, b);
      }
      case Op::sqrt: return {dialect_.sqrt + "(" + (n.a.negative ? "-" : "") + atom(n.a.node) + ")", TextLevel::atom};
      case Op::sin: return {dialect_.sin + "(" + value(n.a.node).text + ")", TextLevel::atom};
      case Op::cos: return {dialect_.cos + "(" + value(n.a.node).text + ")", TextLevel::atom};
      case Op::abs: return {dialect_.abs + "(" + argument(n.a.node) + ")", TextLevel::atom};
      case Op::min: return {dialect_.min + "(" + argument(n.a.node) + ", " + argument(n.b.node) + ")", TextLevel::atom};
      case Op::constant:
      case Op::input: break;
    }
    return {};
  }

  /// A whole value of the dialect's type.
  std::string argument(int i) {
    return nodes_[i].op == Op::constant ? filled(dialect_.constant, "$C", literal(nodes_[i].value)) : value(i).text;
  }

  std::string atom(int i) {
    const ExpressionText t = value(i);
    return t.level == TextLevel::atom ? t.text : "(" + t.text + ")";
  }

  /// The text of an operand; what comes from outside this function is read at its first use.
  ExpressionText value(int i) {
    if (!text_[i].text.empty()) return text_[i];
    const Node& n = nodes_[i];
    const std::string begin = "  const " + dialect_.scalar + " ";
    if (n.op == Op::constant) return text_[i] = {filled(dialect_.factor, "$C", literal(n.value)), TextLevel::atom};
    if (n.op == Op::input) {
      const std::string& port = program_.inputs()[n.port].name;
      const std::string element = std::to_string(n.element), name = port + "_" + element;
      out_ += begin + name + " = " + filled(filled(dialect_.load, "$P", "in_" + port), "$E", element) + ";\n";
      return text_[i] = {name, TextLevel::atom};
    }
    if (leaf(i) && (n.op == Op::sin || n.op == Op::cos)) {
      const auto k = std::find(angle_of_.begin(), angle_of_.end(), n.a.node) - angle_of_.begin();
      turn_up_to(static_cast<std::size_t>(k));
      return text_[i] = {(n.op == Op::sin ? "sine[" : "cosine[") + std::to_string(k) + "]", TextLevel::atom};
    }
    if (leaf(i)) {  // part of an angle: cheap enough to be made again
      define(i);
      return text_[i];
    }
    const std::string name = "t" + std::to_string(i);
    out_ += begin + name + " = kept[" + std::to_string(slot_[i]) + "];\n";
    return text_[i] = {name, TextLevel::atom};
  }

  const Program& program_;
  const std::vector<Node>& nodes_;
  const Dialect& dialect_;
  std::vector<int> uses_, part_, last_part_, slot_, starts_, angle_of_;
  std::size_t turned_ = 0;                                                    // angles whose sine and cosine the text has made
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> results_of_;  // port and element of each that a node is
  std::vector<ExpressionText> text_;
  std::string out_;
  OperationCounts counts_;
};

}  // namespace

std::string array(const std::string& type, const std::string& name, std::size_t n) {
  return "  " + type + " " + name + (n > 0 ? "[" + std::to_string(n) + "];\n" : "[1] = {0};\n");  // passed on, never read
}

std::string literal(double x) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, x).ptr;
  std::string text(buffer, end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

Statements emit_statements(const Program& program, const Dialect& dialect, int largest_part, const ResultSources& sources) {
  return Writer(program, dialect, sources).statements(largest_part);
}

Statements emit_angles(const Program& program, const Dialect& dialect) { return Writer(program, dialect).angles(); }

}  // namespace sparsedyn
