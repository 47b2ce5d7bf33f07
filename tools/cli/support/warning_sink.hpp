// Where warnings go in a program that is not the command line.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn::cli {

/// While it lives, warnings of this thread are kept in `heard` instead of standing on stderr.
class WarningSink {
 public:
  explicit WarningSink(std::vector<std::string>& heard);
  ~WarningSink();
  WarningSink(const WarningSink&) = delete;
  WarningSink& operator=(const WarningSink&) = delete;

 private:
  std::vector<std::string>* before_;
};

}  // namespace sparsedyn::cli
