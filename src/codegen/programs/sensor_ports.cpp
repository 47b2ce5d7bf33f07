#include "sensor_ports.hpp"

#include <algorithm>

namespace sparsedyn {
namespace {

/// The log column of an input: a noisy sensor's own, since others may measure the same; the quantity's for what is known.
const std::string& column_of(const System& system, const Input& input) {
  const double sigma = system.measurements()[input.measurement].sigma[input.component];
  return sigma > 0 ? input.columns.front() : input.columns.back();
}

}  // namespace

ReadInputs required_inputs(const System& system) {
  ReadInputs read;
  for (const Input& input : system.inputs()) read.push_back(input.required);
  return read;
}

SensorInputs sensor_inputs(Recorder& recorder, const System& system, const ReadInputs& read) {
  SensorInputs in;
  in.q = recorder.coordinates(system.model());
  in.v = recorder.input("dq", prefixed("dq.", velocity_names(system.model())));
  std::vector<std::string> names;
  for (std::size_t k = 0; k < read.size(); ++k)
    if (read[k]) names.push_back(column_of(system, system.inputs()[k]));
  const std::vector<Expr> y = recorder.input("y", names);
  for (std::size_t k = 0, next = 0; k < read.size(); ++k)
    in.y.push_back(read[k] ? y[next++] : Expr(system.inputs()[k].fallback));
  return in;
}

void output_by_kind(Recorder& recorder, const std::vector<std::string>& columns, const std::vector<Expr>& values) {
  const auto kind_of = [](const std::string& column) { return column.substr(0, column.find('.')); };
  std::vector<std::string> kinds;
  for (const std::string& column : columns)
    if (std::find(kinds.begin(), kinds.end(), kind_of(column)) == kinds.end()) kinds.push_back(kind_of(column));
  for (const std::string& kind : kinds) {
    std::vector<std::string> names;
    std::vector<Expr> chosen;
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (kind_of(columns[c]) == kind) names.push_back(columns[c]), chosen.push_back(values[c]);
    recorder.output(kind, names, chosen);
  }
}

}  // namespace sparsedyn
