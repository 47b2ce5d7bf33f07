// A plan as the file that planning reads.
#pragma once

#include <optional>
#include <string>

#include "io/output_file.hpp"
#include "io/scratch_folder.hpp"

namespace sparsedyn::python {

/// There as long as this is. Throws InputError where it cannot be written.
class PlanFile {
 public:
  /// `text`: the plan's JSON; empty: no plan, and no file.
  explicit PlanFile(const std::string& text) {
    if (text.empty()) return;
    folder_.emplace("sparsedyn");
    path_ = *folder_ / "plan.json";
    write_scratch_file(path_, text);
  }
  /// Empty where there is no plan.
  const std::string& path() const { return path_; }

 private:
  std::optional<ScratchFolder> folder_;
  std::string path_;
};

}  // namespace sparsedyn::python
