// What a page says was counted, beside what is counted now.
#pragma once

#include <string>

namespace sparsedyn::reproduce {

class Documented {
 public:
  /// page: relative to the source tree. Throws InputError where it cannot be read.
  explicit Documented(const std::string& page);

  /// The page must hold this line, or this part of one. Prints on stderr what it holds of the same beginning where it does not.
  void holds(const std::string& text);

  /// How many lines it did not hold.
  int missing() const { return missing_; }

 private:
  std::string page_, text_;
  int missing_ = 0;
};

}  // namespace sparsedyn::reproduce
