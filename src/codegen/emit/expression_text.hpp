// Texts of operations, with the brackets that keep their order of evaluation.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

constexpr std::size_t longest_expression = 96;  // characters, before it gets a name

/// `pattern` with each mark, a dollar and a letter, replaced by its text.
std::string filled(const std::string& pattern, std::initializer_list<std::pair<char, std::string>> texts);

/// How a language writes operations on $A and $B. The defaults are those of most languages.
struct Operators {
  std::string sum = "$A + $B", difference = "$A - $B", product = "$A * $B", quotient = "$A / $B", negative = "-$A";
  std::string brackets = "($A)";
};

const Operators& usual_operators();

/// What the text of an expression is to the operation around it.
enum class TextLevel { atom, product, sum };

struct ExpressionText {
  std::string text;
  TextLevel level = TextLevel::atom;
};

/// The text, in brackets unless its level is at most `highest`.
std::string within(const ExpressionText& a, TextLevel highest, const Operators& by);

ExpressionText sum_text(const ExpressionText& a, bool minus, const ExpressionText& b, const Operators& by = usual_operators());
/// op: mul or div.
ExpressionText product_text(const ExpressionText& a, Op op, const ExpressionText& b, const Operators& by = usual_operators());

}  // namespace sparsedyn
