#include "stage_ports.hpp"

#include <algorithm>
#include <tuple>

namespace sparsedyn {
namespace {

using Names = std::vector<std::string>;

/// Torques that no free base has, and forces.
Names control_names(const Model& model, const Names& links = {}) {
  Names names = prefixed("tau.", force_names(model));
  names.erase(names.begin(), names.begin() + (model.floating() ? 6 : 0));
  for (const std::string& link : links)
    for (const char* axis : {".x", ".y", ".z"}) names.push_back("force." + link + axis);
  return names;
}

Names state_names(const Model& model, const std::string& before, const Names& positions) {
  Names names = prefixed(before + "q.", positions);
  for (const std::string& name : prefixed(before + "dq.", velocity_names(model))) names.push_back(name);
  return names;
}

}  // namespace

StageInputs::StageInputs(Recorder& recorder, const Model& model, Multipliers multipliers, bool timed, const Names& links) {
  std::tie(q, v) = recorder.state(model);
  const std::size_t torques = control_names(model).size();
  const ExprVector u = recorder.input("u", control_names(model, links));
  if (timed) dt = recorder.input("dt", {"dt"})[0];
  if (multipliers == Multipliers::tangent)
    lambda = recorder.input("lambda", state_names(model, "lambda.", velocity_names(model)));
  if (multipliers == Multipliers::coordinates)
    lambda = recorder.input("lambda", state_names(model, "lambda.", coordinate_names(model)));
  controls = u.size();
  const auto end = u.begin() + static_cast<std::ptrdiff_t>(torques);
  tau.resize(v.size() - torques);
  tau.insert(tau.end(), u.begin(), end);
  if (links.empty()) return;
  forces = std::make_shared<const LinkForces>(model, links, q, ExprVector(end, u.end()));
  for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += forces->generalised()[k];
}

namespace {

/// row (in the order of z) += Σ_k by_tau_k ∂τ_k/∂(δq, f).
void add_through_forces(const StageInputs& in, const ExprVector& by_tau, ExprVector& row) {
  for (std::size_t k = 0; k < by_tau.size(); ++k)
    for (std::size_t c = 0; c < in.n() + in.forces->count(); ++c) {
      const Expr& slope = in.forces->slopes()[k][c];
      if (!is_zero(by_tau[k]) && !is_zero(slope)) row[c < in.n() ? c : in.n() + in.motors() + c] += by_tau[k] * slope;
    }
}

/// A row by (q, v, τ) as one by (δq, v, u).
ExprVector row_by_z(const StageInputs& in, const ExprVector& of) {
  const auto torques = of.begin() + static_cast<std::ptrdiff_t>(2 * in.n());
  ExprVector row(of.begin(), torques);
  row.insert(row.end(), of.end() - static_cast<std::ptrdiff_t>(in.motors()), of.end());
  row.resize(2 * in.n() + in.controls);
  if (in.forces) add_through_forces(in, ExprVector(torques, of.end()), row);
  return row;
}

}  // namespace

ExprVector by_z(const StageInputs& in, const RecordedForward::Gradient& of) {
  ExprVector all = of.q;
  for (const ExprVector* part : {&of.v, &of.tau}) all.insert(all.end(), part->begin(), part->end());
  ExprVector row = row_by_z(in, all);
  row.emplace_back();
  return row;
}

ExprMatrix by_z(const StageInputs& in, const ExprMatrix& of) {
  return mapped_on_both_sides(of, [&](const ExprVector& x) { return row_by_z(in, x); });
}

void output_rate(Recorder& recorder, const Model& model, const StageInputs& in, const ExprVector& a) {
  ExprVector rate = in.v;
  rate.insert(rate.end(), a.begin(), a.end());
  recorder.output("xdot", state_names(model, "xdot.", velocity_names(model)), rate);
}

void output_next(Recorder& recorder, const Model& model, const ExprVector& next) {
  recorder.output("x_next", state_names(model, "x_next.", coordinate_names(model)), next);
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
