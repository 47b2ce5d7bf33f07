#include "solve_report.hpp"

namespace sparsedyn {
namespace {

using json::Json;

Json json_of(const std::optional<bool>& answer) { return answer ? Json(*answer) : Json(); }

/// {column: {value, sd, trusted}}; undetermined offsets are null.
Json offsets_json(const SolveReport& report, double scale) {
  Json all = Json::object();
  for (const OffsetFound& offset : report.offsets)
    all[offset.column] =
        offset.determined
            ? Json{{"value", offset.value}, {"sd", scale * offset.deviation}, {"trusted", json_of(offset.trusted)}}
            : Json();
  return all;
}

/// "chi_square": {"sum", "expected"}, "sensors": {NAME: {"sum", "expected", "trusted"}}, "trusted".
void add_chi_square(const SolveReport& report, Json& summary) {
  Json sensors = Json::object();
  for (const NoiseFound& of : report.noise)
    sensors[of.sensor] = {{"sum", of.innovations.sum}, {"expected", of.innovations.expected}, {"trusted", json_of(of.agrees)}};
  summary["chi_square"] = {{"sum", report.chi_square}, {"expected", report.expected_chi_square}};
  summary["sensors"] = sensors;
  summary["trusted"] = json_of(report.trusted);
}

/// {"rows", "worst", "sensors"}.
Json outliers_json(const SolveReport& report) {
  Json worst = Json::array(), sensors = Json::array();
  for (const OutlierFound& sample : report.worst)
    worst.push_back({{"line", sample.line},
                     {"sensor", sample.column.empty() ? "unknown" : sample.column},
                     {"chi_square", sample.chi_square}});
  for (const FaultFound& fault : report.faults) {
    Json& told =
        sensors.emplace_back(Json{{"sensor", fault.column}, {"fault", fault_name(fault.kind)}, {"from_line", fault.from_line}});
    if (fault.kind != FaultKind::drift) continue;
    told["change"] = fault.change;
    for (const std::string& other : fault.or_else) told["or_else"].push_back(other);
  }
  return {{"rows", report.outliers}, {"worst", worst}, {"sensors", sensors}};
}

void add_estimate(const SolveReport& report, bool scaled, Json& summary) {
  const double scale = scaled ? deviation_scale({report.chi_square, report.expected_chi_square}) : 1.0;
  summary["rows_with_gaps"] = report.with_gaps;
  summary["rows_at_singular_states"] = report.at_singular_states;
  add_chi_square(report, summary);
  if (scaled) summary["sd_scale"] = scale;
  if (!report.offsets.empty()) {
    summary["biases"] = offsets_json(report, scale);
    summary["rows_not_learnt"] = report.not_learnt;
  }
  summary["outliers"] = outliers_json(report);
  if (report.bounded) {
    summary["rows_reweighted"] = report.reweighted, summary["rows_not_judged"] = report.at_singular_states;
    summary["rows_not_settled"] = report.unsettled;
  }
  if (!report.has_innovations) return;
  Json& sensors = summary["innovations"] = Json::object();
  for (const InnovationsOf& of : report.innovations) sensors[of.sensor] = of.rms;
}

}  // namespace

std::string strategy_in_words(const SolveReport& report) {
  if (report.strategy.empty()) return "none";
  if (report.estimated) return "estimator, " + report.strategy;
  return report.formulation.empty() ? report.strategy : report.formulation + ", " + report.strategy;
}

void add_details(const SolveReport& report, bool scaled, Json& summary) {
  if (report.estimated) {
    summary["remedies"] = {
        {"refined", report.remedies.refined}, {"replanned", report.replanned}, {"searched", report.searched}};
    add_estimate(report, scaled, summary);
  } else {
    summary["remedies"] = {{"refined", report.remedies.refined},
                           {"second_order", report.remedies.fallback_order},
                           {"dense", report.remedies.dense}};
  }
}

Json offsets_file(const SolveReport& report, double scale) {
  Json offsets = Json::object(), columns = Json::array(), covariance = Json::array();
  for (const OffsetFound& offset : report.offsets) {
    if (!offset.determined) continue;
    offsets[offset.column] = {{"value", offset.value}, {"sd", scale * offset.deviation}};
    columns.push_back(offset.column);
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    Json row = Json::array();
    for (std::size_t l = 0; l < columns.size(); ++l)
      row.push_back(scale * scale * report.offset_covariance[k * columns.size() + l]);
    covariance.push_back(row);
  }
  return {{"offsets", offsets}, {"columns", columns}, {"covariance", covariance}};
}

}  // namespace sparsedyn
