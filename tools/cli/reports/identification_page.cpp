#include "identification_page.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/figure.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "units.hpp"

namespace sparsedyn::cli {
namespace {

constexpr std::size_t most_samples = 800, bins = 40;
constexpr double reach_of_bins = 5;  // deviations

std::string four_digits(double x) { return report::number(x, 4); }

}  // namespace

IdentificationPage::IdentificationPage(const Model& model, const Model& fitted, const std::vector<double>& before,
                                       const Identification& found)
    : model_(model),
      fitted_(fitted),
      before_(before),
      found_(found),
      work_(model),
      tau_before_(static_cast<std::size_t>(model.nv)),
      tau_after_(tau_before_),
      with_(tau_before_),
      without_(tau_before_),
      counts_(tau_before_.size(), std::vector<long>(bins, 0)) {}

/// Y π − Σ Jᵀ fx, where what wrenches take is the same for all π.
void IdentificationPage::torques(const Model& model, const State& s, const std::vector<double>& pi, std::vector<double>& tau) {
  regressor_times(model, work_, s.q, s.v, s.a, pi.data(), tau.data());
  if (!s.fx) return;
  rnea(model, work_.dynamics, s.q, s.v, s.a, s.fx, with_.data());
  rnea(model, work_.dynamics, s.q, s.v, s.a, static_cast<const Force<double>*>(nullptr), without_.data());
  for (std::size_t i = 0; i < tau.size(); ++i) tau[i] += with_[i] - without_[i];
}

void IdentificationPage::add(const State& sample, double time) {
  torques(model_, sample, before_, tau_before_), torques(fitted_, sample, found_.value, tau_after_);
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
  report::Thinned rows(6, most_samples);  // measured, after the fit, its band, errors before and after
  std::vector<std::pair<double, double>> against_velocity;
  for (const Kept& sample : kept_) {
    const double tau = sample.measured[i], after = sample.after[i], reach = 2 * found_.sigma[i];
    const double row[] = {tau, after, after - reach, after + reach, tau - sample.before[i], tau - after};
    rows.add(sample.time, row);
    against_velocity.emplace_back(sample.velocity[i], tau - after);
  }
  const std::string unit = unit_of(model_, name);
  const report::TimePlot torque{"torque", "time (s)", unit, rows, {{"after the fit", 1, 0}, {"measured", 0, 1}},
                                2,        3,          {},   {},   {}};
  const report::TimePlot error{"error", "time (s)", unit, rows, {{"after", 5, 0}, {"before", 4, 3}}, -1, -1, {0}, {}, {}};
  return report::section(
      name, report::beside(
                {report::time_plot(torque), report::time_plot(error),
                 report::scatter_plot({"after the fit, against velocity", unit == "N" ? "velocity (m/s)" : "velocity (rad/s)",
                                       unit, false, false},
                                      against_velocity),
                 report::histogram({"after the fit, in deviations", "σ (dashed: normal distribution)", "rows", false, false},
                                   reach_of_bins, counts_[i])}));
}

std::string IdentificationPage::parameter_table() const {
  std::vector<std::vector<std::string>> rows{{"parameter", "robot's file", "found", "± 2σ", "determined"}};
  std::vector<std::string> names = parameter_names(model_);
  for (std::size_t k = 0; k < names.size(); ++k)
    rows.push_back({report::escaped(names[k]), four_digits(before_[k]), four_digits(found_.value[k]),
                    found_.sd[k] > 0 ? four_digits(2 * found_.sd[k]) : "not fitted", found_.determined[k] ? "yes" : "no"});
  for (const Joint& joint : model_.joints) {
    const auto v = static_cast<std::size_t>(joint.v);
    if (found_.smoothing.empty() || joint.nv != 1) continue;
    names.push_back(joint.name + ".smoothing");
    rows.push_back({report::escaped(names.back()), four_digits(smoothing_of(model_, joint.v)), four_digits(found_.smoothing[v]),
                    four_digits(2 * found_.smoothing_sd[v]), found_.smoothing_determined[v] ? "yes" : "no"});
  }
  std::vector<std::vector<std::string>> base{{"base parameter", "found", "± 2σ"}};
  for (std::size_t k = 0; k < found_.base_value.size(); ++k)
    base.push_back({report::escaped(found_.base.expression(static_cast<int>(k), names)), four_digits(found_.base_value[k]),
                    four_digits(2 * found_.base_sd[k])});
  return report::section("Parameters", report::table(rows)) + report::section("Base parameters", report::table(base));
}

std::string IdentificationPage::html(const std::string& title, const std::string& summary) const {
  const std::string lead = "What the torques of " + report::grouped(samples_) + " rows of logs tell of <b>" +
                           report::escaped(model_.name) + "</b>: " + std::to_string(found_.rank) + " of " +
                           std::to_string(found_.base_value.size()) + " base parameters.";
  std::string body =
      report::console(summary) + "<p>Rank " + std::to_string(found_.rank) + " of " + std::to_string(found_.base_value.size()) +
      " base parameters, condition " + four_digits(found_.condition) + ", chi-square a freedom " +
      four_digits(found_.chi_square) + ", " + std::to_string(samples_) +
      " rows of logs. Logs follow each other over time.</p>\n" +
      report::time_key({{"after the fit", 0, 0}, {"measured", 0, 1}, {"error before the fit", 0, 3}}, "± 2σ of the noise");
  const std::vector<std::string> names = force_names(model_);
  for (std::size_t i = 0; i < names.size(); ++i) body += of_torque(i, "tau." + names[i]);
  return report::page(title, lead, body + parameter_table());
}

}  // namespace sparsedyn::cli
