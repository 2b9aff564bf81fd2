//===- Heap.h - memory of a process that only grows -----------------------===//

#ifndef PARTITA_SUPPORT_HEAP_H
#define PARTITA_SUPPORT_HEAP_H

namespace partita {

/// For a process that reads one program, works on it and ends: asks the C library to take memory from the system in
/// large steps and to give none back, and the system for large pages, where it has them on request. A program of
/// 100,000 ops is some 50,000 small pages otherwise, each a fault when it is first touched and a miss of the
/// processor's table of pages ever after. Changes nothing but speed; does nothing where the C library has no such
/// settings. It is about the heap of the main thread: others have theirs.
void prepareHeap();

} // namespace partita

#endif
