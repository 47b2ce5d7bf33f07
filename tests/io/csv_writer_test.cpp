#include "io/csv_writer.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "io/csv_reader.hpp"
#include "support/temporary_folder.hpp"

using namespace sparsedyn;
using test::TemporaryFolder;
using test::text_of;

TEST_CASE("numbers read back exactly, whatever their bits") {
  TemporaryFolder folder;
  std::mt19937_64 rng(1);
  std::vector<double> numbers{0.0, -0.0, 1.0, 0.1, 1e300, 5e-324};
  while (numbers.size() < 20000) {
    const std::uint64_t bits = rng();
    double x;
    std::memcpy(&x, &bits, sizeof x);
    if (std::isfinite(x)) numbers.push_back(x);
  }
  const std::string path = folder / "numbers.csv";
  CsvWriter out(path);
  out.header({"x"});
  for (double x : numbers) out.number(x), out.end_row();
  out.commit();
  CsvReader in(path);
  const int x = in.ask("x");
  for (double expected : numbers) {
    REQUIRE(in.next());
    const double read = in.value(x);
    if (std::memcmp(&read, &expected, sizeof read) != 0) FAIL("wrote " << expected << ", read " << read);
  }
  CHECK_FALSE(in.next());
}

TEST_CASE("names with commas, quotes, blanks at the edge and line ends are quoted and come back") {
  TemporaryFolder folder;
  const std::vector<std::string> names{"tau.a,b", "say \"hi\"", " edge", "two\nlines", "plain"};
  const std::string path = folder / "names.csv";
  CsvWriter out(path);
  out.header(names);
  out.commit();
  CHECK(text_of(path) == "\"tau.a,b\",\"say \"\"hi\"\"\",\" edge\",\"two\nlines\",plain\n");
  CHECK(CsvReader(path).columns() == names);
}

TEST_CASE("empty cells keep their line") {
  TemporaryFolder folder;
  CsvWriter wide(folder / "wide.csv");
  wide.header({"time", "x", "y"});
  wide.raw("0.10"), wide.empty(), wide.empty(), wide.end_row();
  wide.commit();
  CHECK(text_of(folder / "wide.csv") == "time,x,y\n0.10,,\n");

  CsvWriter narrow(folder / "narrow.csv");
  narrow.header({"x"});
  narrow.empty(), narrow.end_row();
  narrow.number(1), narrow.end_row();
  narrow.commit();
  CsvReader log(folder / "narrow.csv");
  const int x = log.ask("x");
  REQUIRE(log.next());
  CHECK(log.state(x) == CellState::empty);
  REQUIRE(log.next());
  CHECK(log.value(x) == 1);
}

TEST_CASE("a number that is none is refused with its row and column") {
  const TemporaryFolder folder;
  const std::string path = folder / "out.csv";
  CsvWriter out(path);
  out.header({"time", "tau.knee"});
  out.number(0), out.number(1), out.end_row();
  out.number(0.1);
  CHECK_THROWS_WITH(out.number(std::numeric_limits<double>::quiet_NaN()), path + ": row 1: tau.knee is no number");
  CHECK_THROWS_WITH(out.number(-std::numeric_limits<double>::infinity()), path + ": row 1: tau.knee is not finite");
}
