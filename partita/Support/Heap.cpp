//===- Heap.cpp - heap settings for a short-lived process -----------------===//

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

/// Address space reserved at once; untouched pages take no memory.
constexpr int reservedBytes = 1 << 30;
/// Beyond that, the heap grows in steps of this size.
constexpr int stepBytes = 64 << 20;
/// The most that the C library allows.
constexpr int largestBlockBytes = 32 << 20;
/// More than the heap of a process that has just started.
constexpr size_t firstBlockBytes = 4 << 20;
constexpr uintptr_t largePageBytes = 2 << 20;

} // namespace

void prepareHeap() {
  // Serve large blocks from the heap too, and keep freed memory.
  mallopt(M_MMAP_THRESHOLD, largestBlockBytes);
  mallopt(M_TRIM_THRESHOLD, INT32_MAX);
  auto begin = reinterpret_cast<uintptr_t>(sbrk(0));
  // The heap grows when a request exceeds its free space, by the request plus this padding. If the system refuses,
  // nothing has changed.
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
