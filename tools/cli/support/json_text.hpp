// JSON objects for --json.
#pragma once

#include "json/json_text.hpp"

namespace sparsedyn::cli {

using json::counts_json;
using json::Json;
using json::json_text;

}  // namespace sparsedyn::cli
