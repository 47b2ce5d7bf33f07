#include "cross_validation.hpp"

#include <cmath>
#include <limits>

#include "log_fit.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn {
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

}  // namespace sparsedyn
