#include "messages.hpp"

#include <unistd.h>

#include <cstdio>

#include "io/output_file.hpp"
#include "io/printable.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace sparsedyn::cli {

namespace {

/// "warning:" in yellow on a terminal, and the text in one line.
void say(const CommonOptions& common, const char* what, const std::string& text) {
  if (common.quiet) return;
  const bool coloured = takes_colours(STDERR_FILENO);
  std::fprintf(stderr, "%s%s:%s %s\n", coloured ? "\x1b[33m" : "", what, coloured ? "\x1b[0m" : "", printable(text).c_str());
}

}  // namespace

void warn(const CommonOptions& common, const std::string& text) { say(common, "warning", text); }

void note(const CommonOptions& common, const std::string& text) { say(common, "note", text); }

void complain(const std::string& text) { std::fprintf(stderr, "%s\n", printable(text, true).c_str()); }

void tell(const std::string& text, bool on_stderr) {
  const int stream = on_stderr ? STDERR_FILENO : STDOUT_FILENO;
  std::string shown = printable(text, true);
  if (::isatty(stream)) shown = for_terminal(shown, terminal_width(0), takes_colours(stream));
  if (on_stderr)
    std::fwrite(shown.data(), 1, shown.size(), stderr);
  else
    write_file("-", shown);
}

ExitCode answering(const CommonOptions& common, const std::function<ExitCode()>& command) {
  try {
    set_log_dialect(common);
    return command();
  } catch (const AnswerIsNo& no) {
    complain(no.what());
    if (common.json) tell(no.json);
    return ExitCode::no;
  }
}

void FailedRows::add(long line, const std::string& why) {
  constexpr long most_told = 10;
  if (++count_ <= most_told) complain(printable(path_ + ":" + std::to_string(line) + ": " + why));
}

void FailedRows::tell_rest() const {
  if (count_ > 10) complain(path_ + ": " + std::to_string(count_) + " rows failed in all");
}

Progress::Progress(const CommonOptions& common) : shown_(!common.quiet && ::isatty(STDERR_FILENO)) {}

bool Progress::due() {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return false;
  next_ = now + 100ms;
  return drawn_ = true;
}

void Progress::part(const std::string& what, double fraction_done) {
  if (shown_ && due()) std::fprintf(stderr, "\r\x1b[K%s %.0f%%", what.c_str(), 100 * fraction_done);
}

void Progress::clear() {
  if (drawn_) std::fprintf(stderr, "\r\x1b[K");
  drawn_ = false;
}

}  // namespace sparsedyn::cli
