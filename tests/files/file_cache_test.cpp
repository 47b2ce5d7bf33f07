// The cache trusts nobody but its user: what others may have put there is neither used nor removed.
#include "io/file_cache.hpp"

#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>

#include "support/temporary_folder.hpp"

using namespace sparsedyn;
using test::TemporaryFolder;
using test::text_of;

namespace {

namespace fs = std::filesystem;

const std::string key = "0123456789abcdef", other_key = "fedcba9876543210-12";

void make_old(const std::string& path) {
  const timeval long_ago[2]{{1'000'000'000, 0}, {1'000'000'000, 0}};
  REQUIRE(::lutimes(path.c_str(), long_ago) == 0);
}

unsigned mode_of(const std::string& path) {
  struct stat s;
  REQUIRE(::lstat(path.c_str(), &s) == 0);
  return s.st_mode & 07777;
}

std::string only_file(const std::string& folder) {
  REQUIRE(std::distance(fs::directory_iterator(folder), {}) == 1);
  return fs::directory_iterator(folder)->path().string();
}

}  // namespace

TEST_CASE("what is kept is read again, is the user's alone, and goes when it is old") {
  const TemporaryFolder folder;
  for (mode_t mask : {0, 022, 077}) {
    const std::string place = folder / std::to_string(mask);
    fs::create_directory(place);
    const mode_t before = ::umask(mask);
    const FileCache cache(place + "/deep/cache", "so");
    CHECK(cache.keep(key, "text"));
    ::umask(before);
    CHECK(cache.read(key) == "text");
    CHECK(cache.read(other_key).empty());
    const std::string file = only_file(place + "/deep/cache");
    CHECK(mode_of(file) == 0600);
    CHECK(mode_of(place + "/deep") == 0700);
    CHECK(mode_of(place + "/deep/cache") == 0700);
    make_old(file);
    CHECK(cache.keep(other_key, "new"));
    CHECK(cache.read(key).empty());
    CHECK(cache.read(other_key) == "new");
    cache.remove(other_key);
    CHECK(cache.read(other_key).empty());
  }
}

TEST_CASE("files of the cache that were read lately are kept") {
  const TemporaryFolder folder;
  const FileCache cache(folder / "cache", "so");
  REQUIRE(cache.keep(key, "text"));
  make_old(only_file(folder / "cache"));
  CHECK(cache.read(key) == "text");
  CHECK(cache.keep(other_key, "new"));
  CHECK(cache.read(key) == "text");
}

TEST_CASE("only files under the cache's own names are removed") {
  const TemporaryFolder folder;
  const std::string cache = folder / "cache";
  fs::create_directory(cache), fs::permissions(cache, fs::perms::owner_all);
  const std::vector<std::string> others{"libuser.so",          "0123456789abcdef.so.1", "0123456789ABCDEF.so",
                                        "0123456789abcde.so",  "0123456789abcdef-.so",  "0123456789abcdef-1x.so",
                                        "0123456789abcdef.md", "00123456789abcdef.so",  ".so",
                                        "casadi-0123456789.so"};
  for (const std::string& name : others) make_old(folder.file("cache/" + name, "mine"));
  fs::create_directory(cache + "/aaaaaaaaaaaaaaaa.so"), make_old(cache + "/aaaaaaaaaaaaaaaa.so");
  fs::create_symlink(cache + "/libuser.so", cache + "/bbbbbbbbbbbbbbbb.so"), make_old(cache + "/bbbbbbbbbbbbbbbb.so");
  make_old(folder.file("cache/cccccccccccccccc-7.so", "own"));
  CHECK(FileCache(cache, "so").keep(key, "text"));
  for (const std::string& name : others) CHECK(text_of(cache + "/" + name) == "mine");
  CHECK(fs::exists(cache + "/aaaaaaaaaaaaaaaa.so"));
  CHECK(fs::is_symlink(cache + "/bbbbbbbbbbbbbbbb.so"));
  CHECK(!fs::exists(cache + "/cccccccccccccccc-7.so"));
}

TEST_CASE("a link in the place of the folder is not followed, however it is spelt") {
  const TemporaryFolder folder;
  const std::string victim = folder / "victim", link = folder / "link";
  fs::create_directory(victim), fs::permissions(victim, fs::perms::owner_all);
  const std::string old = folder.file("victim/0123456789abcdef.so", "mine");
  make_old(old);
  fs::create_symlink(victim, link);
  for (const char* spelt : {"", "/", "/.", "//", "/../link/"}) {
    const FileCache cache(link + spelt, "so");
    CHECK(!cache.keep(other_key, "text"));
    CHECK(cache.read(key).empty());
    cache.remove(key);
  }
  CHECK(text_of(old) == "mine");
  CHECK(only_file(victim) == old);
}

TEST_CASE("a folder that others may write to is not used") {
  const TemporaryFolder folder;
  const std::string place = folder / "cache";
  for (unsigned mode : {0777u, 0770u, 01777u, 0720u}) {
    fs::create_directories(place), ::chmod(place.c_str(), mode);
    const FileCache cache(place, "so");
    CHECK(!cache.keep(key, "text"));
    CHECK(fs::is_empty(place));
  }
}

TEST_CASE("a link, a FIFO, a folder or a file that others may write to is no kept file, and nobody waits for it") {
  const TemporaryFolder folder;
  const std::string place = folder / "cache", file = place + "/" + key + ".so";
  const FileCache cache(place, "so");
  REQUIRE(cache.keep(key, "text"));
  const std::string sealed = text_of(file);
  const std::vector<std::function<void()>> plants{
      [&] { fs::create_symlink(folder.file("elsewhere", sealed), file); },
      [&] { REQUIRE(::mkfifo(file.c_str(), 0600) == 0); },
      [&] { fs::create_directory(file); },
      [&] { folder.file("cache/" + key + ".so", sealed), ::chmod(file.c_str(), 0666); },
      [&] { folder.file("cache/" + key + ".so", sealed), ::chmod(file.c_str(), 0620); },
      [&] { fs::create_symlink("/dev/zero", file); }};
  for (const auto& plant : plants) {
    fs::remove(file);
    plant();
    CHECK(cache.read(key).empty());
    if (!fs::is_directory(fs::symlink_status(file))) {
      CHECK(cache.keep(key, "again"));
      CHECK(cache.read(key) == "again");
      CHECK(fs::is_regular_file(fs::symlink_status(file)));
    }
    CHECK(cache.path_of(key).size() <= file.size());
  }
  CHECK(text_of(folder / "elsewhere") == sealed);
}

TEST_CASE("a cache of another user is not used") {
  if (::geteuid() != 0) return;  // who is not root cannot give files away
  const TemporaryFolder folder;
  const std::string place = folder / "cache", theirs = folder / "theirs";
  {
    const FileCache cache(place, "so");
    REQUIRE(cache.keep(key, "text"));
    const std::string file = only_file(place);
    REQUIRE(::chown(file.c_str(), 12345, 12345) == 0);
    CHECK(cache.read(key).empty());
    make_old(file);
    CHECK(cache.keep(other_key, "text"));
    CHECK(fs::exists(file));
  }
  REQUIRE(::chown(place.c_str(), 12345, 12345) == 0);
  CHECK(FileCache(place, "so").read(other_key).empty());
  // A link on the way, that another user made.
  fs::create_directory(folder / "mine");
  fs::create_symlink(folder / "mine", theirs);
  CHECK(FileCache(theirs + "/a", "so").keep(key, "text"));
  REQUIRE(::lchown(theirs.c_str(), 12345, 12345) == 0);
  CHECK(!FileCache(theirs + "/b", "so").keep(key, "text"));
  CHECK(!fs::exists(folder / "mine/b"));
}

TEST_CASE("a folder above that others may rename in gives no path to load from") {
  const TemporaryFolder folder;
  const std::string place = folder / "open";
  fs::create_directory(place), ::chmod(place.c_str(), 0777);
  const FileCache cache(place + "/cache", "so");
  REQUIRE(cache.keep(key, "text"));
  CHECK(cache.read(key) == "text");
  CHECK(cache.path_of(key).empty());
  ::chmod(place.c_str(), 0755);
  CHECK(cache.path_of(key) == only_file(place + "/cache"));
}
