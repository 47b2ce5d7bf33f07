// packed_avx2.cpp and packed_avx512.cpp include this file before the pragma that selects the instruction set. Functions of the
// standard library keep one name in all files, and the linker may choose any copy. They are included here, so that no copy uses
// instructions that the processor may lack. What follows the pragma has a name of its own in each file.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "packed.hpp"
#include "sparsedyn/detail/code.hpp"
