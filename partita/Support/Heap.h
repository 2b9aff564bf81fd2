//===- Heap.h - heap settings for a short-lived process -------------------===//

#ifndef PARTITA_SUPPORT_HEAP_H
#define PARTITA_SUPPORT_HEAP_H

namespace partita {

/// For a process that reads one program, works on it and ends. Asks the C library to take memory from the system in
/// large steps and to give none back, and asks the system for large pages where they are available. Otherwise a program
/// of 100,000 ops takes some 50,000 small pages: each costs a page fault when it is first touched and TLB misses later.
/// Changes only speed. Does nothing where the C library has no such settings. Affects only the heap of the main thread.
void prepareHeap();

} // namespace partita

#endif
