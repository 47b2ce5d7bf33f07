#include "system_files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

namespace sparsedyn {

int open_to_read(const std::string& path) noexcept { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }
int open_to_write(const std::string& path) noexcept { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC); }
int create_file(const std::string& path) noexcept {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

bool replace_file(const std::string& from, const std::string& to) noexcept {
  return std::rename(from.c_str(), to.c_str()) == 0;
}
bool add_name(const std::string& path, const std::string& second) noexcept { return ::link(path.c_str(), second.c_str()) == 0; }
bool make_folder(const std::string& path) noexcept { return ::mkdir(path.c_str(), 0777) == 0; }

std::string make_scratch_folder(const std::string& folder, const std::string& name) {
  std::string path = (std::filesystem::path(folder) / (name + "-XXXXXX")).string();
  return ::mkdtemp(path.data()) ? path : "";
}

void set_permissions(int file, unsigned mode) noexcept { ::fchmod(file, mode & 07777u); }
int second_descriptor(int file) noexcept { return ::fcntl(file, F_DUPFD_CLOEXEC, 0); }

bool overwrite_first_bytes(int file, std::string_view text) noexcept {
  return ::pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

bool has_arrived(int file) noexcept {
  pollfd asked{file, POLLIN, 0};
  return ::poll(&asked, 1, 0) != 0;
}

}  // namespace sparsedyn
