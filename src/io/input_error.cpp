#include "sparsedyn/io/input_error.hpp"

#include "printable.hpp"

namespace sparsedyn {
namespace {

std::string message(const std::string& file, long line, const std::string& element, const std::string& found,
                    const std::string& expected) {
  std::string text = file + (line > 0 ? ":" + std::to_string(line) : "") + ": ";
  if (!element.empty()) text += with_short_names(element) + ": ";
  text += with_short_names(found);
  if (!expected.empty()) text += "; expected " + with_short_names(expected);
  return printable(text);
}

}  // namespace

InputError::InputError(const std::string& file, long line, const std::string& element, const std::string& found,
                       const std::string& expected)
    : std::runtime_error(message(file, line, element, found, expected)), file_(file), line_(line) {}

}  // namespace sparsedyn
