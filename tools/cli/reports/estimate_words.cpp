#include "estimate_words.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

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

void EstimateWords::judge(const ChiSquare& of_rows, bool scaled) {
  of_log_ = {of_rows.sum, of_rows.expected - offsets_known()};
  scaled_ = scaled;
  noise_ = log_.faults().noise();
  faults_ = log_.faults().faults();
}

namespace {

Json json_of(const std::optional<bool>& answer) { return answer ? Json(*answer) : Json(); }

}  // namespace

void EstimateWords::add_chi_square(Json& summary) const {
  Json sensors = Json::object();
  for (const SensorNoise& of : noise_)
    sensors[system_.sensors().sensors[static_cast<std::size_t>(of.sensor)].name] = {
        {"sum", of.innovations.sum}, {"expected", of.innovations.expected}, {"trusted", json_of(of.agrees)}};
  summary["chi_square"] = {{"sum", of_log_.sum}, {"expected", of_log_.expected}};
  summary["sensors"] = sensors;
  summary["trusted"] = json_of(trusted(of_log_));
  if (scaled_) summary["sd_scale"] = scale();
}

std::string EstimateWords::chi_square_text() const {
  char line[240];
  std::snprintf(line, sizeof line, "chi-square %.4g where the stated noise makes %ld expected\n", of_log_.sum,
                of_log_.expected);
  std::string text = line;
  const double factor = deviation_scale(of_log_);
  if (!trusted(of_log_).value_or(true)) {
    std::snprintf(line, sizeof line,
                  scaled_ ? "  not by chance: the deviations hold for more noise than is stated, multiplied by %.3g\n"
                          : "  not by chance: the deviations are not to be trusted (--sd-scaled multiplies them by %.3g)\n",
                  factor);
    text += line;
  } else if (scaled_ && !trusted(of_log_)) {
    text += "  nothing tells the noise, so that deviations are as stated\n";
  } else if (scaled_) {
    std::snprintf(line, sizeof line, "  the deviations are multiplied by %.3g\n", factor);
    text += line;
  }
  return text + sensors_text();
}

std::string EstimateWords::sensors_text() const {
  std::vector<std::pair<double, const SensorNoise*>> rejected;
  for (const SensorNoise& of : noise_)
    if (!of.agrees.value_or(true)) rejected.push_back({of.innovations.sum / static_cast<double>(of.innovations.expected), &of});
  if (rejected.empty()) return "";
  std::stable_sort(rejected.begin(), rejected.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text =
      "  not what the stated noise makes expected, deviations that rest on it not to be trusted (squares of innovations):";
  char ratio[40];
  for (std::size_t k = 0; k < rejected.size(); ++k) {
    const auto& [times, of] = rejected[k];
    std::snprintf(ratio, sizeof ratio, " %.3g times", times);
    text += (k ? ", " : " ") + system_.sensors().sensors[static_cast<std::size_t>(of->sensor)].name + ratio;
    std::string columns;
    for (int row : of->rejected) columns += (columns.empty() ? "" : ", ") + column(row);
    if (k == 0 && !columns.empty()) text += " (" + columns + ")";
  }
  return text + "\n";
}

std::optional<bool> EstimateWords::offset_trusted(std::size_t offset) const {
  const int row = log_.offsets().taken_off.rows[offset];
  std::optional<bool> answer = trusted(of_log_);
  for (const Measurement& m : system_.measurements())
    if (row >= m.first_row && row < m.first_row + m.rows())
      for (const SensorNoise& of : noise_)
        if (of.sensor == m.sensor && !of.agrees.value_or(true)) answer = false;
  for (const ReadingFault& fault : faults_)
    if (fault.row == row && fault.kind == FaultKind::drift) answer = false;
  return answer;
}

Json EstimateWords::offsets_json() const {
  const SensorOffsets::Result& found = log_.offsets();
  Json json = Json::object();
  for (std::size_t k = 0; k < log_.offset_names().size(); ++k)
    json[log_.offset_names()[k]] = found.determined[k] ? Json{{"value", found.value[k]},
                                                              {"sd", scale() * found.standard_deviation[k]},
                                                              {"trusted", json_of(offset_trusted(k))}}
                                                       : Json();
  return json;
}

std::string EstimateWords::offsets_text() const {
  const SensorOffsets::Result& found = log_.offsets();
  std::string text;
  char line[160];
  for (std::size_t k = 0; k < log_.offset_names().size(); ++k) {
    if (found.determined[k])
      std::snprintf(line, sizeof line, ": offset %.6g, standard deviation %.2g%s\n", found.value[k],
                    scale() * found.standard_deviation[k], offset_trusted(k).value_or(true) ? "" : ", not to be trusted");
    text += "  " + log_.offset_names()[k] + (found.determined[k] ? line : ": offset undetermined\n");
  }
  return text;
}

Json EstimateWords::offsets_file(double scale) const {
  const SensorOffsets::Result& found = log_.offsets();
  const std::size_t n = log_.offset_names().size();
  Json offsets = Json::object(), columns = Json::array(), covariance = Json::array();
  for (std::size_t k = 0; k < n; ++k) {
    if (!found.determined[k]) continue;
    offsets[log_.offset_names()[k]] = {{"value", found.value[k]}, {"sd", scale * found.standard_deviation[k]}};
    columns.push_back(log_.offset_names()[k]);
    Json row = Json::array();
    for (std::size_t l = 0; l < n; ++l)
      if (found.determined[l]) row.push_back(scale * scale * found.taken_off.covariance[k * n + l]);
    covariance.push_back(row);
  }
  return {{"offsets", offsets}, {"columns", columns}, {"covariance", covariance}};
}

Json EstimateWords::outliers_json() const {
  Json worst = Json::array(), sensors = Json::array();
  for (const OutlierSample& sample : log_.faults().worst())
    worst.push_back({{"line", sample.line}, {"sensor", column(sample.row)}, {"chi_square", sample.chi_square}});
  for (const ReadingFault& fault : log_.faults().faults()) {
    Json& told = sensors.emplace_back(
        Json{{"sensor", column(fault.row)}, {"fault", fault_name(fault.kind)}, {"from_line", fault.from_line}});
    if (fault.kind != FaultKind::drift) continue;
    told["change"] = fault.change;
    for (int other : fault.or_else) told["or_else"].push_back(column(other));
  }
  return {{"rows", log_.faults().outliers()}, {"worst", worst}, {"sensors", sensors}};
}

std::string EstimateWords::drift_text(const ReadingFault& fault) const {
  char change[40];
  std::snprintf(change, sizeof change, "%.3g", fault.change);
  std::string text = "drifts: what it reads beside what the other sensors predict changes slowly, by " + std::string(change) +
                     " over the log, from line " + std::to_string(fault.from_line) + " on";
  for (std::size_t k = 0; k < fault.or_else.size(); ++k)
    text += (k == 0 ? "; or it is " : ", or ") + column(fault.or_else[k]) +
            (k + 1 < fault.or_else.size() ? "" : ": nothing tells them apart");
  return text + "\n";
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
      case FaultKind::drift: text += drift_text(fault); break;
    }
  }
  for (const auto& [row, samples] : log_.faults().often_off()) {
    const int off = row;
    const auto drifts = [&](const ReadingFault& fault) { return fault.row == off && fault.kind == FaultKind::drift; };
    const std::vector<ReadingFault> faults = log_.faults().faults();
    if (std::any_of(faults.begin(), faults.end(), drifts)) continue;  // that explains it
    text += "  " + column(row) + ": disagrees most in " + std::to_string(samples) +
            " of the outliers looked at; an offset (\"bias\": true) or a larger sigma may explain it\n";
  }
  return text;
}

}  // namespace sparsedyn::cli
