#include "run_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "io/unfinished_files.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "system_files.hpp"
#include "traces.hpp"

namespace sparsedyn {
namespace {

namespace fs = std::filesystem;

thread_local RunFiles* current = nullptr;

[[noreturn]] void refuse(const FinishedFile& file, int reason) {
  throw InputError(file.path, 0, "", "cannot be written: " + std::string(std::strerror(reason)), "");
}

FileIdentity input_identity(const std::string& path) {
  return path == "-" ? identity_of_open(STDIN_FILENO) : identity_of(path);
}

void release(FinishedFile& file) {
  if (file.lock >= 0) ::close(file.lock);
  forget_unfinished_file(file.entry);
  file.lock = file.entry = -1;
}

void discard(FinishedFile& file) {
  ::unlink(file.temporary.c_str());
  release(file);
}

/// What is there under a second name, so that it can come back.
class KeptAside {
 public:
  explicit KeptAside(const FinishedFile& file) : target_(file.target) {
    const fs::path folder = fs::path(target_).parent_path();
    int reason = EEXIST;
    for (int number = 0; reason == EEXIST && number < 1000; ++number) {
      name_ = (folder / unfinished_name(number)).string();
      reason = add_name(target_, name_) ? 0 : errno;
    }
    if (reason != 0) name_.clear();
    nothing_there_ = reason == ENOENT;
  }
  void forget() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  /// Where no second name could be given, the new file stays: better than none.
  void put_back() {
    if (!name_.empty()) replace_file(name_, target_);
    if (nothing_there_) ::unlink(target_.c_str());
  }

 private:
  std::string target_, name_;
  bool nothing_there_ = false;
};

}  // namespace

RunFiles::RunFiles() { current = this; }

RunFiles::~RunFiles() {
  current = nullptr;
  for (FinishedFile& file : finished_) discard(file);
  for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) {
    ::rmdir(folder->path.c_str());
    forget_trace(folder->entry);
  }
}

void RunFiles::add_input(const FileIdentity& identity, const std::string& said) {
  if (!identity.keeps()) return;
  for (const Known& output : outputs_)
    if (output.identity == identity) throw FilesClash(output.said + ": that file is an input (" + said + ")");
  inputs_.push_back({identity, "", said, true});
}

void RunFiles::refuse_input(const Known& output) const {
  if (!output.identity.keeps()) return;
  for (const Known& input : inputs_)
    if (input.identity == output.identity) throw FilesClash(output.said + ": that file is an input (" + input.said + ")");
}

void RunFiles::will_read(const std::string& path, const std::string& said) {
  const FileIdentity identity = input_identity(path);
  if (identity.keeps() && identity == identity_of_open(STDOUT_FILENO))
    throw FilesClash("the standard output: that file is an input (" + said + ")");
  add_input(identity, said);
}

void RunFiles::will_write(const std::string& path, const std::string& said) {
  const Known output{path == "-" ? identity_of_open(STDOUT_FILENO) : identity_of(path), path, said, false};
  refuse_input(output);
  for (const Known& other : outputs_)
    if ((path == "-" && other.path == "-") || (other.identity == output.identity && !output.identity.is_device()))
      throw FilesClash(other.said + " and " + said + ": the same file; expected one of its own for each");
  outputs_.push_back(output);
}

void RunFiles::reading(const std::string& path) {
  if (!current) return;
  if (path == "-")
    current->will_read(path, "the standard input");
  else
    current->add_input(identity_of(path), path);
}

void RunFiles::writing(const std::string& path) {
  if (!current || path == "-") return;
  const FileIdentity identity = identity_of(path);
  const auto known = std::find_if(current->outputs_.begin(), current->outputs_.end(),
                                  [&](const Known& output) { return output.identity == identity; });
  if (known == current->outputs_.end()) {
    current->refuse_input({identity, path, path, true});
    current->outputs_.push_back({identity, path, path, true});
  } else {
    current->refuse_input(*known);
    if (std::exchange(known->opened, true) && !identity.is_device()) throw FilesClash(path + ": would be written twice");
  }
}

bool RunFiles::hold(FinishedFile&& file) {
  if (!current) return false;
  current->finished_.push_back(std::move(file));
  return true;
}

/// All renamed, or what was there before back in its place.
void RunFiles::put_in_place() {
  std::vector<KeptAside> before;
  const FinishedFile* failed = nullptr;
  int reason = 0;
  for (const FinishedFile& file : finished_) {
    KeptAside there(file);
    if (!replace_file(file.temporary, file.target)) {
      reason = errno, failed = &file;
      there.forget();
      break;
    }
    before.push_back(std::move(there));
  }
  for (KeptAside& there : before) failed ? there.put_back() : there.forget();
  if (failed) refuse(*failed, reason);
}

void RunFiles::commit() {
  const SignalsWait all_or_none;
  put_in_place();
  for (FinishedFile& file : finished_) release(file);
  for (const NewFolder& folder : folders_) forget_trace(folder.entry);
  finished_.clear(), folders_.clear();
}

void put_in_place(FinishedFile&& file) {
  const int reason = replace_file(file.temporary, file.target) ? 0 : errno;
  if (reason == 0) return release(file);
  discard(file);
  refuse(file, reason);
}

void make_output_folder(const std::string& path) {
  std::vector<fs::path> missing;
  std::error_code error;
  for (fs::path at = fs::path(path) / ""; at.has_relative_path() && !fs::exists(at, error); at = at.parent_path())
    if (at.has_filename()) missing.push_back(at);
  for (auto folder = missing.rbegin(); folder != missing.rend(); ++folder) {
    const SignalsWait until_entered;
    if (make_folder(folder->string())) {
      if (current) current->folders_.push_back({folder->string(), add_new_folder(folder->string())});
    } else if (errno != EEXIST) {
      throw InputError(path, 0, "", "cannot be made: " + std::string(std::strerror(errno)), "");
    }
  }
  if (!fs::is_directory(path, error))
    throw InputError(path, 0, "", "cannot be made: " + std::string(std::strerror(ENOTDIR)), "");
}

}  // namespace sparsedyn
