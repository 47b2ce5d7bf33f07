// One Newton step of generated contact dynamics, recorded.
#pragma once

#include "contact_frames.hpp"

namespace sparsedyn {

/// Entries of the lower triangle over moved freedoms: for each itself, then those that it meets in the factors.
template <class Use>
void for_each_entry(const ContactLayout& layout, Use use) {
  for (int i : layout.moved) {
    use(i, i);
    for (int j : layout.before[static_cast<std::size_t>(i)]) use(i, j);
  }
}

/// ContactStages::step.
void record_step(Recorder& recorder, const Model& model, const ContactLayout& layout, const KnownColumns& known);

}  // namespace sparsedyn
