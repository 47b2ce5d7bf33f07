#include "estimate_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimate_lead.hpp"
#include "io/number.hpp"
#include "model/names/units.hpp"
#include "sparsedyn/model/detail/natural_units.hpp"

namespace sparsedyn::cli {
namespace {

using report::number;

constexpr std::size_t most_plots = 60, most_marks = 2000, channels_each = 4;
constexpr double healthy_rms = 1.5;
constexpr double rounding =
    1e-9;  // of what is of order one: a band narrower than this is one of rounding, what it holds is exact
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

double one_of(const std::string& unit, const NaturalUnits& units) {
  return unit == "N" ? units.force() : unit == "N m" ? units.moment() : unit == "m/s²" ? units.acceleration() : 1;
}

int place(const std::vector<std::string>& columns, const std::string& name) {
  const auto at = std::find(columns.begin(), columns.end(), name);
  return at == columns.end() ? -1 : static_cast<int>(at - columns.begin());
}

/// Times that are drawn as marks: the first few thousand of them.
void mark(std::vector<double>& times, double at) {
  if (times.size() < most_marks) times.push_back(at);
}

bool begins(const std::string& name, const char* with) { return name.rfind(with, 0) == 0; }

/// chi-square's, a few of each output, one of each innovation; none of deviations, which are an output's, and covariances.
std::size_t channels_of(const std::vector<std::string>& columns) {
  std::size_t channels = 1;
  for (const std::string& name : columns)
    if (name != "chi2" && !begins(name, "sd.") && !begins(name, "cov."))
      channels += begins(name, "innovation.") ? 1 : channels_each;
  return channels;
}

std::string counted(long n, const std::string& one, const std::string& many) {
  return report::grouped(n) + " " + (n == 1 ? one : many);
}

/// With spaces at which no line ends.
std::string kept_together(std::string text) {
  for (std::size_t at; (at = text.find(' ')) != std::string::npos;) text.replace(at, 1, "\u00a0");
  return text;
}

std::string percent(long part, long whole, int digits) {
  return number(100 * static_cast<double>(part) / static_cast<double>(whole), digits) + "\u202f%";
}

}  // namespace

EstimateReport::EstimateReport(const Model& model, CsvReader& log, const std::vector<std::string>& columns, bool timed,
                               const std::function<bool(const std::string&)>& is_input)
    : model_(model),
      log_(log),
      timed_(timed),
      rows_(channels_of(columns), report::stretches_of_page(channels_of(columns))),
      row_(channels_of(columns), no_number) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string& name = columns[c];
    const int at = static_cast<int>(c);
    if (begins(name, "sd.") || begins(name, "cov.")) continue;
    if (name == "chi2") {
      chi_square_ = at;
    } else if (begins(name, "innovation.")) {
      readings_.push_back({name.substr(11), at});
    } else {
      const int slot = log.has(name) && !is_input(name) ? log.ask(name) : -1;
      quantities_.push_back({name, at, place(columns, "sd." + name), slot});
      quantities_.back().rounding = rounding * one_of(unit_of(model, name), natural_units(model));
    }
  }
}

void EstimateReport::read(std::vector<double>& truth) const {
  truth.clear();
  for (const Quantity& quantity : quantities_) truth.push_back(quantity.truth < 0 ? no_number : log_.value(quantity.truth));
}

void EstimateReport::add(const double* results, const std::vector<double>& truth, const std::string& time,
                         const RowMarks& marks) {
  double at = static_cast<double>(rows_.rows());
  if (timed_) read_number(time, at);
  add(results, truth, at, marks);
}

void EstimateReport::add(const double* results, const std::vector<double>& truth, double at, const RowMarks& marks) {
  for (std::size_t k = 0; k < quantities_.size(); ++k) {
    Quantity& quantity = quantities_[k];
    const double estimate = results[quantity.result], error = estimate - truth[k];
    const double reach = quantity.deviation < 0 ? no_number : 2 * results[quantity.deviation];
    double* channel = row_.data() + channels_each * k;
    channel[0] = estimate, channel[1] = estimate - reach, channel[2] = estimate + reach, channel[3] = truth[k];
    if (!std::isfinite(error)) continue;
    quantity.errors.add(error);
    if (reach > quantity.rounding) ++quantity.judged, quantity.covered += std::abs(error) <= reach;
    if (reach <= quantity.rounding) ++quantity.exact;
  }
  add_readings(results, at);
  if (marks.outlier) mark(outliers_, at), ++outliers_counted_;
  if (marks.failed) mark(failed_, at), ++failed_counted_;
  rows_.add(at, row_.data());
}

/// An innovation of exactly zero is a reading that is missing, or that nothing else tells of.
void EstimateReport::add_readings(const double* results, double at) {
  double* channel = row_.data() + channels_each * quantities_.size();
  const double chi_square = chi_square_ < 0 ? no_number : results[chi_square_];
  *channel++ = chi_square > 0 ? std::log10(chi_square) : no_number;
  bool gap = false;
  for (Reading& reading : readings_) {
    const double innovation = results[reading.result];
    const bool there = std::isfinite(innovation) && innovation != 0;
    *channel++ = there ? innovation : no_number;
    if (there) {
      reading.innovations.add(innovation);
    } else {
      mark(reading.gap_times, at);
      gap = gap || std::isfinite(innovation);
    }
  }
  if (gap) mark(gaps_, at);
}

std::string EstimateReport::table() const {
  const std::vector<std::string> header{"output", "rows compared", "rms of the error", "errors within 2σ", "unit"};
  std::vector<std::vector<std::string>> rows{header}, exact{header};
  for (const Quantity& quantity : quantities_) {
    if (quantity.errors.count() == 0) continue;
    const bool is_exact = quantity.judged == 0 && quantity.exact > 0;
    (is_exact && quantity.errors.rms() <= quantity.rounding ? exact : rows)
        .push_back({report::escaped(quantity.name), report::grouped(quantity.errors.count()), number(quantity.errors.rms()),
                    quantity.judged > 0 ? percent(quantity.covered, quantity.judged, 4)
                    : is_exact          ? "exact"
                                        : "",
                    kept_together(unit_of(model_, quantity.name))});
  }
  const long others = static_cast<long>(exact.size()) - 1;
  return report::table(rows) +
         (others ? report::folded_away(counted(others, "output is", "outputs are") + " known exactly, and as the log says",
                                       report::table(exact))
                 : "");
}

long EstimateReport::judged() const {
  long count = 0;
  for (const Quantity& quantity : quantities_) count += quantity.judged;
  return count;
}

long EstimateReport::covered() const {
  long count = 0;
  for (const Quantity& quantity : quantities_) count += quantity.covered;
  return count;
}

bool EstimateReport::is_zero(std::size_t channel, double least) const {
  const report::Thinned::Extremes all = rows_.range(channel);
  return !std::isfinite(all.low) || (std::abs(all.low) <= least && std::abs(all.high) <= least);
}

std::string EstimateReport::plot(std::size_t k) const {
  const Quantity& quantity = quantities_[k];
  const int first = static_cast<int>(channels_each * k);
  const bool banded = quantity.deviation >= 0;
  report::TimePlot drawn{
      quantity.name, x_title(), unit_of(model_, quantity.name), rows_, {}, banded ? first + 1 : -1, banded ? first + 2 : -1, {},
      outliers_,     failed_};
  if (quantity.truth >= 0) drawn.lines.push_back({"the log", first + 3, 1});
  drawn.lines.push_back({"estimate", first, 0});
  return report::time_plot(drawn);
}

std::string EstimateReport::outputs(const std::string& heading) const {
  std::vector<std::string> plots, zeros;
  std::size_t left_out = 0;
  bool banded = false, truth = false;
  for (std::size_t k = 0; k < quantities_.size(); ++k) {
    if (is_zero(channels_each * k) && is_zero(channels_each * k + 2) &&
        is_zero(channels_each * k + 3, quantities_[k].rounding)) {
      zeros.push_back(quantities_[k].name);
    } else if (plots.size() == most_plots) {
      ++left_out;
    } else {
      banded = banded || quantities_[k].deviation >= 0, truth = truth || quantities_[k].truth >= 0;
      plots.push_back(plot(k));
    }
  }
  std::vector<report::TimeLine> lines{{"estimate", 0, 0}};
  if (truth) lines.push_back({"what the log says", 0, 1});
  std::string out = plots.empty() ? ""
                                  : report::time_key(lines, banded ? "± 2σ" : "", outliers_.empty() ? "" : "outlier",
                                                     failed_.empty() ? "" : "no answer");
  out += report::beside(plots);
  if (!zeros.empty()) {
    out += "<p>Exactly zero, or without a number, in every row (and below 10<sup>−9</sup> in the log), and not drawn: ";
    for (std::size_t k = 0; k < zeros.size(); ++k) out += (k ? ", " : "") + report::escaped(zeros[k]);
    out += ".</p>\n";
  }
  if (left_out) out += "<p>" + std::to_string(left_out) + " more outputs are not drawn; <code>--outputs</code> chooses.</p>\n";
  return out.empty() ? "" : report::section(heading, out);
}

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
    if (plots.size() + healthy.size() > most_plots) {
      ++left_out;
      continue;
    }
    const Reading& reading = readings_[k];
    (is_healthy ? healthy : plots)
        .push_back(report::time_plot({reading.name + ", rms " + number(reading.innovations.rms(), 3),
                                      x_title(),
                                      "innovation (standard deviations)",
                                      rows_,
                                      {{"innovation", first_channel + static_cast<int>(k), 0}},
                                      -1,
                                      -1,
                                      {-3, 0, 3},
                                      outliers_,
                                      reading.gap_times}));
  }
  const std::string said = counted(healthy_counted, "reading is", "readings are") + " as the stated noise says (rms " +
                           number(1 / healthy_rms, 2) + " to " + number(healthy_rms, 2) + ")";
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
                                       gaps_}));
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

/// By the groups of rows that are kept; evenly between them.
std::string EstimateReport::time_of_line(long line) const {
  const long row = line - 2;  // below the header
  if (!timed_ || row < 0 || row >= rows_.rows()) return "";
  const auto k = static_cast<std::size_t>(row / rows_.stride());
  double at = rows_.time(k);
  if (k + 1 < rows_.stretches())
    at += (rows_.time(k + 1) - at) * static_cast<double>(row % rows_.stride()) / static_cast<double>(rows_.stride());
  return number(at, 7) + " s";
}

std::string EstimateReport::lead(const Json& details) const {
  std::string out = estimate_findings(details, [this](long line) { return time_of_line(line); });
  out += counted(static_cast<long>(quantities_.size()), "quantity", "quantities") + " of <b>" + report::escaped(model_.name) +
         "</b> over " + counted(rows_.rows(), "row", "rows") + " of a log";
  if (judged() > 0) out += "; " + percent(covered(), judged(), 3) + " of the errors lie within ± 2σ, where 95.4 % should";
  out += ".";
  if (outliers_counted_) out += " " + counted(outliers_counted_, "row is an outlier", "rows are outliers") + ".";
  if (failed_counted_) out += " " + counted(failed_counted_, "row has", "rows have") + " no answer.";
  return out;
}

std::string EstimateReport::html(const std::string& title, const std::string& summary, const Json& details) const {
  const std::string errors = table();
  const std::string beside = errors.empty()
                                 ? "<p>The log holds none of these outputs, so there is nothing to compare them with.</p>\n"
                                 : report::section("Beside the log", errors);
  return report::page(
      title, lead(details),
      report::console(summary) + beside + outputs(timed_ ? "Outputs over time" : "Outputs over the rows") + sensors(details));
}

}  // namespace sparsedyn::cli
