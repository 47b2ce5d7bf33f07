// JSON objects as the program and the Python package write them: fields in the order in which they are set; numbers that are
// not finite become null.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sparsedyn/scalar/counting_scalar.hpp"

namespace sparsedyn::json {

using Json = nlohmann::ordered_json;

/// Two-space indent and a final line end; bytes that are no UTF-8 are replaced. Control characters that JSON lets stand in a
/// text (DEL and C1) are written \u0080 too: a terminal may take them for commands.
std::string json_text(const Json& json);

inline Json counts_json(const OperationCounts& c) {
  return {{"mul", c.mul}, {"add", c.add}, {"div", c.div}, {"sqrt", c.sqrt}, {"trig", c.trig}};
}

}  // namespace sparsedyn::json
