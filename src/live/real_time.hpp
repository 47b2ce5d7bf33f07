// What a loop in real time asks of the system, and may not get.
#pragma once

#include <pthread.h>

#include <string>
#include <vector>

namespace sparsedyn {

/// SCHED_FIFO of that priority; where it is refused, a sentence that says so.
void take_priority(pthread_t thread, int priority, std::vector<std::string>& lacking);

/// All memory of the process stays in RAM; likewise.
void lock_memory(std::vector<std::string>& lacking);

}  // namespace sparsedyn
