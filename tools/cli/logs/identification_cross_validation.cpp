#include "identification_cross_validation.hpp"

#include <cmath>
#include <limits>

#include "cli/logs/identification_fit.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn::cli {
namespace {

void check_rows(RowInformation& others, const std::string& left_out) {
  const int i = row_with_too_few_samples(others);
  if (i < 0) return;
  const RowInformation::Factor& factor = others.factors()[static_cast<std::size_t>(i)];
  throw InputError(
      left_out, 0, "cross-validation",
      std::to_string(factor.rows) + " rows of " + others.names()[static_cast<std::size_t>(i)] + " in the other logs",
      "more than the " + std::to_string(factor.order()) + " parameters that it depends on");
}

/// Over the rows of all logs.
std::vector<double> together(const CrossValidation& x, const std::vector<std::unique_ptr<RowInformation>>& alone) {
  std::vector<double> rms;
  for (std::size_t i = 0; i < alone.front()->factors().size(); ++i) {
    double squares = 0, rows = 0;
    for (std::size_t l = 0; l < alone.size(); ++l) {
      const auto count = static_cast<double>(alone[l]->factors()[i].rows);
      if (std::isfinite(x.by_log[l][i])) squares += count * x.by_log[l][i] * x.by_log[l][i], rows += count;
    }
    rms.push_back(rows > 0 ? std::sqrt(squares / rows) : std::numeric_limits<double>::quiet_NaN());
  }
  return rms;
}

}  // namespace

CrossValidation cross_validate(const std::vector<SeparateLog>& logs,
                               const std::function<std::unique_ptr<RowInformation>()>& empty, const PassOptions& options) {
  std::vector<std::unique_ptr<RowInformation>> alone;
  for (const SeparateLog& log : logs) log.read(*alone.emplace_back(empty()));
  CrossValidation x;
  for (std::size_t left_out = 0; left_out < logs.size(); ++left_out) {
    const std::unique_ptr<RowInformation> others = empty(), held = empty();
    for (std::size_t l = 0; l < logs.size(); ++l) (l == left_out ? held : others)->merge(*alone[l]);
    check_rows(*others, logs[left_out].name);
    const auto read_others = [&] {
      for (std::size_t l = 0; l < logs.size(); ++l)
        if (l != left_out) logs[l].read(*others);
    };
    const std::string name = "without " + logs[left_out].name;
    const ReadLogs apart{*held, [&] { logs[left_out].read(*held); }, logs[left_out].name};
    const LogFit fit = fit_logs({*others, read_others, name}, &apart, options);
    if (!fit.found.settled) x.warnings.push_back(name + ": " + std::to_string(fit.found.passes) + " passes did not settle");
    x.logs.push_back(logs[left_out].name), x.by_log.push_back(fit.rms.holdout_after);
  }
  x.rms = together(x, alone);
  return x;
}

Json cross_validation_json(const CrossValidation& x, const std::vector<std::string>& rows) {
  Json logs = Json::array();
  for (std::size_t l = 0; l < x.logs.size(); ++l) logs.push_back({{"log", x.logs[l]}, {"rms", by_row(rows, x.by_log[l])}});
  return {{"rms", by_row(rows, x.rms)}, {"logs", logs}};
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

}  // namespace sparsedyn::cli
