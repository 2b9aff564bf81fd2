//===- KernelWork.cpp - what kernels do beside moving bytes ---------------===//

#include "partita/Cost/KernelWork.h"

#include "partita/Support/Saturating.h"

#include <utility>

namespace partita::cost {

/// Instructions of a function that takes dozens of them.
static constexpr int64_t slowInstructions = 50;

namespace {

/// Sums over the ops of each kernel.
class WorkCounter {
public:
  WorkCounter(const Topology &topology, const FusionPlan &fusion)
      : topology(topology), graph(topology.getGraph()), fusion(fusion) {
    operations.resize(graph.ops.size(), 0);
    bytes.resize(graph.ops.size(), 0);
    reductions.resize(graph.ops.size(), 0);
    depths.resize(graph.ops.size(), 0);
    lastReads.resize(graph.ops.size());
    for (OpId op : idRange<OpId>(graph.ops.size())) {
      countOperations(op);
      countReductions(op);
    }
    for (CellId cell : idRange<CellId>(graph.cells.size()))
      countBytes(cell);
  }

  IdVector<OpId, int64_t> operations, bytes;
  IdVector<OpId, uint32_t> reductions;

private:
  int64_t countElements(CellId cell) const {
    return graph.getBytes(cell) * 8 / std::max<int64_t>(1, graph.cells[cell].elementBits);
  }

  void countOperations(OpId op) {
    FusionRole role = fusion.getRole(op);
    if (graph.ops[op].numDefinitions == 0 || (role != FusionRole::Elementwise && role != FusionRole::Reduction))
      return;
    bool isReduction = role == FusionRole::Reduction && graph.ops[op].numUses > 0;
    int64_t count = countElements(isReduction ? graph.getOperands(op)[0] : graph.getResults(op)[0]);
    if (graph.ops[op].kind == OpKind::SlowFunction)
      count = partita::multiplySaturated(count, slowInstructions);
    for (OpId root : fusion.listKernels(op))
      operations[root] = addSaturated(operations[root], count);
  }

  /// What each kernel reads of a value, once, and the value itself for the kernel that writes it.
  void countBytes(CellId cell) {
    if (fusion.isFused(cell) || fusion.isConstant(cell) || topology.getRepresentative(cell) != cell)
      return;
    if (graph.cells[cell].kind == CellKind::OpResult)
      bytes[topology.getDefinition(cell)] += graph.getBytes(cell);
    for (UseId use : topology.getUses(cell)) {
      OpId op = topology.getUser(use);
      bool readsPart = fusion.getRole(op) == FusionRole::Slice && use.get() == graph.ops[op].firstUse;
      int64_t read =
          readsPart ? std::min(graph.getBytes(cell), graph.getBytes(graph.getResults(op)[0])) : graph.getBytes(cell);
      for (OpId root : fusion.listKernels(op))
        if (std::exchange(lastReads[root], cell) != cell)
          bytes[root] += read;
    }
  }

  /// Of the way to this op through its own kernel alone.
  void countReductions(OpId op) {
    uint32_t depth = 0;
    for (CellId cell : graph.getOperands(op))
      if (graph.cells[cell].kind == CellKind::OpResult && fusion.isFused(cell))
        depth = std::max(depth, depths[topology.getDefinition(cell)]);
    depths[op] = depth + (fusion.getRole(op) == FusionRole::Reduction ? 1 : 0);
    OpId root = fusion.getKernel(op);
    reductions[root] = std::max(reductions[root], depths[op]);
  }

  const Topology &topology;
  const Graph &graph;
  const FusionPlan &fusion;
  IdVector<OpId, uint32_t> depths;
  /// The value that a kernel was seen to read last.
  IdVector<OpId, CellId> lastReads;
};

} // namespace

/// How many times longer than its bytes the kernel of this root takes, in millionths.
static int64_t computeKernelPpm(const WorkCounter &counter, const Device &device, OpId root) {
  int64_t rate = findPeak(device, "f32"), share = device.ops.arithmeticPpm.value;
  if (rate == 0 || share == 0 || counter.bytes[root] == 0)
    return wholePpm;
  int64_t computed = computeTransferPs(counter.operations[root], rate, share);
  int64_t moved = computeTransferPs(counter.bytes[root], device.memoryBytesPerSecond.value, device.memoryPpm.value);
  return std::max<int64_t>(wholePpm, static_cast<__int128>(computed) * wholePpm / std::max<int64_t>(1, moved));
}

KernelWork::KernelWork(const Topology &topology, const FusionPlan &fusion, const Device &device) {
  WorkCounter counter(topology, fusion);
  IdVector<OpId, int64_t> ofRoot, narrowOfRoot;
  for (OpId op : idRange<OpId>(topology.getGraph().ops.size())) {
    ofRoot.push_back(computeKernelPpm(counter, device, op));
    int64_t rowsPpm = fusion.combinesRows(op) ? device.ops.getTimePpm(OpFamily::Rows) : wholePpm;
    narrowOfRoot.push_back(std::max(ofRoot[op], rowsPpm));
    waitPs.push_back(multiplySaturated(device.ops.reductionPs.value, counter.reductions[op]));
  }
  for (OpId op : idRange<OpId>(topology.getGraph().ops.size())) {
    llvm::SmallVector<OpId, 4> roots = fusion.listKernels(op);
    if (roots.empty())
      roots.push_back(op);
    int64_t wide = 0, narrow = 0, count = static_cast<int64_t>(roots.size());
    for (OpId root : roots) {
      wide = addSaturated(wide, ofRoot[root]);
      narrow = addSaturated(narrow, narrowOfRoot[root]);
    }
    streamPpm.push_back(wide / count);
    narrowPpm.push_back(narrow / count);
  }
}

} // namespace partita::cost
