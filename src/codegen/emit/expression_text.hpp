// Texts of operations, with the brackets that keep their order of evaluation.
#pragma once

#include <string>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

constexpr std::size_t longest_expression = 96;  // characters, before it gets a name

/// What the text of an expression is to the operation around it.
enum class TextLevel { atom, product, sum };

struct ExpressionText {
  std::string text;
  TextLevel level = TextLevel::atom;
};

inline ExpressionText sum_text(const ExpressionText& a, bool minus, const ExpressionText& b) {
  return {a.text + (minus ? " - " : " + ") + (b.level == TextLevel::sum ? "(" + b.text + ")" : b.text), TextLevel::sum};
}

/// op: mul or div.
inline ExpressionText product_text(const ExpressionText& a, Op op, const ExpressionText& b) {
  return {(a.level == TextLevel::sum ? "(" + a.text + ")" : a.text) + (op == Op::mul ? " * " : " / ") +
              (b.level == TextLevel::atom ? b.text : "(" + b.text + ")"),
          TextLevel::product};
}

}  // namespace sparsedyn
