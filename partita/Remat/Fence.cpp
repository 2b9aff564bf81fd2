//===- Fence.cpp - what is done before a cone of straight code begins -----===//

#include "partita/Remat/Fence.h"

using namespace mlir;

namespace partita::remat {

/// What passes a gradient on to its update is a few ops: converts, a transpose, a sum of two uses.
static constexpr size_t maxUsers = 16;

namespace {

class LateResults {
public:
  LateResults(const StraightCode &code, const ProgramIndex &index, Operation *end, ArrayRef<Value> taken)
      : code(code), index(index), end(end), taken(taken.begin(), taken.end()) {}

  /// Nothing if an op before `end` needs the result for more than to pass it on.
  std::optional<LateResult> find(Operation *op) const;

private:
  bool isCandidate(Operation *op) const;
  bool passesOn(Operation *op) const;

  const StraightCode &code;
  const ProgramIndex &index;
  Operation *end;
  llvm::DenseSet<Value> taken;
};

} // namespace

static bool isSum(OpClass opClass) { return opClass == OpClass::Contraction || opClass == OpClass::Reduction; }

bool LateResults::isCandidate(Operation *op) const {
  OpId id = index.getOp(op);
  if (!id.isValid() || op->getNumResults() != 1 || !isSum(index.getGraph().ops[id].opClass))
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && (code.isBackward(op) || type.getRank() == 0);
}

/// Whether the op may be moved behind the barrier with what it passes on.
bool LateResults::passesOn(Operation *op) const {
  OpId id = index.getOp(op);
  return id.isValid() && op->getNumRegions() == 0 && !isSum(index.getGraph().ops[id].opClass) &&
         llvm::none_of(op->getResults(), [&](Value result) { return taken.contains(result); });
}

std::optional<LateResult> LateResults::find(Operation *op) const {
  if (!isCandidate(op) || taken.contains(op->getResult(0)))
    return std::nullopt;
  LateResult found{op->getResult(0), {}};
  llvm::SetVector<Operation *> users;
  SmallVector<Operation *> work = {op};
  bool isNeeded = false;
  while (!work.empty()) {
    for (Operation *user : work.pop_back_val()->getUsers()) {
      Operation *around = code.getBlock().findAncestorOpInBlock(*user);
      if (!around || !around->isBeforeInBlock(end)) {
        isNeeded = true;
        continue;
      }
      if (around != user || !passesOn(user) || users.size() == maxUsers)
        return std::nullopt;
      if (users.insert(user))
        work.push_back(user);
    }
  }
  if (!isNeeded)
    return std::nullopt;
  found.users = users.takeVector();
  llvm::sort(found.users, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return found;
}

std::vector<LateResult> findLateResults(const StraightCode &code, const ProgramIndex &index, Operation *begin,
                                        Operation *end, ArrayRef<Value> taken) {
  LateResults results(code, index, end, taken);
  std::vector<LateResult> found;
  for (Operation *op = begin; op && op != end; op = op->getNextNode())
    if (std::optional<LateResult> result = results.find(op))
      found.push_back(std::move(*result));
  return found;
}

} // namespace partita::remat
