#include "support.hpp"

#include <algorithm>

namespace sparsedyn::test {
namespace {

int body_of(const Model& model, int freedom) {
  int found = 0;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b)
    if (model.bodies[b].v <= freedom) found = b;
  return found;
}

}  // namespace

bool on_one_branch(const Model& model, int i, int k) {
  int low = body_of(model, std::max(i, k));
  const int high = body_of(model, std::min(i, k));
  while (low > high) low = model.bodies[low].parent;
  return low == high;
}

}  // namespace sparsedyn::test
