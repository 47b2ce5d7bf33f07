#include "estimate_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "band_plot.hpp"
#include "io/number.hpp"
#include "sparsedyn/report/page.hpp"

namespace sparsedyn::cli {
namespace {

constexpr std::size_t most_rows = 800, most_plots = 60;

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

int place(const std::vector<std::string>& columns, const std::string& name) {
  const auto at = std::find(columns.begin(), columns.end(), name);
  return at == columns.end() ? -1 : static_cast<int>(at - columns.begin());
}

}  // namespace

EstimateReport::EstimateReport(CsvReader& log, const std::vector<std::string>& columns, bool timed,
                               const std::function<bool(const std::string&)>& is_input)
    : log_(log), timed_(timed) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string& name = columns[c];
    if (name == "chi2" || name.rfind("sd.", 0) == 0 || name.rfind("innovation.", 0) == 0) continue;
    const int slot = log.has(name) && !is_input(name) ? log.ask(name) : -1;
    quantities_.push_back({name, static_cast<int>(c), place(columns, "sd." + name), slot});
  }
}

void EstimateReport::read(std::vector<double>& truth) const {
  truth.clear();
  for (const Quantity& quantity : quantities_)
    truth.push_back(quantity.truth < 0 ? std::numeric_limits<double>::quiet_NaN() : log_.value(quantity.truth));
}

void EstimateReport::add(const double* results, const std::vector<double>& truth, const std::string& time) {
  for (std::size_t k = 0; k < quantities_.size(); ++k) {
    Quantity& quantity = quantities_[k];
    const double error = results[quantity.result] - truth[k];
    if (!std::isfinite(error)) continue;
    quantity.squares += error * error, ++quantity.compared;
    if (quantity.deviation >= 0) quantity.covered += std::abs(error) <= 2 * results[quantity.deviation];
  }
  if (rows_++ % stride_ == 0) keep(results, truth, time);
}

/// Every stride-th row; when the page is full, every other row of it goes and the stride doubles.
void EstimateReport::keep(const double* results, const std::vector<double>& truth, const std::string& time) {
  double at = static_cast<double>(rows_ - 1);
  if (timed_) read_number(time, at);
  time_.push_back(at);
  std::vector<double> row;
  for (std::size_t k = 0; k < quantities_.size(); ++k) {
    const Quantity& quantity = quantities_[k];
    row.push_back(results[quantity.result]);
    row.push_back(quantity.deviation < 0 ? std::numeric_limits<double>::quiet_NaN() : results[quantity.deviation]);
    row.push_back(truth[k]);
  }
  kept_.push_back(std::move(row));
  if (kept_.size() < most_rows) return;
  for (std::size_t k = 0; 2 * k < kept_.size(); ++k) time_[k] = time_[2 * k], kept_[k] = kept_[2 * k];
  time_.resize((kept_.size() + 1) / 2), kept_.resize(time_.size());
  stride_ *= 2;
}

std::string EstimateReport::table() const {
  std::vector<std::vector<std::string>> rows{{"output", "rows compared", "rms of the error", "errors within 2σ"}};
  for (const Quantity& quantity : quantities_) {
    const double compared = static_cast<double>(quantity.compared);
    rows.push_back({report::escaped(quantity.name), std::to_string(quantity.compared),
                    quantity.compared ? number(std::sqrt(quantity.squares / compared)) : "",
                    quantity.compared && quantity.deviation >= 0
                        ? number(100 * static_cast<double>(quantity.covered) / compared) + " %"
                        : ""});
  }
  return report::table(rows);
}

std::string EstimateReport::plot(std::size_t k) const {
  BandPlot plot{quantities_[k].name, time_, {}, {}, {}};
  for (const std::vector<double>& row : kept_) {
    plot.estimate.push_back(row[3 * k]);
    if (quantities_[k].deviation >= 0) plot.deviation.push_back(row[3 * k + 1]);
    if (quantities_[k].truth >= 0) plot.truth.push_back(row[3 * k + 2]);
  }
  return svg(plot);
}

std::string EstimateReport::html(const std::string& title, const std::string& summary) const {
  std::vector<std::string> plots;
  for (std::size_t k = 0; k < quantities_.size() && k < most_plots; ++k) plots.push_back(plot(k));
  std::string body = "<pre>" + report::escaped(summary) + "</pre>\n" + table() +
                     report::section("Over " + std::string(timed_ ? "time (s)" : "the rows"),
                                     "<p>The <b style=\"color:#1f4f96\">estimate</b> in its band of "
                                     "<b style=\"background:#bcd4f0\">± 2σ</b> beside "
                                     "<b style=\"color:#d0542b\">what the log says it is</b>.</p>\n" +
                                         report::beside(plots));
  if (quantities_.size() > most_plots)
    body += "<p>" + std::to_string(quantities_.size() - most_plots) + " more outputs are not drawn.</p>\n";
  return report::page(title, body);
}

}  // namespace sparsedyn::cli
