// Records of live runs that were cut off, or are none.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "collected.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/live/live_record.hpp"
#include "support/temporary_folder.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// Two rows of readings, a change between them, and the end.
std::string whole_record(const std::string& path, const HandsOn& estimate) {
  {
    LiveRecordWriter record(path, {estimate.names(), {"-"}, {{"rate", "0"}}});
    const double first[] = {1.5, -2.5}, second[] = {3.5, 4.5};
    record.add({LiveInput::Kind::readings, 0, 0.5, 7, {}}, first, estimate);
    record.add({LiveInput::Kind::change, 0, 0, 8, {LiveChange::Kind::offset, 1, 0.25}}, nullptr, estimate);
    record.add({LiveInput::Kind::readings, 0, 0.75, 9, {}}, second, estimate);
    record.end(11);
  }
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// Of each input the stamp and the values of readings, or the value of a change.
std::vector<std::vector<double>> inputs_of(LiveRecordReader& record, const HandsOn& estimate) {
  std::vector<std::vector<double>> found;
  LiveInput input;
  std::vector<double> values;
  while (record.next(input, values, estimate)) {
    found.push_back({input.kind == LiveInput::Kind::readings ? input.stamp : input.change.value});
    if (input.kind == LiveInput::Kind::readings) found.back().insert(found.back().end(), values.begin(), values.end());
  }
  return found;
}

std::size_t open_files() {
  const std::filesystem::directory_iterator open("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(open), end(open)));
}

}  // namespace

TEST_CASE("a record cut off at any byte has the inputs that are whole, or is refused by its name") {
  const TemporaryFolder folder;
  const std::string path = folder / "run.mcap";
  const HandsOn estimate({"a", "b"});
  const std::string all = whole_record(path, estimate);
  const std::vector<std::vector<double>> expected{{0.5, 1.5, -2.5}, {0.25}, {0.75, 3.5, 4.5}};
  const std::size_t open_before = open_files();
  std::size_t refused = 0, most = 0;
  for (std::size_t size = 0; size <= all.size(); ++size) {
    INFO(size);
    write_bytes(path, all.substr(0, size));
    try {
      LiveRecordReader record(path);
      std::vector<std::vector<double>> whole = expected;
      const std::vector<std::vector<double>> found = inputs_of(record, estimate);
      REQUIRE(found.size() <= whole.size());
      whole.resize(found.size());
      REQUIRE(found == whole);
      REQUIRE(found.size() >= most);
      most = found.size();
      if (size == all.size()) CHECK(!record.is_cut_off());
    } catch (const InputError& error) {
      REQUIRE(std::string(error.what()).rfind(path + ": ", 0) == 0);
      ++refused;
    }
  }
  CHECK(most == 3);
  CHECK(refused > 0);
  CHECK(open_files() == open_before);
}

TEST_CASE("a record with a wrong byte is read or refused by its name, and no file stays open") {
  const TemporaryFolder folder;
  const std::string path = folder / "run.mcap";
  const HandsOn estimate({"a", "b"});
  const std::string all = whole_record(path, estimate);
  const std::size_t open_before = open_files();
  std::size_t refused = 0;
  for (std::size_t at = 0; at < all.size(); ++at) {
    INFO(at);
    std::string wrong = all;
    wrong[at] = static_cast<char>(wrong[at] ^ 0x41);
    write_bytes(path, wrong);
    try {
      LiveRecordReader record(path);
      const std::size_t inputs = inputs_of(record, estimate).size();
      REQUIRE(inputs <= 3);
    } catch (const InputError& error) {
      REQUIRE(std::string(error.what()).rfind(path + ": ", 0) == 0);
      ++refused;
    }
  }
  CHECK(refused > all.size() / 4);
  CHECK(open_files() == open_before);
}
