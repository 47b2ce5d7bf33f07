#include "comparison.hpp"

#include <cmath>
#include <cstdio>

#include "io/text/aligned.hpp"

namespace sparsedyn::cli {

Comparison::Comparison(CsvReader& log, const std::vector<std::string>& outputs,
                       const std::function<bool(const std::string&)>& is_input)
    : log_(log) {
  for (std::size_t k = 0; k < outputs.size(); ++k)
    if (!is_input(outputs[k]) && log.has(outputs[k])) {
      columns_.push_back({outputs[k], static_cast<int>(k), log.ask(outputs[k]), {}});
      if (outputs[k].compare(0, 2, "y.") == 0) log.take_gap_words(columns_.back().slot);
    }
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  quaternions_ = quaternions_among(names);
  found_.resize(names.size());
}

void Comparison::read(std::vector<double>& measured) const {
  measured.clear();
  for (const Column& column : columns_) measured.push_back(log_.value(column.slot));
}

void Comparison::add(const double* outputs, const std::vector<double>& measured) {
  for (std::size_t k = 0; k < columns_.size(); ++k) found_[k] = outputs[columns_[k].output];
  beside_ = measured;
  align_signs(quaternions_, found_.data(), beside_.data());
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const double difference = found_[k] - beside_[k];
    if (std::isfinite(difference)) columns_[k].differences.add(difference);
  }
}

Json Comparison::json() const {
  Json json = Json::object();
  for (const Column& column : columns_)
    json[column.name] = {{"rms", column.differences.rms()}, {"max", column.differences.largest()}};
  return json;
}

std::string Comparison::text(const std::string& title, const std::function<std::string(const std::string&)>& unit_of) const {
  if (columns_.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const Column& column : columns_) {
    char rms[40], largest[40];
    std::snprintf(rms, sizeof rms, "rms %.4g,", column.differences.rms());
    std::snprintf(largest, sizeof largest, "max %.4g", column.differences.largest());
    rows.push_back({column.name + ":", rms, largest, unit_of(column.name)});
  }
  return title + ":\n" + aligned(rows, "", "  ", " ");
}

}  // namespace sparsedyn::cli
