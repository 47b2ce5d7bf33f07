// The temporary files to delete when a signal ends the program.
#pragma once

#include <string>

namespace sparsedyn {

/// Enters a path; returns its place in the list, or −1 where the list is full or the path too long (it is then not deleted).
int add_unfinished_file(const std::string& path) noexcept;
void forget_unfinished_file(int entry) noexcept;

}  // namespace sparsedyn
