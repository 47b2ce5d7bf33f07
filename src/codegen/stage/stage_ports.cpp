#include "stage_ports.hpp"

#include <algorithm>
#include <tuple>

namespace sparsedyn {
namespace {

using Names = std::vector<std::string>;

/// Torques that no free base has.
Names control_names(const Model& model) {
  Names names = prefixed("tau.", force_names(model));
  names.erase(names.begin(), names.begin() + (model.floating() ? 6 : 0));
  return names;
}

Names state_names(const Model& model, const std::string& before, const Names& positions) {
  Names names = prefixed(before + "q.", positions);
  for (const std::string& name : prefixed(before + "dq.", velocity_names(model))) names.push_back(name);
  return names;
}

void output_block(Recorder& recorder, const std::string& name, const ExprMatrix& J, std::size_t first, std::size_t columns) {
  Names names;
  ExprVector entries;
  for (std::size_t r = 0; r < J.size(); ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      names.push_back(name + "." + std::to_string(r) + "." + std::to_string(c));
      entries.push_back(J[r][first + c]);
    }
  recorder.output(name, names, entries);
}

}  // namespace

StageInputs::StageInputs(Recorder& recorder, const Model& model, bool multipliers, bool timed) {
  std::tie(q, v) = recorder.state(model);
  const ExprVector u = recorder.input("u", control_names(model));
  if (timed) dt = recorder.input("dt", {"dt"})[0];
  if (multipliers) lambda = recorder.input("lambda", state_names(model, "lambda.", velocity_names(model)));
  controls = u.size();
  tau.resize(v.size() - controls);
  tau.insert(tau.end(), u.begin(), u.end());
}

ExprVector by_z(const StageInputs& in, const RecordedForward::Gradient& of) {
  ExprVector row = of.q;
  row.insert(row.end(), of.v.begin(), of.v.end());
  row.insert(row.end(), of.tau.end() - static_cast<std::ptrdiff_t>(in.controls), of.tau.end());
  row.emplace_back();
  return row;
}

ExprMatrix by_z(const StageInputs& in, const ExprMatrix& of) {
  const std::size_t n = in.n(), unactuated = n - in.controls;
  ExprMatrix H;
  for (std::size_t i = 0; i < 3 * n; ++i) {
    if (i >= 2 * n && i < 2 * n + unactuated) continue;
    H.push_back(of[i]);
    if (i >= 2 * n)
      H.back().erase(H.back().begin() + static_cast<std::ptrdiff_t>(2 * n),
                     H.back().begin() + static_cast<std::ptrdiff_t>(2 * n + unactuated));
    H.back().resize(2 * n + in.controls);
  }
  return H;
}

void output_rate(Recorder& recorder, const Model& model, const StageInputs& in, const ExprVector& a) {
  ExprVector rate = in.v;
  rate.insert(rate.end(), a.begin(), a.end());
  recorder.output("xdot", state_names(model, "xdot.", velocity_names(model)), rate);
}

void output_next(Recorder& recorder, const Model& model, const ExprVector& next) {
  recorder.output("x_next", state_names(model, "x_next.", coordinate_names(model)), next);
}

void output_jacobians(Recorder& recorder, const Model& model, const StageInputs& in, const Names& asked, const ExprMatrix& J) {
  const auto asks = [&](const char* name) { return std::find(asked.begin(), asked.end(), name) != asked.end(); };
  if (asks("A")) output_block(recorder, "A", J, 0, 2 * in.n());
  if (asks("B")) output_block(recorder, "B", J, 2 * in.n(), in.controls);
  if (!asks("T")) return;
  ExprVector column;
  for (const ExprVector& row : J) column.push_back(row.back());
  recorder.output("T", state_names(model, "T.", velocity_names(model)), column);
}

void output_gradient(Recorder& recorder, const ExprVector& g) {
  Names names;
  for (std::size_t k = 0; k < g.size(); ++k) names.push_back("g." + std::to_string(k));
  recorder.output("g", names, g);
}

void output_hessian(Recorder& recorder, const ExprMatrix& H) {
  Names names;
  ExprVector entries;
  for (std::size_t i = 0; i < H.size(); ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      if (H[i][k].ref() == Ref{}) continue;
      names.push_back("H." + std::to_string(i) + "." + std::to_string(k));
      entries.push_back(H[i][k]);
    }
  recorder.output("H", names, entries);
}

}  // namespace sparsedyn
