// contact_law.h for the library, one state at a time.
#pragma once

#include <cmath>

namespace sparsedyn {

#define LAW_INLINE inline
#define LAW_APART inline
#define LAW_REAL double
#define LAW_MASK int
#define LAW_IS(condition) static_cast<int>(condition)
#define LAW_NOT(condition) static_cast<int>(!(condition))
#define LAW_ANY(condition) ((condition) != 0)
#define LAW_ONLY(condition, x) ((condition) ? (x) : 0.0)
#define LAW_PICK(condition, x, y) ((condition) ? (x) : (y))
#define LAW_ALL(x) static_cast<double>(x)
#define LAW_ABS(x) std::abs(x)
#define LAW_SQRT(x) std::sqrt(x)
#define LAW_MOST 6

#include "contact_law.h"

using LawOutlook = law_outlook;

}  // namespace sparsedyn
