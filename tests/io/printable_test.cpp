#include "io/printable.hpp"

#include <catch2/catch.hpp>

#include "sparsedyn/io/input_error.hpp"

using namespace sparsedyn;

TEST_CASE("control characters of all kinds are shown by their bytes") {
  CHECK(printable("\x1b[31m") == "\\x1b[31m");
  CHECK(printable("a\nb\tc\rd") == "a\\x0ab\\x09c\\x0dd");
  CHECK(printable("\x7f") == "\\x7f");
  CHECK(printable("\xC2\x9B") == "\\xc2\\x9b");  // CSI, one of C1
  CHECK(printable("\xC2\x80\xC2\x9F") == "\\xc2\\x80\\xc2\\x9f");
  CHECK(printable(std::string("a\0b", 3)) == "a\\x00b");
}

TEST_CASE("text stays, in every script, and is printable for good") {
  const std::string text = "caf\xC3\xA9 \xC2\xA0 \xE6\x89\x8B \xF0\x9F\xA6\xBE \\x1b";
  CHECK(printable(text) == text);
  CHECK(printable(printable("\x1b\xFF")) == printable("\x1b\xFF"));
}

TEST_CASE("bytes that are not UTF-8 are shown as such") {
  CHECK(printable("caf\xE9") == "caf\\xe9");
  CHECK(printable("\x9B") == "\\x9b");                             // CSI to a terminal of eight bits
  CHECK(printable("\xC0\x9B") == "\\xc0\\x9b");                    // overlong
  CHECK(printable("\xED\xA0\x80") == "\\xed\\xa0\\x80");           // a surrogate
  CHECK(printable("\xE6\x89") == "\\xe6\\x89");                    // cut off
  CHECK(printable("\xF4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
}

TEST_CASE("lines stay where they are wanted") { CHECK(printable("a\n\x1b\r\nb", true) == "a\n\\x1b\\x0d\nb"); }

TEST_CASE("an error about a file is one line that a terminal only prints") {
  CHECK(InputError("a\x1b.csv", 3, "column b\nc", "'\x7f'", "").what() == std::string("a\\x1b.csv:3: column b\\x0ac: '\\x7f'"));
}

TEST_CASE("what turns the direction of a text is shown by its bytes") {
  for (const char* control :
       {"\xD8\x9C", "\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xAA", "\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x81\xA9"}) {
    const std::string shown = printable(std::string("joint") + control + "1");
    CHECK(shown.find(control) == std::string::npos);
    CHECK(shown.substr(0, 7) == "joint\\x");
  }
  for (const char* letter : {"\xD8\x9B", "\xD7\x90", "\xE2\x80\x8D", "\xE2\x80\xAF", "\xE2\x81\xA5", "\xE2\x81\xAA"})
    CHECK(printable(letter) == letter);  // neighbours, and a letter that is written from the right
}

TEST_CASE("what turns the direction of a text is escaped in JSON, which means the same") {
  CHECK(json_quoted("a\xE2\x80\xAE"
                    "b") == "\"a\\u202eb\"");
  CHECK(json_quoted("\xD8\x9C\xE2\x81\xA9") == "\"\\u061c\\u2069\"");
  CHECK(json_quoted("\xD7\x90\xE2\x80\xAF\n\"") == "\"\xD7\x90\xE2\x80\xAF\\u000a\\\"\"");
}

TEST_CASE("names of any length are cut in messages, at a letter") {
  const std::string name(1000, 'a');
  CHECK(with_short_names("joint " + name + " and b") == "joint " + name.substr(0, 200) + "… and b");
  CHECK(with_short_names(std::string(199, 'a') + "ééé") == std::string(199, 'a') + "…");
  CHECK(with_short_names("  a  b ") == "  a  b ");
  CHECK(with_short_names(std::string(200, 'a')) == std::string(200, 'a'));
  const InputError error(name + ".urdf", 3, "joint \"" + name + "\"", name, "one of " + name);
  CHECK(std::string(error.what()).find(name + ".urdf:3: ") == 0);  // the file is the user's to find
  CHECK(std::string(error.what()).size() < 1000 + 3 * 200 + 100);
}
