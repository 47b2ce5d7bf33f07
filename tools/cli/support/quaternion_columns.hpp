// Quaternions among columns: q and −q are one orientation, so that signs are made alike before numbers are compared.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace sparsedyn::cli {

/// Places of x, y, z, w.
using QuaternionPlaces = std::array<std::size_t, 4>;

/// Of columns NAME.qx, NAME.qy, NAME.qz and NAME.qw, where all four are there.
std::vector<QuaternionPlaces> quaternions_among(const std::vector<std::string>& columns);

/// Turns the sign of each quaternion of b that is nearer to −a. Numbers by column.
void align_signs(const std::vector<QuaternionPlaces>& quaternions, const double* a, double* b) noexcept;

}  // namespace sparsedyn::cli
