// JSON objects for --json: fields in the order in which they are set; numbers that are not finite become null.
#pragma once

#include <nlohmann/json.hpp>

#include "sparsedyn/scalar/counting_scalar.hpp"

namespace sparsedyn::cli {

using Json = nlohmann::ordered_json;

/// Two-space indent and a final line end; bytes that are no UTF-8 are replaced.
inline std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

inline Json counts_json(const OperationCounts& c) {
  return {{"mul", c.mul}, {"add", c.add}, {"div", c.div}, {"sqrt", c.sqrt}, {"trig", c.trig}};
}

}  // namespace sparsedyn::cli
