// An algorithm of the catalogue as a program: its template, recorded on the Model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "codegen/minimal/minimal_formulation.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "varying_robot.hpp"
#include "wrench_inputs.hpp"

namespace sparsedyn {

/// The cheapest formulation of an algorithm without wrenches. `varying`: the robot whose parameters are inputs, or nullptr.
MinimalFormulation formulation_for(const Model& model, const std::string& algorithm, const VaryingRobot* varying);

/// Declares what an algorithm reads: q, dq, ddq, lambda, tau, pi and fx, those that it does.
class CatalogueInputs {
 public:
  CatalogueInputs(Recorder& recorder, const Model& model, const MinimalFormulation& f, const AlgorithmReads& reads,
                  bool wrenches)
      : q_(recorder.coordinates(model)) {
    const auto rates = [&](bool read, const std::string& port, std::vector<Expr>& x) {
      if (read) x = recorder.input(port, prefixed(port + ".", velocity_names(model)));
    };
    rates(reads.dq, "dq", v_), rates(reads.ddq, "ddq", a_), rates(reads.lambda, "lambda", lambda_);
    if (reads.tau) tau_ = recorder.input("tau", prefixed("tau.", force_names(model)));
    if (reads.pi) pi_ = recorder.input("pi", prefixed("pi.", parameter_names(model)));
    fx_.emplace(recorder, model, f, wrenches && reads.fx);
  }
  AlgorithmInputs<Expr> state() const {
    return {q_.data(), v_.data(), a_.data(), tau_.data(), lambda_.data(), fx_->on_bodies(), pi_.data()};
  }

 private:
  std::vector<Expr> q_, v_, a_, tau_, lambda_, pi_;
  std::optional<WrenchInputs> fx_;
};

/// Outputs: the columns that a log has, a port for those of one kind (`M` of `M.0.1`), of matrices and tensors the entries that
/// are not zero at every state.
template <class Type>
void record_from_catalogue(Recorder& recorder, const Model& model, const MinimalFormulation& f, bool wrenches) {
  const CatalogueInputs inputs(recorder, model, f, Type::reads, wrenches);
  const std::vector<AlgorithmOutput> outputs = Type::outputs();
  std::vector<std::vector<Expr>> values;
  for (const AlgorithmOutput& output : outputs) values.emplace_back(static_cast<std::size_t>(output.size(model)));
  std::vector<Expr*> out;
  for (std::vector<Expr>& value : values) out.push_back(value.data());
  AlgorithmData<Expr> data(model);
  Type::evaluate(data, inputs.state(), out.data());

  for (const AlgorithmOutput& output : outputs)
    if (output.size(model) == 0) recorder.output(output.name, {}, {});  // of a robot without freedoms
  const auto kind_of = [](const AlgorithmColumn& column) { return column.name.substr(0, column.name.find('.')); };
  const std::vector<AlgorithmColumn> columns = Type::columns(model);
  const Ref zero = Expr(0.0).ref();
  for (auto column = columns.begin(); column != columns.end();) {
    const std::string kind = kind_of(*column);
    std::vector<std::string> names;
    std::vector<Expr> entries;
    for (; column != columns.end() && kind_of(*column) == kind; ++column) {
      const Expr& entry = out[static_cast<std::size_t>(column->output)][column->entry];
      const bool may_be_left_out = outputs[static_cast<std::size_t>(column->output)].axes.size() > 1;
      if (may_be_left_out && entry.ref().node == zero.node) continue;
      names.push_back(column->name), entries.push_back(entry);
    }
    recorder.output(kind, names, entries);
  }
}

}  // namespace sparsedyn
