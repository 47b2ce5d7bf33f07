#include "identification_page.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "identification/logs/fitted_parameters.hpp"
#include "model/names/units.hpp"
#include "report/figure.hpp"

namespace sparsedyn::cli {
namespace {

constexpr std::size_t most_samples = 800, bins = 40;
constexpr double nearly_at_bound = 1e-4;  // deviations: the fit comes close to a bound, from inside
constexpr double reach_of_bins = 5;       // deviations
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

std::string four_digits(double x) { return report::number(x, 4); }

/// By its last word; joints that slide have forces in place of torques.
std::string unit_of_parameter(const Model& model, const std::string& name) {
  const std::size_t dot = name.rfind('.');
  const std::string joint = name.substr(0, std::min(dot, name.size())),
                    what = dot == std::string::npos ? "" : name.substr(dot + 1);
  const bool slides = unit_of(model, "tau." + joint) == "N";
  if (what == "m") return "kg";
  if (what == "mx" || what == "my" || what == "mz") return "kg m";
  if (what.size() == 3 && what[0] == 'I') return "kg m²";
  if (what == "armature") return slides ? "kg" : "kg m²";
  if (what == "damping") return slides ? "N s/m" : "N m s/rad";
  if (what == "friction" || what == "offset") return slides ? "N" : "N m";
  if (what == "stiffness") return slides ? "N/m" : "N m/rad";
  if (what == "smoothing" || what == "stribeck_velocity") return slides ? "m/s" : "rad/s";
  return "";
}

/// Parameters that are at least zero: their fit stops there.
bool is_bounded_below(const std::string& name) {
  const std::string what = name.substr(std::min(name.rfind('.'), name.size()));
  return what == ".m" || what == ".armature" || what == ".damping" || what == ".friction" || what == ".stiffness";
}

}  // namespace

IdentificationPage::IdentificationPage(RowInformation& information, const std::vector<double>& before,
                                       const Identification& found)
    : model_(information.model()),
      information_(information),
      gathers_(-1),
      readings_(false),
      before_(before),
      found_(found),
      counts_(information.names().size(), std::vector<long>(bins, 0)),
      sums_(information.names().size()) {
  if (const auto* of_sensors = dynamic_cast<const SensorInformation*>(&information))
    readings_ = true, gathers_ = of_sensors->gathered();
}

void IdentificationPage::add(const ComparedSample& sample) {
  for (const ComparedRow& row : sample.rows) {
    const auto i = static_cast<std::size_t>(row.row);
    const double before = row.measured - row.before, after = row.measured - row.after;
    if (std::isfinite(before + after)) {
      Sums& sums = sums_[i];
      ++sums.count, sums.measured += row.measured, sums.squares += row.measured * row.measured;
      sums.before += before * before, sums.after += after * after;
    }
    const double share = (row.measured - row.after) / found_.sigma[i] / reach_of_bins;
    if (!std::isfinite(share)) continue;
    const double bin = 0.5 * (std::clamp(share, -1.0, 1.0) + 1) * static_cast<double>(bins);
    ++counts_[i][std::min(bins - 1, static_cast<std::size_t>(bin))];
  }
  if (sample.log != log_ || samples_ == 0) shift_ = last_ - sample.time, log_ = sample.log;
  last_ = sample.time + shift_;
  if (samples_++ % stride_ == 0) keep(gathered(sample));
}

IdentificationPage::Kept IdentificationPage::gathered(const ComparedSample& sample) const {
  const std::vector<double> none(counts_.size(), nothing);
  Kept kept{last_, none, none, none, none};
  double before = 0, after = 0, several = 0;
  for (const ComparedRow& row : sample.rows) {
    const auto i = static_cast<std::size_t>(row.row);
    const double off_before = row.measured - row.before, off_after = row.measured - row.after;
    if (row.row == gathers_) {
      before += off_before * off_before, after += off_after * off_after, ++several;
      continue;
    }
    kept.measured[i] = row.measured, kept.error_before[i] = off_before, kept.error_after[i] = off_after;
    if (const int freedom = information_.factors()[i].freedom; freedom >= 0) kept.velocity[i] = sample.v[freedom];
  }
  if (several > 0) {
    const auto i = static_cast<std::size_t>(gathers_);
    kept.error_before[i] = std::sqrt(before / several), kept.error_after[i] = std::sqrt(after / several);
  }
  return kept;
}

/// Every stride-th sample; when the page is full, every other one of it goes and the stride doubles.
void IdentificationPage::keep(Kept sample) {
  kept_.push_back(std::move(sample));
  if (kept_.size() < most_samples) return;
  for (std::size_t k = 1; 2 * k < kept_.size(); ++k) kept_[k] = std::move(kept_[2 * k]);
  kept_.resize((kept_.size() + 1) / 2);
  stride_ *= 2;
}

/// Rows of torques are named by their freedom.
std::string IdentificationPage::title_of(std::size_t i) const {
  const std::string& name = information_.names()[i];
  const std::vector<std::string> torques = force_names(model_);
  return std::count(torques.begin(), torques.end(), name) ? "tau." + name : name;
}

std::string IdentificationPage::unit_of_row(std::size_t i) const {
  if (static_cast<int>(i) == gathers_) return information_.factors()[i].sigma > 0 ? "σ" : "";
  const std::string title = title_of(i);
  const int freedom = information_.factors()[i].freedom;
  if (title.rfind("tau.", 0) != 0 && freedom >= 0)
    return unit_of(model_, "tau." + force_names(model_)[static_cast<std::size_t>(freedom)]);
  return unit_of(model_, title.rfind("tau.", 0) == 0 ? title : "f." + title);  // by the component: y.SENSOR.fx
}

std::string IdentificationPage::of_row(std::size_t i) const {
  report::Thinned rows(6, most_samples);  // measured, after the fit, its band, errors before and after
  std::vector<std::pair<double, double>> against_velocity;
  for (const Kept& sample : kept_) {
    const double y = sample.measured[i], after = y - sample.error_after[i], reach = 2 * found_.sigma[i];
    const double row[] = {y, after, after - reach, after + reach, sample.error_before[i], sample.error_after[i]};
    rows.add(sample.time, row);
    against_velocity.emplace_back(sample.velocity[i], sample.error_after[i]);
  }
  const std::string unit = unit_of_row(i);
  const bool gathers = static_cast<int>(i) == gathers_, one_freedom = information_.factors()[i].freedom >= 0;
  const report::TimePlot reading{one_freedom ? "torque" : "reading",
                                 "time (s)",
                                 unit,
                                 rows,
                                 {{"after the fit", 1, 0}, {"measured", 0, 1}},
                                 2,
                                 3,
                                 {},
                                 {},
                                 {}};
  const report::TimePlot error{gathers ? "error, root mean square of a sample" : "error",
                               "time (s)",
                               unit,
                               rows,
                               {{"after", 5, 0}, {"before", 4, 3}},
                               -1,
                               -1,
                               {0},
                               {},
                               {}};
  std::vector<std::string> plots;
  if (!gathers) plots.push_back(report::time_plot(reading));
  plots.push_back(report::time_plot(error));
  if (one_freedom)
    plots.push_back(report::scatter_plot(
        {"after the fit, against velocity", unit == "N" ? "velocity (m/s)" : "velocity (rad/s)", unit, false, false},
        against_velocity));
  if (std::any_of(counts_[i].begin(), counts_[i].end(), [](long count) { return count > 0; }))
    plots.push_back(report::histogram({"after the fit, in deviations", "σ (dashed: normal distribution)", "rows", false, false},
                                      reach_of_bins, counts_[i]));
  return report::section(title_of(i), report::beside(plots));
}

std::string IdentificationPage::parameter_table() const {
  std::vector<std::vector<std::string>> rows{{"parameter", "robot's file", "found", "± 2σ", "unit", "determined"}};
  const std::vector<std::string> names = fitted_names(model_, found_);
  const auto add = [&](const std::string& name, double before, double value, double sd, bool determined) {
    const bool at_bound =
        sd > 0 && std::abs(value) <= nearly_at_bound * sd && is_bounded_below(name);  // no negative mass, damping or friction
    rows.push_back({report::escaped(name), four_digits(before), at_bound ? "0 (bound)" : four_digits(value),
                    sd > 0 ? four_digits(2 * sd) : "not fitted", unit_of_parameter(model_, name), determined ? "yes" : "no"});
  };
  for (std::size_t k = 0; k < found_.value.size(); ++k)
    add(names[k], before_[k], found_.value[k], found_.sd[k], found_.determined[k]);
  for (const ShapeNumber& each : shape_numbers(model_, found_))
    add(each.name, each.before, each.value, each.sd, each.determined);
  std::vector<std::vector<std::string>> base{{"base parameter", "found", "± 2σ"}};
  for (std::size_t k = 0; k < found_.base_value.size(); ++k)
    base.push_back({report::escaped(found_.base.expression(static_cast<int>(k), names)), four_digits(found_.base_value[k]),
                    four_digits(2 * found_.base_sd[k])});
  return report::section("Beside the robot's file", changes_by_unit(names)) +
         report::section("Parameters", report::table(rows)) + report::section("Base parameters", report::table(base));
}

/// What was fitted less what the robot's file says, a chart for each unit, those that changed by most deviations first.
std::string IdentificationPage::changes_by_unit(const std::vector<std::string>& names) const {
  constexpr std::size_t most_bars = 15;
  std::map<std::string, std::vector<report::Interval>> charts;
  for (std::size_t k = 0; k < found_.value.size(); ++k)
    if (found_.determined[k] && found_.sd[k] > 0)
      charts[unit_of_parameter(model_, names[k])].push_back({names[k], found_.value[k] - before_[k], found_.sd[k]});
  std::vector<std::string> drawn;
  for (auto& [unit, intervals] : charts) {
    const auto deviations = [](const report::Interval& i) { return std::abs(i.value) / i.deviation; };
    std::stable_sort(intervals.begin(), intervals.end(),
                     [&](const auto& a, const auto& b) { return deviations(a) > deviations(b); });
    const std::size_t all = intervals.size();
    intervals.resize(std::min(all, most_bars));
    const std::string shown = all > most_bars ? ", " + std::to_string(most_bars) + " of " + std::to_string(all) : "";
    drawn.push_back(report::interval_chart("Found less the file's" + shown, unit, intervals));
  }
  return report::beside(drawn);
}

/// The row whose errors fell most, and rows that the fit does not explain: errors of at least nine tenths of the measured
/// spread.
std::string IdentificationPage::findings() const {
  std::size_t best = sums_.size();
  double fell = 1;
  std::string unexplained;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const Sums& s = sums_[i];
    if (s.count == 0 || static_cast<int>(i) == gathers_) continue;
    const double n = static_cast<double>(s.count), varies = s.squares / n - s.measured * s.measured / (n * n);
    if (s.before > 0 && s.after / s.before < fell) fell = s.after / s.before, best = i;
    if (s.after / n >= 0.81 * varies && varies > 0) unexplained += (unexplained.empty() ? "" : ", ") + title_of(i);
  }
  std::string said;
  if (best < sums_.size()) {
    const Sums& s = sums_[best];
    const double n = static_cast<double>(s.count);
    said = "The errors of <b>" + report::escaped(title_of(best)) + "</b> fell from " +
           report::number(std::sqrt(s.before / n), 3) + " to " + report::number(std::sqrt(s.after / n), 3) + " " +
           unit_of_row(best) + " (rms), the most of all rows. ";
  }
  if (!unexplained.empty())
    said += "The model explains hardly anything of what was measured at <b>" + report::escaped(unexplained) +
            "</b>, before the fit and after: check friction, and which sensor it is. ";
  return said;
}

std::string IdentificationPage::html(const std::string& title, const std::string& summary) const {
  const std::string lead = findings() + "The " + std::string(readings_ ? "readings" : "torques") + " of " +
                           report::grouped(samples_) + " rows of logs determine " + std::to_string(found_.rank) + " of " +
                           std::to_string(found_.base_value.size()) + " base parameters of <b>" + report::escaped(model_.name) +
                           "</b>.";
  std::string body =
      report::console(summary) + "<p>Rank " + std::to_string(found_.rank) + " of " + std::to_string(found_.base_value.size()) +
      " base parameters, condition " + four_digits(found_.condition) + ", chi-square a freedom " +
      four_digits(found_.chi_square) + ", " + report::grouped(samples_) +
      " rows of logs. Logs follow each other over time.</p>\n" +
      report::time_key({{"after the fit", 0, 0}, {"measured", 0, 1}, {"error before the fit", 0, 3}}, "± 2σ of the noise");
  for (std::size_t i = 0; i < counts_.size(); ++i) body += of_row(i);
  return report::page(title, lead, body + parameter_table());
}

}  // namespace sparsedyn::cli
