#include "estimate_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "counted.hpp"
#include "estimate_lead.hpp"
#include "io/number.hpp"
#include "io/text/begins.hpp"
#include "model/names/units.hpp"
#include "sparsedyn/model/detail/natural_units.hpp"

namespace sparsedyn::cli {
namespace {

using report::number;

constexpr std::size_t most_plots = 60, most_marks = 2000;
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

/// With spaces at which no line ends.
std::string kept_together(std::string text) {
  for (std::size_t at; (at = text.find(' ')) != std::string::npos;) text.replace(at, 1, "\u00a0");
  return text;
}

std::string percent(long part, long whole, int digits) {
  return number(100 * static_cast<double>(part) / static_cast<double>(whole), digits) + "\u202f%";
}

}  // namespace

/// chi-square's, so many of each output, one of each innovation; none of deviations, which are an output's, and covariances.
std::size_t EstimateReport::channels_of(const std::vector<std::string>& columns) {
  std::size_t channels = 1;
  for (const std::string& name : columns)
    if (name != "chi2" && !begins(name, "sd.") && !begins(name, "cov."))
      channels += begins(name, "innovation.") ? 1 : channels_each;
  return channels;
}

EstimateReport::EstimateReport(const Model& model, CsvReader& log, const std::vector<std::string>& columns, bool timed,
                               const std::function<bool(const std::string&)>& is_input, std::size_t channels_beside)
    : model_(model),
      log_(log),
      timed_(timed),
      rows_(channels_of(columns), report::stretches_of_page(channels_of(columns) + channels_beside)),
      row_(channels_of(columns), no_number),
      last_time_(no_number) {
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
  std::vector<std::string> names;
  for (const Quantity& quantity : quantities_) names.push_back(quantity.name);
  quaternions_ = quaternions_among(names);
  estimates_.resize(names.size()), truth_ = estimates_;
}

void EstimateReport::read(std::vector<double>& truth) {
  const long line = log_.line();
  if (line != last_line_ + 1 || line_breaks_.empty()) line_breaks_.emplace_back(rows_read_, line);
  last_line_ = line, ++rows_read_;
  truth.clear();
  for (const Quantity& quantity : quantities_) truth.push_back(quantity.truth < 0 ? no_number : log_.value(quantity.truth));
}

void EstimateReport::compare_with(CsvReader& log, const std::vector<std::string>& columns, const std::string& path) {
  beside_ = std::make_shared<BesideReport>(model_, log, columns, timed_, path);
}

void EstimateReport::read(std::vector<double>& truth, const std::string& time) {
  const double at = time_of(time, rows_read_);
  read(truth);
  if (beside_) beside_->read(at, truth);
}

double EstimateReport::time_of(const std::string& written, long row) const {
  double at = static_cast<double>(row);
  if (timed_ && read_number(written, at) != NumberText::number) return no_number;
  return at;
}

void EstimateReport::add(const double* results, const std::vector<double>& truth, const std::string& time,
                         const RowMarks& marks) {
  add(results, truth, time_of(time, rows_added_), marks);
}

void EstimateReport::add(const double* results, const std::vector<double>& truth, double at, const RowMarks& marks) {
  ++rows_added_;
  if (std::isfinite(at)) last_time_ = at;
  for (std::size_t k = 0; k < quantities_.size(); ++k) estimates_[k] = results[quantities_[k].result], truth_[k] = truth[k];
  align_signs(quaternions_, estimates_.data(), truth_.data());
  for (std::size_t k = 0; k < quantities_.size(); ++k) {
    Quantity& quantity = quantities_[k];
    const double estimate = estimates_[k], error = estimate - truth_[k];
    const double reach = quantity.deviation < 0 ? no_number : 2 * results[quantity.deviation];
    double* channel = row_.data() + channels_each * k;
    channel[0] = estimate, channel[1] = estimate - reach, channel[2] = estimate + reach, channel[3] = truth_[k];
    if (!std::isfinite(error)) continue;
    quantity.errors.add(error);
    if (reach > quantity.rounding) ++quantity.judged, quantity.covered += std::abs(error) <= reach;
    if (reach <= quantity.rounding) ++quantity.exact;
  }
  const bool drawn = std::isfinite(last_time_);
  add_readings(results, last_time_);
  if (beside_) beside_->add(results, truth.data() + quantities_.size(), last_time_);
  outliers_counted_ += marks.outlier, failed_counted_ += marks.failed;
  if (!drawn) return;
  if (marks.outlier) mark(outliers_, last_time_);
  if (marks.failed) failed_.add(rows_.rows(), last_time_);
  rows_.add(last_time_, row_.data());
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
      if (std::isfinite(at)) reading.gaps.add(rows_.rows(), at);
      gap = gap || std::isfinite(innovation);
    }
  }
  if (gap && std::isfinite(at)) gaps_.add(rows_.rows(), at);
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
  report::TimePlot drawn{quantity.name,
                         x_title(),
                         unit_of(model_, quantity.name),
                         rows_,
                         {},
                         banded ? first + 1 : -1,
                         banded ? first + 2 : -1,
                         {},
                         outliers_,
                         failed_.all()};
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
  if (left_out)
    out += "<p>" + counted(static_cast<long>(left_out), "more output is", "more outputs are") +
           " not drawn; <code>--outputs</code> chooses.</p>\n";
  return out.empty() ? "" : report::section(heading, out);
}

/// By the groups of rows that are kept; evenly between them.
std::string EstimateReport::time_of_line(long line) const {
  const auto after = std::upper_bound(line_breaks_.begin(), line_breaks_.end(), line,
                                      [](long of, const std::pair<long, long>& rows) { return of < rows.second; });
  if (!timed_ || after == line_breaks_.begin()) return "";
  const auto [first, first_line] = *(after - 1);
  const long row = first + line - first_line - (rows_added_ - rows_.rows());  // below rows before the first time
  if (row < 0 || row >= rows_.rows()) return "";
  const auto k = static_cast<std::size_t>(row / rows_.stride());
  double at = rows_.time(k);
  if (k + 1 < rows_.stretches())
    at += (rows_.time(k + 1) - at) * static_cast<double>(row % rows_.stride()) / static_cast<double>(rows_.stride());
  return number(at, 7) + " s";
}

std::string EstimateReport::lead(const Json& details) const {
  std::string out = estimate_findings(details, [this](long line) { return time_of_line(line); });
  if (beside_) out += beside_->lead();
  out += counted(static_cast<long>(quantities_.size()), "quantity", "quantities") + " of <b>" + report::escaped(model_.name) +
         "</b> over " + counted(rows_added_, "row", "rows") + " of a log";
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
  return report::page(title, lead(details),
                      report::console(summary) + (beside_ ? beside_->html(x_title()) : "") + beside +
                          outputs(timed_ ? "Outputs over time" : "Outputs over the rows") + sensors(details));
}

}  // namespace sparsedyn::cli
