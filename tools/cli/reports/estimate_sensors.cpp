// What an estimate's page shows of sensors against each other: chi-square, innovations, offsets.
#include <algorithm>
#include <cmath>

#include "counted.hpp"
#include "estimate_report.hpp"

namespace sparsedyn::cli {
namespace {

constexpr std::size_t most_sensor_plots = 60;
constexpr double healthy_rms = 1.5;

}  // namespace

/// Adds plots of readings whose rms is beyond healthy_rms, or as far below 1, the worst first; gives the others, folded away.
std::string EstimateReport::readings_by_misfit(int first_channel, std::vector<std::string>& plots) const {
  const auto misfit = [&](std::size_t k) { return std::abs(std::log(readings_[k].innovations.rms())); };
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < readings_.size(); ++k)
    if (readings_[k].innovations.count() > 0) order.push_back(k);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return misfit(a) > misfit(b); });
  std::vector<std::string> healthy;
  long healthy_counted = 0;
  std::size_t left_out = 0;
  for (std::size_t k : order) {
    const bool is_healthy = misfit(k) <= std::log(healthy_rms);
    healthy_counted += is_healthy;
    if (plots.size() + healthy.size() > most_sensor_plots) {
      ++left_out;
      continue;
    }
    const Reading& reading = readings_[k];
    (is_healthy ? healthy : plots)
        .push_back(report::time_plot({reading.name + ", rms " + report::number(reading.innovations.rms(), 3),
                                      x_title(),
                                      "innovation (standard deviations)",
                                      rows_,
                                      {{"innovation", first_channel + static_cast<int>(k), 0}},
                                      -1,
                                      -1,
                                      {-3, 0, 3},
                                      outliers_,
                                      reading.gaps.all()}));
  }
  const std::string said = counted(healthy_counted, "reading is", "readings are") + " as the stated noise says (rms " +
                           report::number(1 / healthy_rms, 2) + " to " + report::number(healthy_rms, 2) + ")";
  std::string out = !healthy.empty()  ? report::folded_away(said, report::beside(healthy))
                    : healthy_counted ? "<p>" + said + ".</p>\n"
                                      : "";
  if (left_out)
    out += "<p>" + counted(static_cast<long>(left_out), "more reading is", "more readings are") + " not drawn.</p>\n";
  return out;
}

/// All readings at a glance, the worst first.
std::string EstimateReport::strips_of_readings(int first_channel) const {
  constexpr std::size_t most_strips = 40;
  const auto farthest = [&](std::size_t k) {
    const report::Thinned::Extremes all = rows_.range(static_cast<std::size_t>(first_channel) + k);
    return std::max(std::abs(all.low), std::abs(all.high));
  };
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < readings_.size(); ++k)
    if (readings_[k].innovations.count() > 0) order.push_back(k);
  if (order.size() < 2) return "";
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return farthest(a) > farthest(b); });
  const std::size_t left_out = order.size() - std::min(order.size(), most_strips);
  order.resize(order.size() - left_out);
  std::vector<report::TimeLine> strips;
  for (std::size_t k : order) strips.push_back({readings_[k].name, first_channel + static_cast<int>(k), 0});
  return report::strip_chart({"Innovations of each reading over the whole log",
                              x_title(),
                              "standard deviations",
                              rows_,
                              std::move(strips),
                              {4, 6, 12}}) +
         (left_out ? "<p class=\"small\">" + counted(static_cast<long>(left_out), "reading", "readings") +
                         " with smaller ones not drawn here.</p>\n"
                   : "");
}

std::string EstimateReport::sensors(const Json& details) const {
  std::string out;
  std::vector<std::string> plots;
  const int chi_channel = static_cast<int>(channels_each * quantities_.size());
  if (chi_square_ >= 0 && !is_zero(static_cast<std::size_t>(chi_channel)))
    plots.push_back(report::time_plot({"chi-square",
                                       x_title(),
                                       "log₁₀ Σ (residual / σ)²",
                                       rows_,
                                       {{"chi-square", chi_channel, 0}},
                                       -1,
                                       -1,
                                       {},
                                       outliers_,
                                       gaps_.all()}));
  const std::string strips = strips_of_readings(chi_channel + 1);
  const std::string said = readings_by_misfit(chi_channel + 1, plots);
  if (!plots.empty() || !said.empty())
    out +=
        "<p>An innovation is a reading less what all others predict for it, over the standard deviation of that difference: of "
        "rms 1 where the noise is what the set says. Dashed: 0 and ± 3. Readings that are off come first, the worst of them at "
        "the top.</p>\n" +
        strips + report::time_key({{"innovation", 0, 0}}, "", outliers_.empty() ? "" : "outlier", gaps_.empty() ? "" : "gap") +
        report::beside(plots) + said;
  std::string silent;
  for (const Reading& reading : readings_)
    if (reading.innovations.count() == 0) silent += (silent.empty() ? "" : ", ") + report::escaped(reading.name);
  if (!silent.empty())
    out += "<p>Without an innovation in any row, because no other sensor predicts them: " + silent + ".</p>\n";
  std::string html = out.empty() ? "" : report::section("The sensors against each other", out);
  std::vector<report::Interval> offsets;
  std::string undetermined;
  if (details.contains("biases"))
    for (const auto& [name, offset] : details["biases"].items()) {
      if (offset.is_null())
        undetermined += (undetermined.empty() ? "" : ", ") + report::escaped(name);
      else
        offsets.push_back({name, offset["value"].get<double>(), offset["sd"].get<double>()});
    }
  if (!offsets.empty() || !undetermined.empty())
    html += report::section(
        "Offsets of sensors",
        (offsets.empty() ? "" : report::interval_chart("Learnt from the whole log, and subtracted", "", offsets)) +
            (undetermined.empty() ? "" : "<p>Undetermined by this log: " + undetermined + ".</p>\n"));
  return html;
}

}  // namespace sparsedyn::cli
