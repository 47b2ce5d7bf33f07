// Decimal numbers as text, free of the locale.
#pragma once

#include <string>
#include <string_view>

namespace sparsedyn {

enum class NumberText { number, not_a_number, too_large };

/// Reads the whole of `text` as XML Schema's double without INF and NaN: a sign or none, digits with a point or none, an
/// exponent or none; no hexadecimals, no blanks, no separators. What is too small becomes zero; what is too large is
/// reported and, like text that is no number, leaves `value` alone.
NumberText read_number(std::string_view text, double& value) noexcept;

/// The shortest text that reads back as the same number.
std::string number_text(double value);

}  // namespace sparsedyn
