//===- Channels.cpp - renumbers channels ----------------------------------===//
//
// Inlining copies collectives with their channels; no two collectives may share
// one. A send and its recv keep sharing theirs: the k-th send of a channel
// belongs to its k-th recv.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Import/Steps.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace partita::program::import {

namespace {

class ChannelNumbers {
public:
  /// The new number of a channel of which `op` is the next user.
  int64_t get(Operation *op, int64_t old) {
    bool isSend = isa<stablehlo::SendOp>(op), isRecv = isa<stablehlo::RecvOp>(op);
    if (!isSend && !isRecv)
      return ++last;
    auto &[sends, recvs] = seen[old];
    std::pair<int64_t, int64_t> key{old, isSend ? sends++ : recvs++};
    auto [it, isNew] = transfers.try_emplace(key, 0);
    if (isNew)
      it->second = ++last;
    return it->second;
  }

private:
  int64_t last = 0;
  llvm::DenseMap<int64_t, std::pair<int64_t, int64_t>> seen;
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> transfers;
};

} // namespace

bool mayHaveChannel(Operation *op) {
  return isa<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::AllToAllOp, stablehlo::ReduceScatterOp,
             stablehlo::CollectiveBroadcastOp, stablehlo::CollectivePermuteOp, stablehlo::SendOp, stablehlo::RecvOp>(
      op);
}

void renumberChannels(ModuleOp module) {
  ChannelNumbers numbers;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!mayHaveChannel(op))
      return;
    std::optional<Attribute> attribute = op->getInherentAttr("channel_handle");
    auto channel = attribute ? dyn_cast_or_null<stablehlo::ChannelHandleAttr>(*attribute) : nullptr;
    // Zero stands for "no channel".
    if (!channel || channel.getHandle() == 0)
      return;
    int64_t number = numbers.get(op, channel.getHandle());
    auto renumbered = stablehlo::ChannelHandleAttr::get(op->getContext(), number, channel.getType());
    op->setInherentAttr(StringAttr::get(op->getContext(), "channel_handle"), renumbered);
  });
}

} // namespace partita::program::import
