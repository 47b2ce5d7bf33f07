#include "io/record_reader.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string_view>

#include "io/text_file.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "support/temporary_folder.hpp"

using namespace sparsedyn;
using test::TemporaryFolder;

namespace {

/// A pipe, and the path under which its reading end can be opened.
class Pipe {
 public:
  Pipe() { REQUIRE(::pipe(ends_) == 0); }
  ~Pipe() {
    ::close(ends_[0]);
    end();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(ends_[0]); }
  void write(std::string_view text) const {
    REQUIRE(::write(ends_[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  void end() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2];
};

}  // namespace

TEST_CASE("a record of a pipe waits until its line has ended, and blank lines are no records") {
  Pipe pipe;
  pipe.write("a,b\n");
  RecordReader log(pipe.path());
  CHECK_FALSE(log.waits());
  REQUIRE(log.next());
  CHECK(log.record() == "a,b");
  CHECK(log.waits());
  pipe.write("1,");
  CHECK(log.waits());
  pipe.write("2\n\n \t\n");
  CHECK_FALSE(log.waits());
  REQUIRE(log.next());
  CHECK(log.record() == "1,2");
  CHECK(log.line() == 2);
  CHECK(log.waits());
  pipe.write("3,4");
  pipe.end();
  CHECK_FALSE(log.waits());  // the end of the pipe ends the line, too
  REQUIRE(log.next());
  CHECK(log.record() == "3,4");
  CHECK(log.line() == 5);
  CHECK_FALSE(log.waits());
  CHECK_FALSE(log.next());
}

TEST_CASE("a record without an end is refused before it takes all memory") {
  const TemporaryFolder folder;
  const std::string path = folder.file("log.csv", "a,b\n");
  std::filesystem::resize_file(path, 65 * 1024 * 1024);  // zeros, which take no room on the disk
  RecordReader log(path);
  REQUIRE(log.next());
  CHECK_THROWS_WITH(log.next(), path + ":2: a record of more than 64 MiB; expected a line end, or a quote that closes");
}

TEST_CASE("a text file is read byte for byte, and what is none is refused") {
  const TemporaryFolder folder;
  const std::string text("one\r\ntwo\0three", 14), path = folder.file("text", text);
  CHECK(read_text_file(path, "a text") == text);
  CHECK_THROWS_WITH(read_text_file(folder.path(), "a text"), folder.path() + ": a directory; expected a text");
  CHECK_THROWS_WITH(read_text_file(folder / "none", "a text"),
                    folder / "none" + ": cannot be read (No such file or directory); expected a text");
}
