#include "messages.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "io/output_file.hpp"
#include "io/printable.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace sparsedyn::cli {

namespace {

std::atomic<bool> progress_is_drawn{false};  // on the line where the next message begins

/// Lines of printable text on stderr, the first letters of which are yellow where colours are shown. A terminal gets lines that
/// end at words, and what goes on two blanks deeper; elsewhere a message stays one line, as grep needs it.
void write_on_stderr(std::string text, std::size_t yellow_letters = 0) {
  constexpr int indent = 2;
  constexpr char yellow[] = "\x1b[33m", plain[] = "\x1b[0m", cleared_line[] = "\r\x1b[K";
  if (::isatty(STDERR_FILENO)) {
    if (const int width = terminal_width(0, STDERR_FILENO)) text = wrapped(text, width, indent);
    if (yellow_letters > 0 && takes_colours(STDERR_FILENO)) text = yellow + text.insert(yellow_letters, plain);
    if (progress_is_drawn.exchange(false)) text.insert(0, cleared_line);
  }
  std::fputs((text + "\n").c_str(), stderr);
}

void say(const CommonOptions& common, const std::string& what, const std::string& text) {
  const std::string sign = what + ":";
  if (!common.quiet) write_on_stderr(sign + " " + printable(text), sign.size());
}

}  // namespace

void warn(const CommonOptions& common, const std::string& text) { say(common, "warning", text); }

void note(const CommonOptions& common, const std::string& text) { say(common, "note", text); }

void complain(const std::string& text) { write_on_stderr(printable(text, true)); }

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
  return progress_is_drawn = true;
}

void Progress::part(const std::string& what, double fraction_done) {
  if (shown_ && due()) std::fprintf(stderr, "\r\x1b[K%s %.0f%%", what.c_str(), 100 * fraction_done);
}

void Progress::clear() {
  if (progress_is_drawn.exchange(false)) std::fputs("\r\x1b[K", stderr);
}

}  // namespace sparsedyn::cli
