// external_wrench: components of sX_i* fx_i, the wrench of the world on a link in the sensor's frame, about its origin.
#pragma once

#include "sparsedyn/system/sensors/spatial_rows.hpp"

namespace sparsedyn::sensors {

template <class Sink>
void external_wrench_constants(const System& system, const Measurement& m, Sink& sink) {
  const Matrix6 X = force_transform(m.frame);
  for (std::size_t k = 0; k < m.components.size(); ++k)
    row_times(X, m.components[k], m.first_row + static_cast<int>(k), system.fx_column(m.link), sink);
}

}  // namespace sparsedyn::sensors
