#include "estimate_words.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "io/suggestions.hpp"

namespace sparsedyn::cli {
namespace {

/// Sensors whose noise is not what they state, the worst first.
std::string noise_text(const SolveReport& report) {
  std::vector<std::pair<double, const NoiseFound*>> rejected;
  for (const NoiseFound& of : report.noise)
    if (!of.agrees.value_or(true)) rejected.push_back({of.innovations.sum / static_cast<double>(of.innovations.expected), &of});
  if (rejected.empty()) return "";
  std::stable_sort(rejected.begin(), rejected.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text =
      "  not what the stated noise makes expected, deviations that rest on it not to be trusted (squares of innovations):";
  char ratio[40];
  for (std::size_t k = 0; k < rejected.size(); ++k) {
    const auto& [times, of] = rejected[k];
    std::snprintf(ratio, sizeof ratio, " %.3g times", times);
    text += (k ? ", " : " ") + of->sensor + ratio;
    if (k == 0 && !of->rejected.empty()) text += " (" + comma_list(of->rejected) + ")";
  }
  return text + "\n";
}

std::string chi_square_text(const SolveReport& report, bool scaled) {
  char line[240];
  std::snprintf(line, sizeof line, "chi-square %.4g where the stated noise makes %s expected\n", report.chi_square,
                std::to_string(report.expected_chi_square).c_str());
  std::string text = line;
  const double factor = deviation_scale({report.chi_square, report.expected_chi_square});
  if (!report.trusted.value_or(true)) {
    std::snprintf(
        line, sizeof line,
        scaled ? "  more noise than stated: the deviations are multiplied by %.3g\n"
               : "  more noise than stated: the deviations are not to be trusted (--sd-scaled multiplies them by %.3g)\n",
        factor);
    text += line;
  } else if (scaled && !report.trusted) {
    text += "  no reading is redundant, so the deviations are as stated\n";
  } else if (scaled) {
    std::snprintf(line, sizeof line, "  the deviations are multiplied by %.3g\n", factor);
    text += line;
  }
  return text + noise_text(report);
}

std::string offsets_text(const SolveReport& report, double scale) {
  std::string text;
  char line[160];
  for (const OffsetFound& offset : report.offsets) {
    if (offset.determined)
      std::snprintf(line, sizeof line, ": offset %.6g, standard deviation %.2g%s\n", offset.value, scale * offset.deviation,
                    offset.trusted.value_or(true) ? "" : ", not to be trusted");
    text += "  " + offset.column + (offset.determined ? line : ": offset undetermined\n");
  }
  return text;
}

std::string drift_text(const FaultFound& fault) {
  char change[40];
  std::snprintf(change, sizeof change, "%.3g", fault.change);
  std::string text = "drifts: what it reads beside what the other sensors predict changes slowly, by " + std::string(change) +
                     " over the log, from line " + std::to_string(fault.from_line) + " on";
  for (std::size_t k = 0; k < fault.or_else.size(); ++k)
    text += (k == 0 ? "; or it is " : ", or ") + fault.or_else[k] +
            (k + 1 < fault.or_else.size() ? "" : ": the sensors cannot tell them apart");
  return text + "\n";
}

std::string fault_text(const FaultFound& fault) {
  const std::string from = " from line " + std::to_string(fault.from_line) + " on",
                    rows = " (rows: " + std::to_string(fault.samples) + ")\n";
  switch (fault.kind) {
    case FaultKind::stuck: return "stuck: repeats one value" + from + rows;
    case FaultKind::saturated: return "saturated: the other sensors predict beyond its extreme value" + from + rows;
    case FaultKind::sign: return "its sign seems swapped: it reads the negative of what the other sensors predict\n";
    case FaultKind::spikes: return "spikes" + from + rows;
    case FaultKind::drift: return drift_text(fault);
  }
  return "";
}

std::string outliers_text(const SolveReport& report) {
  std::string text;
  char line[160];
  if (!report.worst.empty()) {
    std::snprintf(line, sizeof line,
                  "outliers (chi-square beyond what noise reaches in one row of a million): %ld of the rows\n",
                  report.outliers);
    text += line;
  }
  for (std::size_t k = 0; k < report.worst.size() && k < 3; ++k) {
    const OutlierFound& sample = report.worst[k];
    std::snprintf(line, sizeof line, "  line %ld: chi-square %.4g, ", sample.line, sample.chi_square);
    text += line + (sample.column.empty() ? "unknown" : sample.column) + " disagrees most\n";
  }
  for (const FaultFound& fault : report.faults) text += "  " + fault.column + ": " + fault_text(fault);
  for (const auto& [column, samples] : report.often_off)
    text += "  " + column + ": disagrees most in " + std::to_string(samples) +
            " of the outliers looked at; an offset (\"bias\": true) or a larger sigma may explain it\n";
  return text;
}

std::string innovations_text(const SolveReport& report) {
  std::string text;
  char line[160];
  for (const InnovationsOf& of : report.innovations) {
    std::snprintf(line, sizeof line, ": innovations of rms %.3g (1 where the noise is as stated)\n", of.rms);
    text += "  " + of.sensor + line;
  }
  return text;
}

std::string reweighted_text(const SolveReport& report) {
  std::string text;
  if (report.bounded) text += "rows with readings that count less (Huber): " + std::to_string(report.reweighted) + "\n";
  if (report.bounded && report.at_singular_states > 0)
    text += "rows at states where no planned order serves, whose readings all count fully and are not judged: " +
            std::to_string(report.at_singular_states) + "\n";
  if (report.unsettled > 0)
    text += "rows whose reweighting ended before it had settled, so that their estimates are not quite Huber's: " +
            std::to_string(report.unsettled) + "\n";
  return text;
}

}  // namespace

std::string estimate_text(const SolveReport& report, bool scaled) {
  if (!report.estimated) return "";
  const double scale = scaled ? deviation_scale({report.chi_square, report.expected_chi_square}) : 1.0;
  std::string text = chi_square_text(report, scaled) + offsets_text(report, scale);
  if (report.not_learnt > 0)
    text += "rows that the offsets could not be learnt from: " + std::to_string(report.not_learnt) + "\n";
  return text + innovations_text(report) + reweighted_text(report) + outliers_text(report);
}

}  // namespace sparsedyn::cli
