#include "estimate_words.hpp"

#include <cstdio>

namespace sparsedyn::cli {

EstimateWords::EstimateWords(const System& system, const LogEstimator& log)
    : system_(system), log_(log), names_(system.equation_names()) {}

void EstimateWords::name_columns(const std::vector<std::string>& read_from) {
  for (const Measurement& m : system_.measurements())
    for (int k = 0; k < m.rows(); ++k)
      if (m.inputs[k] >= 0 && !read_from[m.inputs[k]].empty()) names_[m.first_row + k] = read_from[m.inputs[k]];
}

const std::string& EstimateWords::column(int row) const {
  static const std::string unknown = "unknown";
  return row < 0 ? unknown : names_[row];
}

long EstimateWords::offsets_known() const {
  const TakenOff& off = log_.offsets().taken_off;
  const std::size_t n = off.rows.size();
  return n == 0 ? 0 : static_cast<long>(n - off.open.size() / n);
}

Json EstimateWords::offsets_json() const {
  const SensorOffsets::Result& found = log_.offsets();
  Json json = Json::object();
  for (std::size_t k = 0; k < log_.offset_names().size(); ++k)
    json[log_.offset_names()[k]] =
        found.determined[k] ? Json{{"value", found.value[k]}, {"sd", found.standard_deviation[k]}} : Json();
  return json;
}

std::string EstimateWords::offsets_text() const {
  const SensorOffsets::Result& found = log_.offsets();
  std::string text;
  char line[160];
  for (std::size_t k = 0; k < log_.offset_names().size(); ++k) {
    if (found.determined[k])
      std::snprintf(line, sizeof line, ": offset %.6g, standard deviation %.2g\n", found.value[k], found.standard_deviation[k]);
    text += "  " + log_.offset_names()[k] + (found.determined[k] ? line : ": offset undetermined\n");
  }
  return text;
}

Json EstimateWords::offsets_file() const {
  const SensorOffsets::Result& found = log_.offsets();
  const std::size_t n = log_.offset_names().size();
  Json offsets = Json::object(), columns = Json::array(), covariance = Json::array();
  for (std::size_t k = 0; k < n; ++k) {
    if (!found.determined[k]) continue;
    offsets[log_.offset_names()[k]] = {{"value", found.value[k]}, {"sd", found.standard_deviation[k]}};
    columns.push_back(log_.offset_names()[k]);
    Json row = Json::array();
    for (std::size_t l = 0; l < n; ++l)
      if (found.determined[l]) row.push_back(found.taken_off.covariance[k * n + l]);
    covariance.push_back(row);
  }
  return {{"offsets", offsets}, {"columns", columns}, {"covariance", covariance}};
}

Json EstimateWords::outliers_json() const {
  Json worst = Json::array(), sensors = Json::array();
  for (const OutlierSample& sample : log_.faults().worst())
    worst.push_back({{"line", sample.line}, {"sensor", column(sample.row)}, {"chi_square", sample.chi_square}});
  for (const ReadingFault& fault : log_.faults().faults())
    sensors.push_back({{"sensor", column(fault.row)}, {"fault", fault_name(fault.kind)}, {"from_line", fault.from_line}});
  return {{"rows", log_.faults().outliers()}, {"worst", worst}, {"sensors", sensors}};
}

std::string EstimateWords::outliers_text() const {
  std::string text;
  char line[160];
  const std::vector<OutlierSample> worst = log_.faults().worst();
  if (!worst.empty()) {
    std::snprintf(line, sizeof line,
                  "outliers (chi-square beyond what noise reaches in one row of a million): %ld of the rows\n",
                  log_.faults().outliers());
    text += line;
  }
  for (std::size_t k = 0; k < worst.size() && k < 3; ++k) {
    std::snprintf(line, sizeof line, "  line %ld: chi-square %.4g, ", worst[k].line, worst[k].chi_square);
    text += line + column(worst[k].row) + " disagrees most\n";
  }
  for (const ReadingFault& fault : log_.faults().faults()) {
    const std::string from = " from line " + std::to_string(fault.from_line) + " on",
                      rows = " (rows: " + std::to_string(fault.samples) + ")\n";
    text += "  " + column(fault.row) + ": ";
    switch (fault.kind) {
      case FaultKind::stuck: text += "stuck: repeats one value" + from + rows; break;
      case FaultKind::saturated: text += "saturated: the other sensors predict beyond its extreme value" + from + rows; break;
      case FaultKind::sign: text += "its sign seems swapped: it reads the negative of what the other sensors predict\n"; break;
      case FaultKind::spikes: text += "spikes" + from + rows; break;
    }
  }
  for (const auto& [row, samples] : log_.faults().often_off())
    text += "  " + column(row) + ": disagrees most in " + std::to_string(samples) +
            " of the outliers looked at; an offset (\"bias\": true) or a larger sigma may explain it\n";
  return text;
}

}  // namespace sparsedyn::cli
