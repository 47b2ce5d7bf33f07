// What a URDF is refused with.
#pragma once

#include <string>

#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace sparsedyn::test {

/// The message, or `accepted`; the file is called r.urdf.
inline std::string error_of(const std::string& text) {
  try {
    parse_urdf(text, "r.urdf");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace sparsedyn::test
