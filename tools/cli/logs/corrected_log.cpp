#include "corrected_log.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn::cli {

CorrectedLog::CorrectedLog(const std::string& path, CsvReader& log, const std::vector<std::string>& read_from)
    : log_(log), out_(path) {
  log.keep_all();
  for (const std::string& column : log.columns()) {
    const auto found = std::find(read_from.begin(), read_from.end(), column);
    input_of_.push_back(found == read_from.end() ? -1 : static_cast<int>(found - read_from.begin()));
  }
  std::vector<std::string> header = log.columns();
  header.push_back("outlier");
  out_.header(header);
}

std::vector<std::string> CorrectedLog::cells() const { return {log_.cells().begin(), log_.cells().end()}; }

void CorrectedLog::add(const std::vector<std::string>& cells, const CorrectedReadings* corrected) {
  std::string outliers;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const int input = input_of_[c];
    if (input < 0 || !corrected || std::isnan(corrected->y[static_cast<std::size_t>(input)]))
      out_.raw(cells[c]);
    else
      out_.number(corrected->y[static_cast<std::size_t>(input)]);
    if (input >= 0 && corrected && corrected->is_outlier[static_cast<std::size_t>(input)])
      outliers += (outliers.empty() ? "" : " ") + log_.columns()[c];
  }
  out_.raw(outliers);
  out_.end_row();
}

}  // namespace sparsedyn::cli
