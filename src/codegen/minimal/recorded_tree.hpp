// The MinimalTree of a robot that is recorded, whose inertias may be inputs of the program.
#pragma once

#include "model/minimal_tree.hpp"
#include "sparsedyn/codegen/expr.hpp"

namespace sparsedyn {

/// use(number, value) of the ten numbers of a body and their values.
template <class Body, class Use>
void for_each_number(Body& body, const Inertia<Expr>& values, const Use& use) {
  use(body.m, values.m);
  for (int k = 0; k < 3; ++k) use(body.h[k], values.h[k]);
  auto& s = body.moments;
  const Sym3<Expr>& x = values.moments;
  use(s.xx, x.xx), use(s.xy, x.xy), use(s.xz, x.xz), use(s.yy, x.yy), use(s.yz, x.yz), use(s.zz, x.zz);
}

/// minimal_tree(model, options). Where inertias of the model vary (Recording::stands_for), those of the tree are recorded,
/// linear in the model's, and their numbers stand for them; the choices that depend on the size of inertias are then not made:
/// no frame follows a centre of mass, and shared parameters are all the parent's.
MinimalTree recorded_tree(const Model& model, MinimalOptions options);

}  // namespace sparsedyn
