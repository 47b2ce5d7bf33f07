#include "recorded_log.hpp"

#include <cmath>
#include <filesystem>

#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "io/csv_reader.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn::cli {
namespace {

constexpr long rows_of_quick_inspection = 4000;

bool is_number_column(const std::string& name) {
  for (const std::string prefix : {"q.", "dq.", "ddq.", "tau.", "fx.", "y."})
    if (name.compare(0, prefix.size(), prefix) == 0) return true;
  return name == "time";
}

}  // namespace

RecordedLog recorded_log(const std::string& path, const std::string& name, long most) {
  CsvReader reader(path, name);
  RecordedLog log;
  log.name = name;
  std::vector<int> slots;
  for (const std::string& column : reader.columns())
    if (is_number_column(column)) {
      log.columns.push_back(column), slots.push_back(reader.ask(column));
      reader.take_gap_words(slots.back());
    }
  log.values.resize(slots.size());
  while ((most == 0 || static_cast<long>(log.lines.size()) < most) && reader.next()) {
    log.lines.push_back(reader.line());
    for (std::size_t c = 0; c < slots.size(); ++c)
      log.values[c].push_back(reader.state(slots[c]) == CellState::number ? reader.value(slots[c]) : std::nan(""));
  }
  return log;
}

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
