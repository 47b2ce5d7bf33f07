#include "identification_page.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "band_plot.hpp"
#include "error_plots.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/report/page.hpp"

namespace sparsedyn::cli {
namespace {

constexpr std::size_t most_samples = 800, bins = 40;
constexpr double reach_of_bins = 5;  // deviations

std::string four_digits(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return std::isfinite(x) ? text : "";
}

}  // namespace

IdentificationPage::IdentificationPage(const Model& model, const std::vector<double>& before, const Identification& found)
    : model_(model),
      before_(before),
      found_(found),
      work_(model),
      tau_before_(static_cast<std::size_t>(model.nv)),
      tau_after_(tau_before_),
      with_(tau_before_),
      without_(tau_before_),
      counts_(tau_before_.size(), std::vector<long>(bins, 0)) {}

/// Y π − Σ Jᵀ fx, where what wrenches take is the same for all π.
void IdentificationPage::torques(const State& s, const std::vector<double>& pi, std::vector<double>& tau) {
  regressor_times(model_, work_, s.q, s.v, s.a, pi.data(), tau.data());
  if (!s.fx) return;
  rnea(model_, work_.dynamics, s.q, s.v, s.a, s.fx, with_.data());
  rnea(model_, work_.dynamics, s.q, s.v, s.a, static_cast<const Force<double>*>(nullptr), without_.data());
  for (std::size_t i = 0; i < tau.size(); ++i) tau[i] += with_[i] - without_[i];
}

void IdentificationPage::add(const State& sample, double time) {
  torques(sample, before_, tau_before_), torques(sample, found_.value, tau_after_);
  for (std::size_t i = 0; i < tau_after_.size(); ++i) {
    const double share = (sample.tau[i] - tau_after_[i]) / found_.sigma[i] / reach_of_bins;
    if (!std::isfinite(share)) continue;
    const double bin = 0.5 * (std::clamp(share, -1.0, 1.0) + 1) * static_cast<double>(bins);
    ++counts_[i][std::min(bins - 1, static_cast<std::size_t>(bin))];
  }
  if (new_log_) shift_ = last_ - time, new_log_ = false;
  last_ = time + shift_;
  if (samples_++ % stride_ == 0) keep(sample, last_);
}

/// Every stride-th sample; when the page is full, every other one of it goes and the stride doubles.
void IdentificationPage::keep(const State& s, double time) {
  kept_.push_back({time, {s.tau, s.tau + tau_after_.size()}, tau_before_, tau_after_, {s.v, s.v + tau_after_.size()}});
  if (kept_.size() < most_samples) return;
  for (std::size_t k = 1; 2 * k < kept_.size(); ++k) kept_[k] = std::move(kept_[2 * k]);
  kept_.resize((kept_.size() + 1) / 2);
  stride_ *= 2;
}

std::string IdentificationPage::of_torque(std::size_t i, const std::string& name) const {
  std::vector<double> time, measured, after, error_before, error_after;
  std::vector<std::pair<double, double>> against_velocity;
  for (const Kept& sample : kept_) {
    time.push_back(sample.time);
    measured.push_back(sample.measured[i]), after.push_back(sample.after[i]);
    error_before.push_back(sample.measured[i] - sample.before[i]), error_after.push_back(sample.measured[i] - sample.after[i]);
    against_velocity.emplace_back(sample.velocity[i], error_after.back());
  }
  const std::vector<double> deviation(time.size(), found_.sigma[i]);
  return report::section(name,
                         report::beside({svg(BandPlot{"torque", time, after, deviation, measured}),
                                         svg(BandPlot{"error", time, error_after, {}, error_before}),
                                         scatter_svg("error after the fit", "velocity", against_velocity),
                                         histogram_svg("error after the fit, in its deviations", reach_of_bins, counts_[i])}));
}

std::string IdentificationPage::parameter_table() const {
  std::vector<std::vector<std::string>> rows{{"parameter", "robot's file", "found", "± 2σ", "determined"}};
  const std::vector<std::string> names = parameter_names(model_);
  for (std::size_t k = 0; k < names.size(); ++k)
    rows.push_back({report::escaped(names[k]), four_digits(before_[k]), four_digits(found_.value[k]),
                    found_.sd[k] > 0 ? four_digits(2 * found_.sd[k]) : "not fitted", found_.determined[k] ? "yes" : "no"});
  std::vector<std::vector<std::string>> base{{"base parameter", "found", "± 2σ"}};
  for (std::size_t k = 0; k < found_.base_value.size(); ++k)
    base.push_back({report::escaped(found_.base.expression(static_cast<int>(k), names)), four_digits(found_.base_value[k]),
                    four_digits(2 * found_.base_sd[k])});
  return report::section("Parameters", report::table(rows)) + report::section("Base parameters", report::table(base));
}

std::string IdentificationPage::html(const std::string& title, const std::string& summary) const {
  std::string body =
      "<pre>" + report::escaped(summary) + "</pre>\n<p>Rank " + std::to_string(found_.rank) + " of " +
      std::to_string(found_.base_value.size()) + " base parameters, condition " + four_digits(found_.condition) +
      ", chi-square a freedom " + four_digits(found_.chi_square) + ", " + std::to_string(samples_) +
      " rows of logs.</p>\n<p>Torques: <b style=\"color:#d0542b\">measured</b>, <b style=\"color:#1f4f96\">after "
      "the fit</b> in its band of <b style=\"background:#bcd4f0\">± 2σ</b> of the noise. Errors: "
      "<b style=\"color:#d0542b\">before</b>, <b style=\"color:#1f4f96\">after</b>. Over time (s); logs follow each "
      "other.</p>\n";
  const std::vector<std::string> names = force_names(model_);
  for (std::size_t i = 0; i < names.size(); ++i) body += of_torque(i, "tau." + names[i]);
  return report::page(title, body + parameter_table());
}

}  // namespace sparsedyn::cli
