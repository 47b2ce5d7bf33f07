#include "quick_findings.hpp"

#include <filesystem>

#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "inspection/recorded_log.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn::cli {
namespace {

constexpr long rows_of_quick_inspection = 4000;

}  // namespace

void warn_of_quick_findings(const Model* model, const std::string& path, const CommonOptions& common) {
  std::error_code ignored;
  if (common.quiet || !std::filesystem::is_regular_file(path, ignored)) return;
  try {
    const RecordedLog log = recorded_log(path, path, rows_of_quick_inspection);
    for (const Finding& finding : model ? quick_inspection(*model, log) : quick_inspection(log))
      warn(common, path + ": " + finding_name(finding.kind) + ": " + listing(finding.columns) + ": " + finding.likely +
                       "? `sparsedyn inspect` shows the evidence");
  } catch (const InputError&) {
    // The command that reads the log says what is wrong with the file.
  }
}

}  // namespace sparsedyn::cli
