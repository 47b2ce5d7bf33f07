// The temporary files of outputs: deleted when a signal ends the program; and those that a killed program left behind.
#pragma once

#include <string>

namespace sparsedyn {

/// Enters a path; returns its place in the list, or −1 where the list is full or the path too long (it is then not deleted).
int add_unfinished_file(const std::string& path) noexcept;
void forget_unfinished_file(int entry) noexcept;

/// The name of a temporary file of this process: `.sparsedyn-PID-NUMBER.part`.
std::string unfinished_name(int number);

/// Marks a file just created as this process's own, by a lock that ends with the process, however it ends. False where another
/// process took the file for abandoned meanwhile: it is or will be deleted, so another is needed. Where the file system knows
/// no locks the file is unmarked, and nobody deletes it.
bool mark_as_own(int file) noexcept;

/// Deletes the temporary files in a folder (empty: the current one) that no process writes any more: regular files of this user
/// under such a name, whose process is gone and whose lock is free. The lock is what counts where process numbers mean nothing
/// (reused ones, containers that share a folder); the number, where a file was made without a lock. On file systems that other
/// hosts may write to, where both can mislead, nothing is deleted. Cost: one reading of the folder.
void remove_abandoned_files(const std::string& folder) noexcept;

}  // namespace sparsedyn
