#include "io/files/traces.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "io/files/system_files.hpp"
#include "io/scratch_folder.hpp"

using namespace sparsedyn;
namespace fs = std::filesystem;

namespace {

void put_text(const fs::path& file) { std::ofstream(file) << "text"; }

/// A child in a process group of its own that waits for a signal; returns once it does.
pid_t waiting_child() {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGTERM, SIG_DFL);
    ::setpgid(0, 0);
    if (::write(ends[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  REQUIRE(::read(ends[0], &byte, 1) == 1);
  ::close(ends[0]), ::close(ends[1]);
  return child;
}

}  // namespace

TEST_CASE("what a run would leave behind is removed: scratch folders whole, new folders if empty, commands with their group") {
  const std::string outside = make_scratch_folder(fs::temp_directory_path().string(), "sparsedyn-outside");
  REQUIRE(!outside.empty());
  put_text(fs::path(outside) / "kept");
  fs::create_directory(fs::path(outside) / "empty");
  const ScratchFolder scratch("sparsedyn-test");
  fs::create_directories(scratch / "a/b/c");
  for (int k = 0; k < 200; ++k) put_text(scratch / ("a/b/file-" + std::to_string(k)));  // more than one block of entries
  fs::create_directory_symlink(outside, scratch / "a/link");
  const int entries[] = {add_new_folder(outside), add_new_folder((fs::path(outside) / "empty").string())};
  const pid_t child = waiting_child();
  const int group = add_process_group(child);

  remove_traces();
  CHECK_FALSE(fs::exists(scratch.path()));
  CHECK(fs::exists(fs::path(outside) / "kept"));  // a link is removed, not what it names
  CHECK_FALSE(fs::exists(fs::path(outside) / "empty"));
  CHECK(::kill(child, 0) != 0);
  for (int entry : {entries[0], entries[1], group}) forget_trace(entry);
  fs::remove_all(outside);
}

TEST_CASE("a signal ends a program without traces, and as that signal") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGTERM, SIG_DFL);
    const EndsWithoutTraces meanwhile;
    const ScratchFolder scratch("sparsedyn-test");
    put_text(scratch / "file");
    if (::write(ends[1], scratch.path().data(), scratch.path().size()) < 0) ::_exit(1);
    ::raise(SIGTERM);
    ::_exit(2);
  }
  ::close(ends[1]);
  char path[4096];
  const ssize_t length = ::read(ends[0], path, sizeof path);
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(length > 0);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGTERM);
  CHECK_FALSE(fs::exists(std::string(path, static_cast<std::size_t>(length))));
}
