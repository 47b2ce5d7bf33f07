// Against the layout that NumPy's documentation gives for format 1.0.
#include "io/npy_writer.hpp"

#include <catch2/catch.hpp>
#include <cstring>

#include "support/temporary_folder.hpp"

using namespace sparsedyn;
using test::TemporaryFolder;
using test::text_of;

TEST_CASE("an array of two slices of 2 x 3") {
  TemporaryFolder folder;
  const std::string path = folder / "x.npy";
  const double values[12] = {0, 1, 2, 3, 4, 5, -6.5, 7, 8, 9, 10, 1e-300};
  NpyWriter file(path, {2, 3});
  file.slice(values);
  file.slice(values + 6);
  file.commit();
  const std::string text = text_of(path);
  REQUIRE(text.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t length = static_cast<unsigned char>(text[8]) + 256u * static_cast<unsigned char>(text[9]);
  CHECK((10 + length) % 64 == 0);
  const std::string header = text.substr(10, length);
  CHECK(header.find("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 3,), } ") == 0);
  CHECK(header.back() == '\n');
  REQUIRE(text.size() == 10 + length + sizeof values);
  CHECK(std::memcmp(text.data() + 10 + length, values, sizeof values) == 0);
}

TEST_CASE("an array without slices") {
  TemporaryFolder folder;
  NpyWriter file(folder / "x.npy", {4});
  file.commit();
  CHECK(text_of(folder / "x.npy").find("'shape': (0, 4,), }") != std::string::npos);
}
