// Whose compilation the functions of the headers belong to. The library and its user compile the same templates and inline
// functions, each with flags of its own: -march, -ffast-math, -O0. Where both emit a function under one name the linker keeps
// one of the two, so that flags of the user's would change what the library computes, and vectors of one width would meet code
// for another. So the code of the headers stands in an inline namespace with two names. The library's build, and nothing
// else, defines SPARSEDYN_LIBRARY. (Hidden visibility would not do: it does not part objects of one program.)
//
// Outside of it stand the types that pass between the two, whose layout no flag of the compiler changes, and the functions
// that the library defines for its users.
#pragma once

#include <string>
#include <vector>

#ifdef SPARSEDYN_LIBRARY
#define SPARSEDYN_CODE library_code
#else
#define SPARSEDYN_CODE users_code
#endif

namespace sparsedyn {

/// Does nothing. Every program that includes a header asks for it: one whose std::vector or std::string is not the library's
/// (-D_GLIBCXX_DEBUG, -D_GLIBCXX_USE_CXX11_ABI=0, libc++) does not link, and its linker's message names both types.
void needs_the_standard_library_of_sparsedyn(const std::vector<double>&, const std::string&) noexcept;

namespace detail {
[[gnu::used]] static void (*const standard_library)(const std::vector<double>&,
                                                    const std::string&) noexcept = &needs_the_standard_library_of_sparsedyn;
}  // namespace detail
}  // namespace sparsedyn
