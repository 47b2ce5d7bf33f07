#include "log_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "io/suggestions.hpp"

namespace sparsedyn {
namespace {

/// Rows of a floating base that are no measurement: these parameters give them to nine digits, though not the joints' torques.
std::vector<int> computed_base_rows(RowInformation& information, const std::vector<double>& pi) {
  if (!information.model().floating()) return {};
  std::vector<int> base;
  bool joints_measured = false;
  for (std::size_t i = 0; i < information.factors().size(); ++i) {
    const RowInformation::Factor& factor = information.factors()[i];
    if (factor.rows == 0 || factor.freedom < 0) continue;
    double squares = 0;
    for (int r = 0; r <= factor.order(); ++r) squares += factor.entry(r, factor.order()) * factor.entry(r, factor.order());
    const double share = squares > 0 ? std::sqrt(information.squares(static_cast<int>(i), pi) / squares) : 1;
    if (factor.freedom >= 6)
      joints_measured = joints_measured || share > 1e-6;
    else if (share < 1e-9)
      base.push_back(static_cast<int>(i));
  }
  return joints_measured ? base : std::vector<int>();
}

/// Leaves out a base's rows that were computed, not measured: they would flatter the fit.
std::vector<int> leave_out_computed(const ReadLogs& logs, const std::string& by, const std::vector<double>& pi,
                                    std::vector<std::string>& warnings) {
  const std::vector<int> rows = computed_base_rows(logs.information, pi);
  std::vector<std::string> names;
  for (int i : rows) {
    logs.information.leave_out(i);
    names.push_back(logs.information.names()[static_cast<std::size_t>(i)]);
  }
  if (!rows.empty())
    warnings.push_back(logs.name + ": tau." + listing(names) + ": what " + by +
                       " gives, though not the joints' torques: computed, not measured, and left out");
  return rows;
}

/// Names the freedoms whose friction's shape was asked for and is not fitted, and what was not fitted to.
void tell_unfitted(RowInformation& information, const PassOptions& options, LogFit& fit) {
  std::vector<char> seen(static_cast<std::size_t>(information.model().nv), 0);
  for (std::size_t i = 0; i < information.factors().size(); ++i) {
    const RowInformation::Factor& factor = information.factors()[i];
    if (factor.rows == 0) fit.found.sigma[i] = std::numeric_limits<double>::quiet_NaN();
    if (factor.rows > 0 && factor.freedom >= 0) seen[static_cast<std::size_t>(factor.freedom)] = 1;
  }
  const auto warn_of = [&](const std::vector<char>& asked, const char* what) {
    std::vector<std::string> names;
    for (std::size_t v = 0; v < asked.size(); ++v)
      if (asked[v] && !seen[v]) names.push_back(velocity_names(information.model())[v]);
    if (!names.empty())
      fit.warnings.push_back("identify: " + listing(names) + ": no torque that is measured by itself, so " + what +
                             " not fitted");
  };
  warn_of(options.smoothing, "friction's smoothing velocity is");
  warn_of(options.stribeck, "what sliding takes from friction is");
}

/// Says where the fit leaves more than noise explains: by the prior, and the one that would do; or whatever the prior.
void tell_rejected(const RowInformation& information, double prior, LogFit& fit) {
  const Identification& x = fit.found;
  const auto is_overruled = [&](int i) { return std::count(x.overruled.begin(), x.overruled.end(), i) > 0; };
  std::vector<std::string> overruled, others;
  for (int i : x.rejected)
    (is_overruled(i) ? overruled : others)
        .push_back(information.names()[static_cast<std::size_t>(i)] + " (" +
                   three_digits(x.beside_least_squares[static_cast<std::size_t>(i)]) + ")");
  const char* const errors =
      ": errors so many times what noise explains (as stated, or left by least squares of that row alone); ";
  if (!overruled.empty())
    fit.warnings.push_back(
        "identify: " + listing(overruled) + errors + "the prior of " + three_digits(prior) + " overrules them" +
        (std::isfinite(x.sufficient_prior) ? ": a prior of " + three_digits(x.sufficient_prior) + " would do" : std::string()));
  if (!others.empty())
    fit.warnings.push_back("identify: " + listing(others) + errors +
                           "no prior would do: no bodies that can exist, with joints that only take energy, explain them");
}

/// Names parameters that lie far outside of what the prior holds for likely: those of bodies, and those of joints.
void tell_overrun(const Model& model, double prior, LogFit& fit) {
  constexpr std::size_t most_named = 4;
  const Identification& x = fit.found;
  const std::vector<std::string> names = parameter_names(model);
  const auto of_bodies = static_cast<int>(10 * model.joints.size());
  for (const bool bodies : {true, false}) {
    std::vector<std::string> far;
    std::size_t more = 0;
    for (std::size_t k = 0; k < x.overrun.size(); ++k) {
      if ((x.overrun[k] < of_bodies) != bodies) continue;
      if (far.size() == most_named) ++more;
      if (far.size() < most_named)
        far.push_back(names[static_cast<std::size_t>(x.overrun[k])] + " (" + three_digits(x.overrun_deviations[k]) +
                      ", which pulls it by " + three_digits(x.overrun_pull[k]) + " of its own)");
    }
    if (far.empty()) continue;
    fit.warnings.push_back(
        "identify: the prior is overrun: " + listing(far) + (more ? " and " + std::to_string(more) + " more" : std::string()) +
        " of the prior's deviations from the robot's file, so that the parameters of " + (bodies ? "bodies" : "joints") +
        " are off by more than their deviations; " +
        (!bodies ? std::string("a joint's prior is 1 in SI units, which no --prior widens: state it in --joints")
         : std::isfinite(x.prior_not_overrun)
             ? "--prior " + three_digits(x.prior_not_overrun) + " would do (it was " + three_digits(prior) + ")"
             : std::string("no --prior would do")));
  }
}

/// Errors of the rows held out: of the robot's file, and of the fit with its friction.
void hold_out(const ReadLogs& held, const std::vector<double>& urdf, LogFit& fit) {
  const Identification& x = fit.found;
  std::vector<int> computed = leave_out_computed(held, "the robot's file", urdf, fit.warnings);
  fit.rms.holdout_before = torque_rms(held.information, urdf);
  if (!x.friction.empty()) {
    held.information.restart({x.friction, {}, std::nullopt});
    held.read_again();
    for (int i : computed) held.information.leave_out(i);
  }
  computed = leave_out_computed(held, "the fit", x.value, fit.warnings);
  fit.rms.holdout_after = torque_rms(held.information, x.value);
  for (int i : computed)
    fit.rms.holdout_before[static_cast<std::size_t>(i)] = fit.rms.holdout_after[static_cast<std::size_t>(i)];
}

}  // namespace

std::string three_digits(double x) {
  if (std::isnan(x)) return "not measured";
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

std::vector<double> torque_rms(RowInformation& information, const std::vector<double>& pi) {
  std::vector<double> rms;
  for (std::size_t i = 0; i < information.factors().size(); ++i) {
    const long rows = information.factors()[i].rows;
    rms.push_back(rows ? std::sqrt(information.squares(static_cast<int>(i), pi) / static_cast<double>(rows))
                       : std::numeric_limits<double>::quiet_NaN());
  }
  return rms;
}

int row_with_too_few_samples(RowInformation& information) {
  const std::vector<RowInformation::Factor>& factors = information.factors();
  for (std::size_t i = 0; i < factors.size(); ++i)
    if (factors[i].rows > 0 && factors[i].rows <= factors[i].order()) return static_cast<int>(i);
  return -1;
}

LogFit fit_logs(const ReadLogs& logs, const ReadLogs* held, const PassOptions& options) {
  RowInformation& information = logs.information;
  const std::vector<double> urdf = parameters(information.model());
  RowInformation all = information;  // with the rows that are left out of the fit
  LogFit fit;
  const std::vector<int> computed = leave_out_computed(logs, "the robot's file", urdf, fit.warnings);
  fit.rms.before = torque_rms(all, urdf);
  fit.found = identify_by_passes(information, options, [&] {
    logs.read_again();
    for (int i : computed) information.leave_out(i);
  });
  const Identification& x = fit.found;
  if (!x.settled) fit.warnings.push_back("identify: " + std::to_string(x.passes) + " passes over the logs did not settle");
  tell_unfitted(information, options, fit);
  tell_rejected(information, options.fit.prior, fit);
  tell_overrun(information.model(), options.fit.prior, fit);
  fit.rms.after = torque_rms(information, x.value);
  for (int i : computed) fit.rms.after[static_cast<std::size_t>(i)] = torque_rms(all, x.value)[static_cast<std::size_t>(i)];
  if (held) hold_out(*held, urdf, fit);
  return fit;
}

}  // namespace sparsedyn
