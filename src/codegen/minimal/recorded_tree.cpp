#include "recorded_tree.hpp"

#include <cmath>

#include "model/base_parameters.hpp"

namespace sparsedyn {
namespace {

/// The bodies' own inertias in the tree's frames, in metres: recorded where they vary, else the numbers of the tree.
std::vector<Inertia<Expr>> own_inertias(const Model& model, const MinimalTree& own) {
  std::vector<Inertia<Expr>> inertia;
  for (std::size_t i = 0; i < own.bodies.size(); ++i) {
    const Inertia<double>& body = model.bodies[i].inertia;
    inertia.push_back(varies<Expr>(body) ? to_parent(own.bodies[i].body_frame, inertia_in<Expr>(body))
                                         : cast<Expr>(own.bodies[i].inertia));
  }
  return inertia;
}

/// The tree in metres with every body's own inertia.
MinimalTree in_metres(const Model& model, MinimalOptions options) {
  options.unit = 1, options.base_parameters = false;
  return minimal_tree(model, options);
}

/// A number that no robot of the recording has.
double fresh_number() {
  double x = 0.4142093587462131;
  while (Recording::varying(x)) x = std::nextafter(x, 1.0);
  return x;
}

/// Each number of a body of the tree stands for its value. Where that is a constant the number becomes this constant. Where it
/// is none, but has been rounded to zero, the number becomes one that occurs nowhere else.
void stand_for(Inertia<double>& body, const Inertia<Expr>& values) {
  for_each_number(body, values, [](double& number, const Expr& value) {
    const Graph& graph = Recording::graph();
    if (graph.is_constant(value.ref()))
      number = graph.value(value.ref());
    else if (number == 0)
      number = fresh_number();
    Recording::stands_for(number, value.ref());
  });
}

}  // namespace

MinimalTree recorded_tree(const Model& model, MinimalOptions options) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (varies<Expr>(model.bodies[i].inertia)) options.varying.push_back(static_cast<int>(i));
  if (options.varying.empty()) return minimal_tree(model, options);
  options.balanced = false;
  MinimalTree tree = minimal_tree(model, options);
  const MinimalTree own = in_metres(model, options);
  std::vector<Inertia<Expr>> inertia = own_inertias(model, own);
  if (options.base_parameters) move_to_parents(own, options.kept, inertia);
  for (std::size_t i = 0; i < inertia.size(); ++i) {
    inertia[i].m = (options.unit * options.unit) * inertia[i].m;
    inertia[i].h = options.unit * inertia[i].h;
    stand_for(tree.bodies[i].inertia, inertia[i]);
    stand_for(tree.bodies[i].moved, inertia[i]);
  }
  return tree;
}

}  // namespace sparsedyn
