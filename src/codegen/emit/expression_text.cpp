#include "expression_text.hpp"

namespace sparsedyn {

std::string filled(const std::string& pattern, std::initializer_list<std::pair<char, std::string>> texts) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::string* text = nullptr;
    if (pattern[i] == '$' && i + 1 < pattern.size())
      for (const auto& [mark, with] : texts)
        if (pattern[i + 1] == mark) text = &with;
    if (text)
      out += *text, ++i;
    else
      out += pattern[i];
  }
  return out;
}

const Operators& usual_operators() {
  static const Operators usual;
  return usual;
}

std::string within(const ExpressionText& a, TextLevel highest, const Operators& by) {
  return a.level <= highest ? a.text : filled(by.brackets, {{'A', a.text}});
}

ExpressionText sum_text(const ExpressionText& a, bool minus, const ExpressionText& b, const Operators& by) {
  return {filled(minus ? by.difference : by.sum, {{'A', a.text}, {'B', within(b, TextLevel::product, by)}}), TextLevel::sum};
}

ExpressionText product_text(const ExpressionText& a, Op op, const ExpressionText& b, const Operators& by) {
  const std::string left = within(a, TextLevel::product, by), right = within(b, TextLevel::atom, by);
  return {filled(op == Op::mul ? by.product : by.quotient, {{'A', left}, {'B', right}}), TextLevel::product};
}

}  // namespace sparsedyn
