//===- Heap.cpp - memory of a process that only grows ---------------------===//

#include "partita/Support/Heap.h"

#include <cstdint>
#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace partita {

#if defined(__GLIBC__)

namespace {

/// Addresses that are set aside at once; what is not touched takes no memory.
constexpr int reservedBytes = 1 << 30;
/// Beyond them, the heap grows by so much.
constexpr int stepBytes = 64 << 20;
/// The most that the C library allows.
constexpr int largestBlockBytes = 32 << 20;
/// More than the heap of a process has that has just begun.
constexpr size_t firstBlockBytes = 4 << 20;
constexpr uintptr_t largePageBytes = 2 << 20;

} // namespace

void prepareHeap() {
  // Large blocks come from the heap too, and what is given back to it stays.
  mallopt(M_MMAP_THRESHOLD, largestBlockBytes);
  mallopt(M_TRIM_THRESHOLD, INT32_MAX);
  auto begin = reinterpret_cast<uintptr_t>(sbrk(0));
  // The heap grows when it is asked for more than it has, by this and what it is asked for. Where that is not to be
  // had, nothing has happened.
  mallopt(M_TOP_PAD, reservedBytes);
  void *volatile block = std::malloc(firstBlockBytes);
  std::free(block);
  mallopt(M_TOP_PAD, stepBytes);
  auto end = reinterpret_cast<uintptr_t>(sbrk(0));
  begin = (begin + largePageBytes - 1) / largePageBytes * largePageBytes;
  end = end / largePageBytes * largePageBytes;
  if (begin < end)
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a page's border between two addresses
    madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
}

#else

void prepareHeap() {}

#endif

} // namespace partita
