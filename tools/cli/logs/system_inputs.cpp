#include "system_inputs.hpp"

#include "cli/logs/algorithm_inputs.hpp"
#include "cli/support/options.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn::cli {

SystemInputs::SystemInputs(const System& system, CsvReader& log, const CommonOptions& common, bool gaps)
    : model_(system.model()), columns_(log) {
  const std::vector<Input>& inputs = system.inputs();
  ColumnMap map = column_map(model_, inputs, [&](const std::string& column) { return log.has(column); });
  for (const std::string& column : map.q) columns_.need_if_named(column, 0);
  for (const std::string& column : map.v) columns_.need_if_named(column, 0);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const std::string& column = map.y[k];
    columns_.need_if_named(column, inputs[k].fallback);
    found_.push_back(!column.empty());
    if (column.empty() || !may_be_missing(system, inputs[k], column)) continue;
    columns_.take_gap_words();
    if (gaps) columns_.allow_gap();
  }
  columns_.check(model_, map.missing);
  for (const std::vector<std::string>& names : map.taken_as_zero) columns_.warn_of_fallback(names, common);
  stand_ins_ = sparsedyn::stand_ins(system, map.y);
  if (!stand_ins_.empty() && common.no_stand_in)
    throw InputError(log.path(), log.header_line(), "header", stand_ins_text(stand_ins_),
                     "the readings themselves (--no-stand-in)");
  read_from_ = std::move(map.y), whole_motion_missing_ = std::move(map.whole_motion_missing);
}

/// A measurement's own column, or one that stands in for it where it has noise.
bool SystemInputs::may_be_missing(const System& system, const Input& input, const std::string& column) {
  return column.compare(0, 2, "y.") == 0 || is_noisy(system, input);
}

bool SystemInputs::read() {
  if (!columns_.read()) {
    why_ = columns_.why();
    return false;
  }
  return normalise_quaternions(model_, columns_.values().data(), why_);
}

std::vector<std::string> log_header(const System& system) {
  std::vector<std::string> names = with_prefix("q", coordinate_names(system.model()));
  for (const std::string& name : with_prefix("dq", velocity_names(system.model()))) names.push_back(name);
  for (const Input& input : system.inputs()) names.push_back(input.columns.front());
  return names;
}

}  // namespace sparsedyn::cli
