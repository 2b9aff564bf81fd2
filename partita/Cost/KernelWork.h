//===- KernelWork.h - what kernels do beside moving bytes -----------------===//
//
// For the kernel of each root, from the program alone:
//
//   operations   elementwise ops times the elements that they give; a function of
//                dozens of instructions counts as 50; a reduction counts for each
//                element that it reads
//   bytes        what enters and leaves the kernel
//   reductions   the most that follow each other inside it: a softmax has two
//
// Operations and bytes are split alike. So their relation is that of the program,
// whatever the assignment, and a kernel that is bound by its operations takes so
// many times what its bytes take. Of kernels that take what was combined of each
// row (a softmax, a norm), values of 16 bits take OpFamily::Rows times that at
// least. What an op reads that runs in several kernels takes their mean.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_KERNELWORK_H
#define PARTITA_COST_KERNELWORK_H

#include "partita/Cost/FusionPlan.h"
#include "partita/Cost/Rooms.h"
#include "partita/Machine/Machine.h"

namespace partita::cost {

class KernelWork {
public:
  KernelWork(const Topology &topology, const FusionPlan &fusion, const Device &device);

  /// How long the kernels of the op take to move bytes of such elements, in millionths of what the memory takes.
  int64_t getStreamPpm(OpId op, uint32_t elementBits) const {
    return elementBits == 16 ? narrowPpm[op] : streamPpm[op];
  }
  /// How long it waits for reductions inside it.
  int64_t getWaitPs(OpId root) const { return waitPs[root]; }

private:
  IdVector<OpId, int64_t> streamPpm, narrowPpm, waitPs;
};

} // namespace partita::cost

#endif
