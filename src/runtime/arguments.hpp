// What Solver and Estimator ask of their arguments.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

namespace sparsedyn {

/// The pointer itself; throws std::invalid_argument where it is null.
template <class T>
std::shared_ptr<T> there(std::shared_ptr<T> pointer, const char* what) {
  if (!pointer) throw std::invalid_argument("no " + std::string(what) + "; expected one");
  return pointer;
}

}  // namespace sparsedyn
