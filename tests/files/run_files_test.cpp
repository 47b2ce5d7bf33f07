// The files of a run: which are the same, and that all appear or none.
#include "io/files/run_files.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <thread>

#include "io/csv_reader.hpp"
#include "io/files/traces.hpp"
#include "io/output_file.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "support/temporary_folder.hpp"

using namespace sparsedyn;
using test::TemporaryFolder;
using test::text_of;

namespace {

namespace fs = std::filesystem;

}  // namespace

TEST_CASE("files are the same by what they are, not by how they are called") {
  const TemporaryFolder folder;
  const std::string file = folder.file("file", "");
  fs::create_symlink("file", folder / "link"), fs::create_hard_link(file, folder / "second");
  fs::create_symlink("not there", folder / "dangling"), fs::create_directory_symlink(".", folder / "here");
  for (const char* name : {"link", "second", "here/file", "here/./here/link"})
    CHECK(identity_of(folder / name) == identity_of(file));
  CHECK(!(identity_of(folder / "file2") == identity_of(file)));
  for (const char* name : {"dangling", "here/not there", "./not there", "here/dangling"})
    CHECK(identity_of(folder / name) == identity_of(folder / "not there"));
  CHECK(identity_of(folder / "new/a/../b") == identity_of(folder / "here/new/b"));
  CHECK(!(identity_of(folder / "new/b") == identity_of(folder / "new/c")));
  CHECK(identity_of(file).keeps());
  CHECK(identity_of(folder / "new/b").keeps());
  CHECK(!identity_of(folder.path()).keeps());
  CHECK(identity_of("/dev/null").is_device());
}

TEST_CASE("a file that is read, or is going to be, is not written, whichever comes first") {
  const TemporaryFolder folder;
  const std::string a = folder.file("a", "q\n1\n"), b = folder.file("b", "q\n1\n");
  fs::create_symlink(a, folder / "link");
  {
    RunFiles run;
    run.will_read(a, "--log a");
    CHECK_THROWS_WITH(run.will_write(folder / "link", "-o link"), "-o link: that file is an input (--log a)");
    CHECK_THROWS_AS(OutputFile(folder / "link"), FilesClash);
    run.will_write(b, "-o b");
    CHECK_THROWS_WITH(CsvReader(b), Catch::Contains("-o b: that file is an input"));
    CHECK_THROWS_WITH(run.will_write(folder / "./b", "--report b"), Catch::Contains("-o b and --report b: the same file"));
  }
  {
    RunFiles run;
    CsvReader reads(b);
    CHECK_THROWS_AS(OutputFile(b), FilesClash);
    OutputFile once(folder / "new");
    CHECK_THROWS_WITH(OutputFile(folder / "new"), Catch::Contains("written twice"));
    OutputFile null("/dev/null"), again("/dev/null");
  }
  CHECK(text_of(a) == "q\n1\n");
  CHECK(folder.entries() == 3);
  CsvReader reads(a);
  write_file(a, "nobody minds");
  CHECK(text_of(a) == "nobody minds");
}

TEST_CASE("files of a run appear together, and scratch files at once") {
  const TemporaryFolder folder;
  const std::string old = folder.file("old", "before");
  {
    RunFiles run;
    write_file(old, "after");
    write_file(folder / "new", "text");
    write_scratch_file(folder / "scratch", "text");
    CHECK(text_of(old) == "before");
    CHECK(!fs::exists(folder / "new"));
    CHECK(fs::exists(folder / "scratch"));
    std::thread([&] { write_file(folder / "of another thread", ""); }).join();
    CHECK(fs::exists(folder / "of another thread"));
    run.commit();
    CHECK(text_of(old) == "after");
    CHECK(text_of(folder / "new") == "text");
  }
  CHECK(folder.entries() == 4);
  {
    const RunFiles run;
    write_file(old, "never");
    make_output_folder(folder / "a/b");
    write_file(folder / "a/b/c", "never");
  }
  CHECK(text_of(old) == "after");
  CHECK(folder.entries() == 4);
}

TEST_CASE("where a file cannot take its place, those before it are as they were") {
  const TemporaryFolder folder;
  const std::string old = folder.file("old", "before"), target = folder / "blocked";
  {
    RunFiles run;
    write_file(old, "after");
    write_file(folder / "new", "text");
    write_file(target, "text");
    write_file(folder / "last", "text");
    fs::create_directories(target + "/full");  // since it was opened
    CHECK_THROWS_AS(run.commit(), InputError);
  }
  CHECK(text_of(old) == "before");
  CHECK(!fs::exists(folder / "new"));
  CHECK(!fs::exists(folder / "last"));
  CHECK(folder.entries() == 2);
}

TEST_CASE("a new folder with other files in it is not removed") {
  const TemporaryFolder folder;
  {
    const RunFiles run;
    make_output_folder(folder / "a/b/");
    folder.file("a/mine", "");
  }
  CHECK(fs::exists(folder / "a/mine"));
  CHECK(!fs::exists(folder / "a/b"));
  make_output_folder(folder / "kept/deep");
  CHECK(fs::exists(folder / "kept/deep"));
  CHECK_THROWS_AS(make_output_folder(folder.file("file", "")), InputError);
  CHECK_THROWS_AS(make_output_folder(folder / "file/deep"), InputError);
}

TEST_CASE("a signal handler removes scratch folders with all in them, and new ones that are empty") {
  const TemporaryFolder folder;
  const std::string scratch = folder / "scratch", empty = folder / "empty", full = folder / "full";
  for (const std::string& path : {scratch, empty, full}) fs::create_directory(path);
  fs::create_directories(scratch + "/a/b/c");
  for (int k = 0; k < 300; ++k) folder.file("scratch/file" + std::to_string(k), "text");
  const std::string kept = folder.file("full/file", "text");
  fs::create_directory_symlink(full, scratch + "/link");
  fs::create_directory(folder / "later");
  const pid_t child = ::fork();  // which has no other traces
  if (child == 0) {
    add_scratch_folder(scratch), add_new_folder(empty), add_new_folder(full);
    forget_trace(add_new_folder(folder / "later"));
    remove_traces();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(!fs::exists(scratch));
  CHECK(!fs::exists(empty));
  CHECK(text_of(kept) == "text");
  CHECK(fs::exists(folder / "later"));
}
