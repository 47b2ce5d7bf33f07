#include "io/output_file.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <thread>

#include "sparsedyn/io/input_error.hpp"
#include "support/temporary_folder.hpp"

using namespace sparsedyn;
using test::TemporaryFolder;
using test::text_of;

TEST_CASE("a file appears when it is complete") {
  TemporaryFolder folder;
  const std::string path = folder.file("out.txt", "old");
  {
    OutputFile file(path);
    file.write("new");
    CHECK(text_of(path) == "old");
    CHECK(folder.entries() == 2);
    file.commit();
    CHECK(text_of(path) == "new");
  }
  CHECK(folder.entries() == 1);
}

TEST_CASE("without commit nothing changes and nothing is left") {
  TemporaryFolder folder;
  const std::string path = folder.file("out.txt", "old");
  { OutputFile(path).write(std::string(1000000, 'x')); }
  CHECK(text_of(path) == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("the start of a file can be replaced once the rest is known") {
  TemporaryFolder folder;
  OutputFile file(folder / "out.txt");
  const std::string rest(1000000, 'x');
  file.write("????");
  file.write(rest);
  file.overwrite_start("4242");
  file.commit();
  CHECK(text_of(folder / "out.txt") == "4242" + rest);
}

TEST_CASE("a signal handler can delete what is unfinished") {
  TemporaryFolder folder;
  OutputFile file(folder / "out.txt");
  CHECK(folder.entries() == 1);
  remove_unfinished_files();
  CHECK(folder.entries() == 0);
}

TEST_CASE("links are followed to their target") {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "deep");
  std::filesystem::create_symlink("deep/target.txt", folder / "second");
  std::filesystem::create_symlink("second", folder / "first");
  write_file(folder / "first", "through");
  CHECK(std::filesystem::is_symlink(folder / "first"));
  CHECK(std::filesystem::is_symlink(folder / "second"));
  CHECK(text_of(folder / "deep/target.txt") == "through");
  CHECK(folder.entries() == 3);
}

TEST_CASE("permissions of a file that is replaced stay") {
  TemporaryFolder folder;
  const std::string path = folder.file("out.txt", "old");
  ::chmod(path.c_str(), 0640);
  write_file(path, "new");
  struct stat there;
  REQUIRE(::stat(path.c_str(), &there) == 0);
  CHECK((there.st_mode & 0777) == 0640);
}

TEST_CASE("a FIFO is written directly") {
  TemporaryFolder folder;
  const std::string path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::string read;
  std::thread reader([&] { read = text_of(path); });
  write_file(path, "through a pipe");
  reader.join();
  CHECK(read == "through a pipe");
  CHECK(folder.entries() == 1);
}

TEST_CASE("what cannot be written is named") {
  TemporaryFolder folder;
  CHECK_THROWS_WITH(OutputFile("/no/such/folder/x"), "/no/such/folder/x: cannot be written: No such file or directory");
  CHECK_THROWS_WITH(OutputFile(folder / "."), Catch::EndsWith("cannot be written: is a folder"));
  CHECK_THROWS_WITH(write_file("/dev/full", "x"), "/dev/full: cannot be written: No space left on device");
  CHECK_NOTHROW(write_file("/dev/null", "x"));
}

namespace {

/// A process that writes `path` and never finishes; killed with all that it holds.
class Writer {
 public:
  explicit Writer(const std::string& path) {
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    process_ = ::fork();
    if (process_ == 0) {
      OutputFile file(path);
      if (::write(ready[1], "x", 1) == 1) ::pause();
      ::_exit(0);
    }
    char x;
    REQUIRE(::read(ready[0], &x, 1) == 1);
    ::close(ready[0]), ::close(ready[1]);
  }
  ~Writer() { kill(); }
  void kill() {
    if (process_ < 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = -1;
  }

 private:
  pid_t process_;
};

}  // namespace

TEST_CASE("what a killed process left is deleted by the next that writes there, and by nobody while it lives") {
  TemporaryFolder folder;
  Writer writer(folder / "out.txt");
  CHECK(folder.entries() == 1);
  write_file(folder / "other.txt", "new");
  CHECK(folder.entries() == 2);  // the living one's file is there
  writer.kill();
  CHECK(folder.entries() == 2);
  write_file(folder / "other.txt", "newer");
  CHECK(folder.entries() == 1);
  CHECK(text_of(folder / "other.txt") == "newer");
}

TEST_CASE("a process that ended and was not asked for yet is gone too") {
  TemporaryFolder folder;
  const pid_t process = ::fork();
  if (process == 0) {
    OutputFile file(folder / "out.txt");
    ::kill(::getpid(), SIGKILL);
  }
  siginfo_t info;
  REQUIRE(::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOWAIT) == 0);
  CHECK(folder.entries() == 1);
  write_file(folder / "other.txt", "new");
  CHECK(folder.entries() == 1);
  ::waitpid(process, nullptr, 0);
}

TEST_CASE("only temporary files of processes that are gone are deleted") {
  TemporaryFolder folder;
  const std::string gone = std::to_string(4194304 + 7);  // beyond Linux's largest process number
  folder.file(".sparsedyn-" + gone + "-0.part", "left behind");
  const std::vector<std::string> kept = {".sparsedyn-1-0.part",  // a process that lives
                                         ".sparsedyn-" + std::to_string(::getpid()) + "-7.part",
                                         ".sparsedyn-" + gone + "-0.part.txt",
                                         ".sparsedyn-" + gone + ".part",
                                         ".sparsedyn-" + gone + "-x.part",
                                         ".sparsedyn--" + gone + "-0.part",
                                         "sparsedyn-" + gone + "-0.part"};
  for (const std::string& name : kept) folder.file(name, "");
  std::filesystem::create_directory(folder / (".sparsedyn-" + gone + "-1.part"));
  std::filesystem::create_symlink("nowhere", folder / (".sparsedyn-" + gone + "-2.part"));
  write_file(folder / "out.txt", "new");
  for (const std::string& name : kept) CHECK(std::filesystem::exists(folder / name));
  CHECK(std::filesystem::is_directory(folder / (".sparsedyn-" + gone + "-1.part")));
  CHECK(std::filesystem::is_symlink(folder / (".sparsedyn-" + gone + "-2.part")));
  CHECK(!std::filesystem::exists(folder / (".sparsedyn-" + gone + "-0.part")));
}
