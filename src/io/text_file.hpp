// Whole files as text.
#pragma once

#include <string>

namespace sparsedyn {

/// The bytes of a file, or of the standard input where `path` is `-`. Throws InputError (`PATH: …; expected EXPECTED`) for what
/// cannot be read, folders, and files of more than 256 MiB (a device may have no end).
std::string read_text_file(const std::string& path, const std::string& expected);

/// The bytes of a file; none where it cannot be read.
std::string text_of(const std::string& path);

}  // namespace sparsedyn
