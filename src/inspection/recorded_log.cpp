#include "recorded_log.hpp"

#include <cmath>

#include "io/csv_reader.hpp"

namespace sparsedyn {
namespace {

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
    } else {
      log.others.push_back(column);
    }
  log.values.resize(slots.size());
  while ((most == 0 || static_cast<long>(log.lines.size()) < most) && reader.next()) {
    log.lines.push_back(reader.line());
    for (std::size_t c = 0; c < slots.size(); ++c)
      log.values[c].push_back(reader.state(slots[c]) == CellState::number ? reader.value(slots[c]) : std::nan(""));
  }
  return log;
}

}  // namespace sparsedyn
