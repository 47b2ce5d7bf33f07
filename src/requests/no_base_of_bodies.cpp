// In place of base_of_bodies.cpp in builds without identification.
#include "base_of_bodies.hpp"
#include "io/suggestions.hpp"

namespace sparsedyn {

BaseOfBodies base_of_bodies(const Model&, const std::vector<double>&) {
  throw UsageError("base parameters: not in this build; expected one with -DSPARSEDYN_IDENTIFICATION=ON");
}

}  // namespace sparsedyn
