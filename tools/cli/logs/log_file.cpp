#include "log_file.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/support/messages.hpp"
#include "io/files/run_files.hpp"
#include "io/output_file.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn::cli {

void LogFile::keep(const CommonOptions& common) {
  std::error_code error;
  if (path_ != "-" && !std::filesystem::is_fifo(path_, error) && !std::filesystem::is_character_file(path_, error)) return;
  RunFiles::reading(path_);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(path_ == "-" ? stdin : std::fopen(path_.c_str(), "rb"),
                                                           path_ == "-" ? [](std::FILE*) { return 0; } : &std::fclose);
  if (!in) throw InputError(name_, 0, "", "it cannot be read", "a log");
  folder_ = std::make_unique<ScratchFolder>("sparsedyn-log");
  const std::string copy = *folder_ / "log.csv";
  ScratchFile out(copy);
  constexpr std::size_t block = 65536;
  for (std::size_t n = block; n == block;) {
    n = std::fread(out.room(block), 1, block, in.get());
    out.advance(n);
  }
  if (std::ferror(in.get())) throw InputError(name_, 0, "", "it cannot be read", "a log");
  out.commit();
  note(common, name_ + ": read more than once, so kept in a temporary file meanwhile");
  path_ = copy;
}

}  // namespace sparsedyn::cli
