#include "io/csv_reader.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/io/input_error.hpp"
#include "support/temporary_folder.hpp"

using namespace sparsedyn;
using test::TemporaryFolder;

namespace {

/// The message of the error that reading `asked` of this log ends with; empty where it is read without one.
std::string error_of(const std::string& text, const std::string& asked = "a") {
  TemporaryFolder folder;
  const std::string path = folder.file("log.csv", text);
  try {
    CsvReader log(path);
    log.ask(asked);
    while (log.next()) {
    }
  } catch (const InputError& error) {
    return std::string(error.what()).substr(path.size());
  }
  return "";
}

}  // namespace

TEST_CASE("columns are found by name, and those not asked for are passed over") {
  TemporaryFolder folder;
  CsvReader log(folder.file("log.csv", "time,a,text,b\n0.10,1,hello,2\n0.20,3,\"x, y\",4\n"));
  REQUIRE(log.columns() == std::vector<std::string>{"time", "a", "text", "b"});
  const int b = log.ask("b"), a = log.ask("a");
  CHECK(log.ask("b") == b);
  CHECK(log.ask("c") == -1);
  REQUIRE(log.keep("time"));
  REQUIRE(log.next());
  CHECK(log.value(a) == 1);
  CHECK(log.value(b) == 2);
  CHECK(log.kept() == "0.10");
  REQUIRE(log.next());
  CHECK(log.value(a) == 3);
  CHECK(log.value(b) == 4);
  CHECK(log.line() == 3);
  CHECK_FALSE(log.next());
}

TEST_CASE("byte-order mark, CRLF, blank lines, blanks, quotes, and a last line without an end") {
  TemporaryFolder folder;
  CsvReader log(folder.file("log.csv", "\xEF\xBB\xBF\r\n  a , \"b \"\"q\"\"\" ,\tc\r\n\r\n 1\t,\" 2 \",3\r\n \t \r\n4,5,6"));
  REQUIRE(log.columns() == std::vector<std::string>{"a", "b \"q\"", "c"});
  CHECK(log.header_line() == 2);
  const int a = log.ask("a"), b = log.ask("b \"q\""), c = log.ask("c");
  REQUIRE(log.next());
  CHECK(log.line() == 4);
  CHECK((log.value(a) == 1 && log.value(b) == 2 && log.value(c) == 3));
  REQUIRE(log.next());
  CHECK(log.line() == 6);
  CHECK((log.value(a) == 4 && log.value(b) == 5 && log.value(c) == 6));
  CHECK_FALSE(log.next());
}

TEST_CASE("line numbers are physical, also after quoted line ends") {
  TemporaryFolder folder;
  CsvReader log(folder.file("log.csv", "\"name\nof\nnote\",a\n\"one\n\ntwo, \"\"three\"\"\n\",1\nplain,2\n\"x\",oops\n"));
  REQUIRE(log.columns() == std::vector<std::string>{"name\nof\nnote", "a"});
  const int a = log.ask("a");
  REQUIRE(log.next());
  CHECK(log.line() == 4);
  CHECK(log.value(a) == 1);
  REQUIRE(log.next());
  CHECK(log.line() == 8);
  CHECK(log.value(a) == 2);
  try {
    log.next();
    FAIL("text was taken for a number");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find(":9: column a: 'oops'; expected a number") != std::string::npos);
  }
}

TEST_CASE("cells that are no finite number fail or are refused") {
  double value;
  CellState state;
  const auto state_of = [&](const char* text) {
    REQUIRE(parse_cell(text, value, state));
    return state;
  };
  CHECK((state_of("+1.5") == CellState::number && value == 1.5));
  CHECK((state_of("-.5e1") == CellState::number && value == -5));
  CHECK((state_of("1e-400") == CellState::number && value == 0));
  CHECK((state_of("-1e-400") == CellState::number && value == 0));
  CHECK((state_of("4.9406564584124654e-324") == CellState::number && value > 0));
  CHECK(state_of("1e999") == CellState::not_finite);
  CHECK(state_of("-1e999") == CellState::not_finite);
  CHECK(state_of("nan") == CellState::not_finite);
  CHECK(state_of("NaN") == CellState::not_finite);
  CHECK(state_of("-inf") == CellState::not_finite);
  CHECK(state_of("") == CellState::empty);
  for (const char* text : {"1.5x", "+-1", "--1", "+", "-", ".", "0x10", "1 2", "1;2", "one", "1e", "\xC2\xA0"}) {
    INFO(text);
    CHECK_FALSE(parse_cell(text, value, state));
  }
}

TEST_CASE("every double reads back exactly as 17 digits") {
  double value;
  CellState state;
  for (double x : {0.1, 1.0 / 3.0, 1e22, 1.7976931348623157e308, 2.2250738585072014e-308, 5e-324, -123456789.123456789}) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", x);
    REQUIRE(parse_cell(text, value, state));
    CHECK(value == x);
  }
}

TEST_CASE("structures that are wrong, with their line") {
  CHECK(error_of("") == ": header: nothing; expected a line of column names");
  CHECK(error_of("\n\n  \n") == ": header: nothing; expected a line of column names");
  CHECK(error_of("a,b,a\n1,2,3\n") == ":1: column a: there twice; expected each column once");
  CHECK(error_of("a,b\r1,2\r3,4\r") ==
        ":1: header: a carriage return within the line; expected lines that end with LF or CRLF");
  CHECK(error_of("a,b\n1,2\n1,2,3\n") == ":3: 3 cells; expected 2, as in the header (line 1)");
  CHECK(error_of("a,b\n\n1\n") == ":3: 1 cell; expected 2, as in the header (line 1)");
  CHECK(error_of("a,b\n1,2\n\"1,2\n3,4\n") == ":3: a quote that never closes; expected a closing quote");
  CHECK(error_of("a,b\n\"1\"2,3\n") == ":2: text after a closing quote; expected a comma");
  CHECK(error_of("a,b\n1,2\nx,2\n") == ":3: column a: 'x'; expected a number");
  CHECK(error_of(std::string("a,b\n\0\x7f,1\n", 9)) == ":2: column a: '\\x00\\x7f'; expected a number");
  CHECK(error_of("a,b\n1,x\n").empty());
  CHECK(error_of("a\n1\n2\n").empty());
}

TEST_CASE("a file that cannot be read is named") {
  CHECK_THROWS_WITH(CsvReader("/no/such/log.csv"), Catch::StartsWith("/no/such/log.csv: cannot be read: No such file"));
  CHECK_THROWS_WITH(CsvReader("/tmp"), Catch::StartsWith("/tmp: cannot be read"));
}

TEST_CASE("records longer than the buffer, and many of them") {
  TemporaryFolder folder;
  const std::string note(700000, 'n');
  std::string text = "note,a\n";
  for (int i = 0; i < 5; ++i) text += "\"" + note + "\n" + note + "\"," + std::to_string(i) + "\n";
  for (int i = 5; i < 50000; ++i) text += "," + std::to_string(i) + "\n";
  CsvReader log(folder.file("log.csv", text));
  const int a = log.ask("a");
  int rows = 0;
  for (; log.next(); ++rows) {
    if (log.value(a) != rows) FAIL("row " << rows << " reads " << log.value(a));
    if (log.line() != (rows < 5 ? 2 + 2 * rows : 7 + rows)) FAIL("row " << rows << " on line " << log.line());
  }
  CHECK(rows == 50000);
}

TEST_CASE("logs of other formats are told from CSV, with what reads them") {
  CHECK(error_of("PAR1\x15\x04").find("a Parquet file; expected CSV; in Python sd.open_log") != std::string::npos);
  CHECK(error_of("\x89MCAP0\r\n\x01").find("an MCAP file; expected CSV; in Python sd.open_log") != std::string::npos);
}

namespace {

/// While it lives, logs are of this dialect.
struct Dialect {
  explicit Dialect(char separator, bool decimal_comma = false) { CsvReader::set_dialect({separator, decimal_comma}); }
  ~Dialect() { CsvReader::set_dialect({}); }
};

}  // namespace

TEST_CASE("columns that another character parts are named with the option that reads them") {
  CHECK(error_of("time;q.a\n0;1\n") == ":1: header: columns parted by ';'; expected ',', or --separator ';'");
  CHECK(error_of("time\tq.a\n0\t1\n") == ":1: header: columns parted by tabs; expected ',', or --separator tab");
  CHECK(error_of("time   q.a dq.a\n0  1 2\n") == ":1: header: columns parted by blanks; expected ',', or --separator blank");
  CHECK(error_of("time; q.a; q.b\n0;1;2\n") == ":1: header: columns parted by ';'; expected ',', or --separator ';'");
  CHECK(error_of("\"q.a\";\"q.b\"\n0;1\n") != "");
  CHECK(error_of("my only column\n1\n") == "");
  CHECK(error_of("only\n1\n") == "");
  const Dialect semicolon(';');
  CHECK(error_of("time,q.a\n0,1\n") == ":1: header: columns parted by ','; expected ';', or --separator ,");
}

TEST_CASE("decimal commas are named, and read where that is said") {
  CHECK(error_of("a,b\n0,1,2,5\n") ==
        ":2: 4 cells; expected 2, as in the header (line 1), and decimal points: twice as many cells are decimal commas");
  CHECK(error_of("a,b\n\"0,1\",2\n") == ":2: column a: '0,1', a decimal comma; expected a decimal point, or --decimal-comma");
  {
    const Dialect semicolon(';');
    CHECK(error_of("a;b\n0,1;2\n") == ":2: column a: '0,1', a decimal comma; expected a decimal point, or --decimal-comma");
    CHECK(error_of("a;b\n0.1;2\n") == "");
  }
  const Dialect european(';', true);
  CHECK(error_of("a;b\n1.000,5;2\n") == ":2: column a: '1.000,5'; expected a number");  // no thousands are guessed
  CHECK(error_of("a;b\n1,000,5;2\n") == ":2: column a: '1,000,5'; expected a number");
  TemporaryFolder folder;
  CsvReader log(folder.file("log.csv", "time;a;text\n0,01;-1,5e-3;x, y\n\"0,02\"; 2 ;\"a \"\"b\"\"\"\n"));
  const int a = log.ask("a");
  REQUIRE(log.keep("time"));
  log.keep_all();
  REQUIRE(log.next());
  CHECK(log.value(a) == -1.5e-3);
  CHECK(log.kept() == "0.01");
  CHECK(log.cells()[1] == "-1.5e-3");
  CHECK(log.cells()[2] == "\"x, y\"");
  REQUIRE(log.next());
  CHECK(log.value(a) == 2);
  CHECK(log.kept() == "0.02");
  CHECK(log.cells()[2] == "\"a \"\"b\"\"\"");
  CHECK_FALSE(log.next());
}

TEST_CASE("blanks and tabs part columns as many as there are, a tab alone leaves empty cells") {
  TemporaryFolder folder;
  {
    const Dialect blanks(' ');
    CsvReader log(folder.file("blanks.csv", "  time \t q.a   \"b c\"  \n 0   1\t2 \n1 2 3\n"));
    CHECK(log.columns() == std::vector<std::string>{"time", "q.a", "b c"});
    const int a = log.ask("q.a"), b = log.ask("b c");
    REQUIRE(log.next());
    CHECK((log.value(a) == 1 && log.value(b) == 2));
    REQUIRE(log.next());
    CHECK((log.value(a) == 2 && log.value(b) == 3));
    CHECK_FALSE(log.next());
    CHECK(error_of("a b\n1 2 3\n") == ":2: 3 cells; expected 2, as in the header (line 1)");
  }
  const Dialect tab('\t');
  CsvReader log(folder.file("tabs.csv", "time\tq.a\tq.b\n0\t\t 5 \n1\t2\t\n"));
  const int a = log.ask("q.a"), b = log.ask("q.b");
  REQUIRE(log.next());
  CHECK((log.state(a) == CellState::empty && log.value(b) == 5));
  REQUIRE(log.next());
  CHECK((log.value(a) == 2 && log.state(b) == CellState::empty));
}

TEST_CASE("words that stand for no reading") {
  for (const char* word : {"NA", "null", "NaN", "nan", "NAN", "-nan", "+NaN"}) CHECK(is_gap_word(word));
  for (const char* word : {"", "na", "Null", "NULL", "none", "nano", "--nan", "-NA", "an", "0"}) CHECK_FALSE(is_gap_word(word));
}
