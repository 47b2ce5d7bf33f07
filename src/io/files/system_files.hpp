// What POSIX and Windows do differently with files. Each has its own source: system_files.cpp, here and in
// src/io/windows.
#pragma once

#include <string>
#include <string_view>

namespace sparsedyn {

/// Each opens a file for bytes, whose line ends stay as they are, and which no program that is started inherits. Returns the
/// descriptor, or −1 with the reason in errno.
/// @{
int open_to_read(const std::string& path) noexcept;
int open_to_write(const std::string& path) noexcept;  // one that is there: a device, a FIFO
int create_file(const std::string& path) noexcept;    // one that is not there yet
/// @}

/// Gives `from` the name `to`, in the place of what had it. False with the reason in errno.
bool replace_file(const std::string& from, const std::string& to) noexcept;
/// Gives the file a second name. False with the reason in errno.
bool add_name(const std::string& path, const std::string& second) noexcept;
/// False with the reason in errno.
bool make_folder(const std::string& path) noexcept;
/// A new folder `NAME-` and six letters, in `folder`; empty where none can be made.
std::string make_scratch_folder(const std::string& folder, const std::string& name);

/// Gives an open file the permissions of another one (st_mode); where the system has none of that kind, nothing.
void set_permissions(int file, unsigned mode) noexcept;
/// A second descriptor, which holds the file's lock after the first is closed; −1 where open files cannot be renamed.
int second_descriptor(int file) noexcept;
/// Replaces the first bytes of an open file. False with the reason in errno.
bool overwrite_first_bytes(int file, std::string_view text) noexcept;
/// Whether reading would not wait: something has arrived, or the end.
bool has_arrived(int file) noexcept;

}  // namespace sparsedyn
