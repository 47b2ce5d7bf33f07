// contact_bend.h and loop_bend.h for the library, one state at a time.
#pragma once

#include "constraints/contact_law.hpp"

namespace sparsedyn {

#include "contact_bend.h"
#include "loop_bend.h"

using LawGrip = law_grip;
using LawBend = law_bend;

}  // namespace sparsedyn
