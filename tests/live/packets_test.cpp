// Lines and frames, whole, cut to pieces, and of no sense at all.
#include "live/packets.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "collected.hpp"
#include "live/named_readings.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

struct TakenRows : RowTaker {
  void row(double stamp, const double* values) noexcept override { rows.push_back({stamp, values[0], values[1]}); }
  std::vector<std::vector<double>> rows;
};

void put_word(std::string& to, std::uint32_t x) {
  for (int k = 0; k < 4; ++k) to += static_cast<char>(x >> (8 * k));
}

std::string names_frame_of(const std::string& names) {
  std::string frame = "SDL1";
  put_word(frame, 1), put_word(frame, static_cast<std::uint32_t>(names.size())), put_word(frame, hash_of_names(names));
  return frame + names;
}

std::string row_frame_of(const std::string& names, const std::vector<double>& row) {
  std::string frame = "SDL1";
  put_word(frame, 2), put_word(frame, static_cast<std::uint32_t>(row.size())), put_word(frame, hash_of_names(names));
  for (double x : row) {
    char bytes[8];
    std::memcpy(bytes, &x, 8);
    frame.append(bytes, 8);
  }
  return frame;
}

const std::string abt = "y.a,y.x,time,y.b";

}  // namespace

TEST_CASE("rows are read in both forms, as datagrams and from streams that are cut anywhere") {
  const HandsOn estimate({"a", "b"});
  const double none = std::nan("");
  const std::vector<std::vector<double>> expected{{0.5, 1, 2}, {0.75, none, -3.5}, {1, none, none}};
  const std::string lines = "\r\n" + abt + "\r\n1,7,0.5, 2\n,text,0.75,-3.5e0\n\n nan ,,1,NA\n";
  const std::string frames = names_frame_of(abt) + row_frame_of(abt, {1, 7, 0.5, 2}) +
                             row_frame_of(abt, {none, 7, 0.75, -3.5}) + row_frame_of(abt, {none, none, 1, none});
  for (const LiveFormat format : {LiveFormat::csv, LiveFormat::f64}) {
    const std::string& text = format == LiveFormat::csv ? lines : frames;
    for (std::size_t cut : {text.size(), std::size_t{1}, std::size_t{7}, std::size_t{64}}) {
      PacketReader reader(estimate.readings(), format);
      NamedColumns columns;
      TakenRows taken;
      if (cut == text.size()) {
        reader.datagram(text, columns, taken);
      } else {
        UnreadBytes rest;
        for (std::size_t k = 0; k < text.size(); k += cut) reader.stream(text.substr(k, cut), rest, columns, taken);
        reader.end(rest, false, columns, taken);
        CHECK(rest.bytes.empty());
      }
      CHECK(same_bits(taken.rows, expected));
      CHECK(reader.counts().malformed == 0);
      CHECK(reader.counts().rows == 3);
      CHECK(reader.take_passed_over() == std::vector<std::string>{"y.x"});
    }
  }
}

TEST_CASE("what is malformed is counted and named, and the next row is read") {
  const HandsOn estimate({"a", "b"});
  PacketReader reader(estimate.readings(), LiveFormat::csv);
  NamedColumns columns;
  TakenRows taken;
  const auto why = [&](const std::string& line) {
    const long before = reader.counts().malformed;
    reader.datagram(line, columns, taken);
    CHECK(reader.counts().malformed == before + 1);
    return reader.counts().why;
  };
  CHECK_THAT(why("1,2,3"), Catch::Contains("before any header"));
  CHECK_THAT(why("time,y.a,y.a"), Catch::Contains("column y.a twice"));
  reader.datagram("time,y.a,y.b\n", columns, taken);
  CHECK_THAT(why("1,2"), Catch::Contains("2 cells; expected 3"));
  CHECK_THAT(why("1,2,x\x1b[1m"), Catch::Contains("cell 3: x\\x1b[1m; expected a number"));
  CHECK_THAT(why("1,2,inf"), Catch::Contains("cell 3: inf"));
  CHECK_THAT(why("1,2,1e999"), Catch::Contains("cell 3: 1e999"));
  CHECK_THAT(why(",2,3"), Catch::Contains("a row without a time"));
  CHECK_THAT(why("0x1,2,3"), Catch::Contains("cell 1: 0x1"));
  reader.datagram("1,2,3\n", columns, taken);
  CHECK(taken.rows.size() == 1);

  PacketReader frames(estimate.readings(), LiveFormat::f64);
  NamedColumns named;
  frames.datagram(row_frame_of(abt, {1, 2, 3, 4}), named, taken);
  CHECK(frames.counts().why == "a row before any names");
  frames.datagram(names_frame_of(abt), named, taken);
  frames.datagram(row_frame_of("time,y.a", {1, 2}), named, taken);
  CHECK(frames.counts().why == "a row of other names");
  frames.datagram(row_frame_of(abt, {1, 2, INFINITY, 4}), named, taken);
  CHECK(frames.counts().why == "number 3 is infinite");
  frames.datagram(row_frame_of(abt, {1, 2, 3, 4}).substr(0, 30), named, taken);
  CHECK(frames.counts().why == "a frame that is cut off");
  CHECK(frames.counts().malformed == 4);
  frames.datagram(row_frame_of(abt, {1, 2, 3, 4}), named, taken);
  CHECK(taken.rows.size() == 2);
}

TEST_CASE("a line without an end does not grow, and the lines behind it are read") {
  const HandsOn estimate({"a", "b"});
  PacketReader reader(estimate.readings(), LiveFormat::csv);
  NamedColumns columns;
  TakenRows taken;
  UnreadBytes rest;
  reader.stream("time,y.a,y.b\n", rest, columns, taken);
  const std::string block(10000, '1');
  for (int k = 0; k < 1000; ++k) {
    reader.stream(block, rest, columns, taken);
    REQUIRE(rest.bytes.size() <= longest_line + block.size());
  }
  CHECK(reader.counts().oversized == 1);
  reader.stream("\n1,2,3\n", rest, columns, taken);
  CHECK(taken.rows.size() == 1);
}

TEST_CASE("whatever arrives neither ends the reader nor grows it") {
  const HandsOn estimate({"a", "b"});
  std::mt19937 rng(7);
  const std::string header = "time,y.a,y.b";
  for (const LiveFormat format : {LiveFormat::csv, LiveFormat::f64}) {
    PacketReader reader(estimate.readings(), format);
    NamedColumns columns, of_stream;
    TakenRows taken;
    UnreadBytes rest;
    const std::string good =
        format == LiveFormat::csv ? header + "\n1,2,3\n" : names_frame_of(header) + row_frame_of(header, {1, 2, 3});
    for (int k = 0; k < 50000; ++k) {  // each of them twice
      std::string bytes;
      if (k % 3 == 0) {
        bytes.resize(rng() % 200);
        for (char& c : bytes) c = static_cast<char>(rng());
      } else {  // a good one with some bytes changed, or cut
        bytes = good;
        for (unsigned n = rng() % 4; n > 0; --n) bytes[rng() % bytes.size()] = static_cast<char>(rng());
        if (k % 5 == 0) bytes.resize(rng() % bytes.size());
      }
      reader.datagram(bytes, columns, taken);
      reader.stream(bytes, rest, of_stream, taken);
      REQUIRE(rest.bytes.size() <= 16 + longest_line + bytes.size());
      if (taken.rows.size() > 1000) {
        for (const auto& row : taken.rows) REQUIRE(std::isfinite(row[0]));
        taken.rows.clear();
      }
    }
    CHECK(reader.counts().malformed > 10000);
    taken.rows.clear();
    reader.datagram(good, columns, taken);
    CHECK(same_bits(taken.rows, {{1, 2, 3}}));
  }
}

TEST_CASE("addresses are read, with loopback unless another is asked for") {
  CHECK(read_live_address("-").kind == LiveAddress::Kind::standard);
  CHECK(read_live_address("udp:9000").host == "127.0.0.1");
  CHECK(read_live_address("udp:0.0.0.0:9000").host == "0.0.0.0");
  CHECK(read_live_address("udp:[::1]:9000").host == "::1");
  CHECK(read_live_address("udp:[::1]:9000").port == 9000);
  CHECK(read_live_address("unix:/tmp/x").path == "/tmp/x");
  CHECK(read_live_address("a.csv").kind == LiveAddress::Kind::file);
  for (const char* wrong : {"udp:", "udp:0", "udp:70000", "udp:90x", "udp:localhost:9000", "unix:", ""})
    CHECK_THROWS_AS(read_live_address(wrong), std::invalid_argument);
}

TEST_CASE("a last line without an end is a row of a file, and cut off on a pipe or a socket") {
  const HandsOn estimate({"a", "b"});
  for (const bool is_whole : {true, false}) {
    PacketReader reader(estimate.readings(), LiveFormat::csv);
    NamedColumns columns;
    TakenRows taken;
    UnreadBytes rest;
    reader.stream("time,y.a,y.b\n1,2,3\n2,2,31.5", rest, columns, taken);
    reader.end(rest, is_whole, columns, taken);
    CHECK(rest.bytes.empty());
    CHECK(taken.rows.size() == (is_whole ? 2 : 1));
    CHECK(reader.counts().malformed == (is_whole ? 0 : 1));
    if (!is_whole) CHECK_THAT(reader.counts().why, Catch::Contains("cut off: 2,2,31.5"));
    // the end of a line that was passed over is none
    reader.stream(std::string(70000, '1'), rest, columns, taken);
    reader.stream("4,5,6", rest, columns, taken);
    reader.end(rest, is_whole, columns, taken);
    CHECK(taken.rows.size() == (is_whole ? 2 : 1));
    CHECK(reader.counts().malformed == (is_whole ? 0 : 1));
    CHECK(!rest.skipping);
  }
}

TEST_CASE("a byte order mark before a header is passed over") {
  const HandsOn estimate({"a", "b"});
  PacketReader reader(estimate.readings(), LiveFormat::csv);
  NamedColumns columns;
  TakenRows taken;
  reader.datagram("\xEF\xBB\xBFtime,y.a,y.b\n1,2,3\n", columns, taken);
  CHECK(same_bits(taken.rows, {{1, 2, 3}}));
  CHECK(reader.counts().malformed == 0);
}

TEST_CASE("headers name readings together, and what none of them names is told") {
  HandsOn estimate({"a", "b", "flag"});
  PacketReader reader(estimate.readings(), LiveFormat::csv);
  NamedColumns first, second;
  NamedReadings named(estimate.readings(), 2);
  REQUIRE(reader.bind("time,y.a,y.bb", first));
  named.name(0, first);
  CHECK(named.has_named(0));
  CHECK(!named.all_have_named());
  REQUIRE(reader.bind("time,y.c", second));
  named.name(1, second);
  CHECK(named.all_have_named());
  CHECK(named.lacking(first) == "no column y.b (near: y.bb), nor in another input");
  CHECK(named.standing() == "no column y.flag: these feet always stand");
  REQUIRE(reader.bind("time,y.b,y.flag", second));
  named.name(1, second);
  CHECK(named.lacking(second).empty());
  CHECK(named.standing().empty());
}
