// Counts every allocation of the program that links it: operator new in all its forms, and so Eigen and the standard library.
#pragma once

namespace sparsedyn::test {

/// Allocations since the program started.
long allocations() noexcept;

}  // namespace sparsedyn::test
