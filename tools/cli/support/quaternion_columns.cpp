#include "quaternion_columns.hpp"

#include <algorithm>

namespace sparsedyn::cli {

std::vector<QuaternionPlaces> quaternions_among(const std::vector<std::string>& columns) {
  static const char* const endings[] = {".qx", ".qy", ".qz", ".qw"};
  std::vector<QuaternionPlaces> found;
  for (const std::string& column : columns) {
    if (column.size() < 4 || column.compare(column.size() - 3, 3, endings[0]) != 0) continue;
    const std::string name = column.substr(0, column.size() - 3);
    QuaternionPlaces places;
    bool all = true;
    for (std::size_t k = 0; k < 4; ++k) {
      const auto at = std::find(columns.begin(), columns.end(), name + endings[k]);
      all = all && at != columns.end();
      places[k] = static_cast<std::size_t>(at - columns.begin());
    }
    if (all) found.push_back(places);
  }
  return found;
}

void align_signs(const std::vector<QuaternionPlaces>& quaternions, const double* a, double* b) noexcept {
  for (const QuaternionPlaces& places : quaternions) {
    double along = 0;
    for (std::size_t k : places) along += a[k] * b[k];
    for (std::size_t k : places)
      if (along < 0) b[k] = -b[k];
  }
}

}  // namespace sparsedyn::cli
