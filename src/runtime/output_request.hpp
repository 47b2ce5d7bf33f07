// What a name asks for among the columns of results.
#pragma once

#include <string>

namespace sparsedyn {

/// The column itself or something of it: `tau` asks for `tau.elbow`, `acc.hand` for `acc.hand.wx`.
inline bool answers(const std::string& column, const std::string& request) {
  return column == request ||
         (column.size() > request.size() && column[request.size()] == '.' && column.compare(0, request.size(), request) == 0);
}

}  // namespace sparsedyn
