// NAME_batch_status: which samples of a batch have inputs that are not finite.
#pragma once

#include <string>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// Its text; `@` stands for NAME.
std::string emit_batch_status(const Program& program);

}  // namespace sparsedyn
