#include "fit_words.hpp"

#include <algorithm>

#include "fitted_parameters.hpp"
#include "io/text/aligned.hpp"
#include "model/names/units.hpp"

namespace sparsedyn {
namespace {

/// Torques are named by their freedom, other readings by their component: y.SENSOR.fx.
std::string unit_of_row(const Model& model, const std::string& row) {
  const std::vector<std::string> torques = force_names(model);
  return unit_of(model, (std::count(torques.begin(), torques.end(), row) ? "tau." : "f.") + row);
}

}  // namespace

std::string identification_text(const Model& model, const Identification& x, const TorqueErrors& rms,
                                const std::vector<std::string>& rows) {
  auto determined = std::count(x.determined.begin(), x.determined.end(), 1);
  std::size_t parameters = x.value.size();
  for (const ShapeNumber& each : shape_numbers(model, x)) determined += each.determined, parameters += each.sd > 0;
  std::string text = "identify: " + std::to_string(determined) + " of " + std::to_string(parameters) +
                     " parameters determined; rank " + std::to_string(x.rank) + " of " + std::to_string(x.base_value.size()) +
                     " base parameters, condition " + three_digits(x.condition) +
                     (x.passes > 1 ? ", " + std::to_string(x.passes) + " passes" : std::string()) +
                     (x.settled ? "" : " (not settled)") + "\n\ntorques' rms error, before -> after" +
                     (rms.holdout_after.empty() ? "" : "; held out, before -> after") +
                     (x.outliers.empty() ? "" : "; rows beyond 5 deviations") + "\n";
  std::vector<std::vector<std::string>> lines;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    lines.push_back(
        {rows[i] + ":", three_digits(rms.before[i]), "->", three_digits(rms.after[i]), unit_of_row(model, rows[i])});
    if (!rms.holdout_after.empty())
      lines.back().insert(lines.back().end(),
                          {";", three_digits(rms.holdout_before[i]), "->", three_digits(rms.holdout_after[i])});
    if (!x.outliers.empty()) lines.back().insert(lines.back().end(), {";", std::to_string(x.outliers[i])});
  }
  text += aligned(lines, "lrlrllrlrlr", "  ", " ");
  return text;
}

std::string cross_validation_text(const CrossValidation& x, const std::vector<std::string>& rows) {
  const auto line = [&](const std::string& title, const std::vector<double>& rms) {
    std::string text = "  " + title + ":";
    for (std::size_t i = 0; i < rows.size(); ++i) text += (i ? ", " : " ") + rows[i] + " " + three_digits(rms[i]);
    return text + "\n";
  };
  std::string text = "\neach log left out in its turn, rms error of what the others say\n";
  for (std::size_t l = 0; l < x.logs.size(); ++l) text += line(x.logs[l], x.by_log[l]);
  return text + line("all", x.rms);
}

}  // namespace sparsedyn
