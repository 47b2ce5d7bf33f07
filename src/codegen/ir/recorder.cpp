#include "sparsedyn/codegen/recorder.hpp"

#include <stdexcept>
#include <utility>

#include "codegen/passes/factor_sums.hpp"
#include "evaluation_order.hpp"

namespace sparsedyn {

std::vector<Expr> Recorder::input(const std::string& port, const std::vector<std::string>& elements) {
  if (repeats_) return repeated(elements);
  std::vector<Expr> x;
  for (std::size_t e = 0; e < elements.size(); ++e)
    x.emplace_back(graph_.input(static_cast<int>(inputs_.size()), static_cast<int>(e)));
  declare(port, elements, x);
  return x;
}

void Recorder::declare(const std::string& port, const std::vector<std::string>& elements, const std::vector<Expr>& x) {
  inputs_.push_back({port, elements});
  for (std::size_t e = 0; e < elements.size(); ++e) known_[elements[e]] = x[e];
}

std::vector<Expr> Recorder::parameters(int others, const std::string& port, const std::vector<std::string>& elements,
                                       const std::vector<double>& nominal, const std::vector<int>& columns) {
  if (repeats_) return repeated(elements);
  std::vector<Expr> x;
  for (std::size_t e = 0; e < elements.size(); ++e) x.emplace_back(graph_.input(others, static_cast<int>(e)));
  for (std::size_t e = 0; e < elements.size(); ++e) known_[elements[e]] = x[e];
  last_ = {others, {port, elements}};
  nominal_[others] = nominal, columns_ = columns, parameters_ = x;
  return x;
}

std::vector<Port> Recorder::inputs() const {
  std::vector<Port> all = inputs_;
  if (!last_) return all;
  if (last_->first != static_cast<int>(all.size())) throw std::logic_error("parameters are not the last input");
  all.push_back(last_->second);
  return all;
}

std::vector<Expr> Recorder::repeated(const std::vector<std::string>& elements) const {
  std::vector<Expr> x;
  for (const std::string& name : elements) x.push_back(known_.at(name));
  return x;
}

/// Elements of an input vector; quaternions have unit norm.
std::vector<Expr> Recorder::posture(const Model& model, int port) {
  std::vector<Expr> q(static_cast<std::size_t>(model.nq));
  for (const Body& body : model.bodies) {
    const bool quaternion = quaternion_offset(body.joint) >= 0;
    const int plain = quaternion ? ::sparsedyn::coordinates(body.joint) - 4 : ::sparsedyn::coordinates(body.joint);
    for (int k = 0; k < plain; ++k) q[body.q + k] = Expr(graph_.input(port, body.q + k));
    if (!quaternion) continue;
    const auto u = graph_.unit_quaternion(port, body.q + plain);
    for (int k = 0; k < 4; ++k) q[body.q + plain + k] = Expr(u[k]);
  }
  return q;
}

std::vector<Expr> Recorder::coordinates(const Model& model) {
  const std::vector<std::string> names = prefixed("q.", coordinate_names(model));
  if (repeats_) return repeated(names);
  const std::vector<Expr> q = posture(model, static_cast<int>(inputs_.size()));
  declare("q", names, q);
  return q;
}

std::pair<std::vector<Expr>, std::vector<Expr>> Recorder::state(const Model& model) {
  const int port = static_cast<int>(inputs_.size());
  std::vector<std::string> names = prefixed("q.", coordinate_names(model));
  const std::vector<std::string> rates = prefixed("dq.", velocity_names(model));
  if (repeats_) return {repeated(names), repeated(rates)};
  const std::vector<Expr> q = posture(model, port);
  std::vector<Expr> v, x = q;
  for (int k = 0; k < model.nv; ++k) v.emplace_back(graph_.input(port, model.nq + k));
  names.insert(names.end(), rates.begin(), rates.end()), x.insert(x.end(), v.begin(), v.end());
  declare("x", names, x);
  return {q, v};
}

void Recorder::output(const std::string& port, const std::vector<std::string>& elements, const std::vector<Expr>& values) {
  if (repeats_) return;
  outputs_.push_back({port, elements});
  results_.emplace_back();
  any_order_.push_back(false);
  for (const Expr& e : values) results_.back().push_back(e.ref());
}

void Recorder::output_in_any_order(const std::string& port, const std::vector<std::string>& elements,
                                   const std::vector<Expr>& values) {
  output(port, elements, values);
  if (!repeats_) any_order_.back() = true;
}

Recorder::Rewritten Recorder::factored() const {
  Rewritten best{nullptr, results_, flops()};
  auto from = std::make_unique<Graph>();
  std::vector<std::vector<Ref>> results = factor_sums(graph(), results_, *from);
  for (int round = 0; round < 8; ++round) {
    const long flops = needed_operations(from->nodes(), results).flops();
    if (flops >= best.flops) break;
    best = {std::move(from), std::move(results), flops};
    from = std::make_unique<Graph>();
    results = factor_sums(*best.graph, best.results, *from);
  }
  return best;
}

Program Recorder::program() const {
  const Rewritten best = factored();
  return Program(best.graph ? *best.graph : graph(), inputs(), outputs_, best.results);
}

long Recorder::factored_cost() const {
  const Rewritten best = factored();
  return best.flops + 2 * fused_operations(best.graph ? best.graph->nodes() : graph().nodes(), best.results);
}

long Recorder::flops() const { return needed_operations(graph().nodes(), results_).flops(); }

std::vector<std::string> prefixed(const std::string& prefix, std::vector<std::string> names) {
  for (std::string& name : names) name = prefix + name;
  return names;
}

}  // namespace sparsedyn
