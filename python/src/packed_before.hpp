// What packed_avx2.cpp and packed_avx512.cpp include before they ask for a processor. Only what they define after that is
// compiled for it, and all of it bears a name of its own: the linker cannot take it for the same function of another file. The
// standard library's code, which does not, stands before.
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

#include "packed.hpp"
#include "sparsedyn/detail/code.hpp"
