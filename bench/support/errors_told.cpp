// Linked into every benchmark: an exception that nobody catches (a robot that cannot be read, say) ends the program with its
// message and exit code 3, never with "terminate called".
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace {

[[noreturn]] void tell() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
    std::fprintf(stderr, "terminated without an exception\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  } catch (...) {
    std::fprintf(stderr, "an exception of unknown type\n");
  }
  std::_Exit(3);
}

[[maybe_unused]] const std::terminate_handler before = std::set_terminate(tell);

}  // namespace
