#include "real_time.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>

namespace sparsedyn {

void take_priority(pthread_t thread, int priority, std::vector<std::string>& lacking) {
  sched_param wanted{};
  wanted.sched_priority = priority;
  const int error = ::pthread_setschedparam(thread, SCHED_FIFO, &wanted);
  if (error != 0)
    lacking.push_back("SCHED_FIFO at priority " + std::to_string(priority) + ": " + std::strerror(error) +
                      " (it needs CAP_SYS_NICE, or a limit `ulimit -r` of as much); the loop runs as any other thread");
}

void lock_memory(std::vector<std::string>& lacking) {
  // under a limit, what is taken later would not be had at all
  rlimit limit{};
  const bool unlimited = ::getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
  if (::mlockall(unlimited ? MCL_CURRENT | MCL_FUTURE : MCL_CURRENT) != 0)
    lacking.push_back(std::string("mlockall: ") + std::strerror(errno) +
                      " (it needs CAP_IPC_LOCK, or a larger limit `ulimit -l`); pages may be swapped out");
}

}  // namespace sparsedyn
