// A file that cannot be accepted: what() reads `FILE:LINE: ELEMENT: FOUND; expected EXPECTED`, one line without control
// characters, whatever the file and its name hold.
#pragma once

#include <stdexcept>
#include <string>

namespace sparsedyn {

/// A file that cannot be accepted: `FILE:LINE: ELEMENT: FOUND; expected EXPECTED`.
class InputError : public std::runtime_error {
 public:
  /// `line` counts from 1; 0 where no line exists (then the text reads `FILE: ELEMENT: …`). `element` may be empty.
  InputError(const std::string& file, long line, const std::string& element, const std::string& found,
             const std::string& expected);

  /// As given: the path, or what messages call the text.
  const std::string& file() const { return file_; }
  /// From 1, or 0.
  long line() const { return line_; }

 private:
  std::string file_;
  long line_;
};

}  // namespace sparsedyn
