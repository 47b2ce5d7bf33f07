#include "io/output_file.hpp"

#include <sys/stat.h>

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
