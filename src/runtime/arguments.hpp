// What Solver and Estimator ask of their arguments, and say of equations and unknowns.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace sparsedyn {

/// The pointer itself; throws std::invalid_argument where it is null.
template <class T>
std::shared_ptr<T> there(std::shared_ptr<T> pointer, const char* what) {
  if (!pointer) throw std::invalid_argument("no " + std::string(what) + "; expected one");
  return pointer;
}

/// names[k], or `otherwise` where there is no such name.
inline std::string name_of(const std::vector<std::string>& names, int k, const char* otherwise) {
  return k >= 0 && k < static_cast<int>(names.size()) ? names[k] : otherwise;
}

}  // namespace sparsedyn
