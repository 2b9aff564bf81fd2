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

  /// Nothing if an op before `end` needs the value for more than to pass it on.
  std::optional<LateResult> find(Value value) const;
  bool isCandidate(Operation *op) const;

private:
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

std::optional<LateResult> LateResults::find(Value value) const {
  if (taken.contains(value))
    return std::nullopt;
  LateResult found{value, {}};
  llvm::SetVector<Operation *> users;
  SmallVector<Value> work = {value};
  bool isNeeded = false;
  while (!work.empty()) {
    for (Operation *user : work.pop_back_val().getUsers()) {
      Operation *around = code.getBlock().findAncestorOpInBlock(*user);
      if (!around || !around->isBeforeInBlock(end)) {
        isNeeded = true;
        continue;
      }
      if (around != user || !passesOn(user) || users.size() == maxUsers)
        return std::nullopt;
      if (users.insert(user))
        llvm::append_range(work, user->getResults());
    }
  }
  if (!isNeeded)
    return std::nullopt;
  found.users = users.takeVector();
  llvm::sort(found.users, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return found;
}

std::vector<LateResult> findLateResults(const StraightCode &code, const ProgramIndex &index, Operation *begin,
                                        Operation *end, ArrayRef<Value> taken, ArrayRef<Value> passed) {
  LateResults results(code, index, end, taken);
  SmallVector<Value> candidates(passed);
  for (Operation *op = begin; op && op != end; op = op->getNextNode())
    if (results.isCandidate(op))
      candidates.push_back(op->getResult(0));
  std::vector<LateResult> found;
  for (Value value : candidates)
    if (std::optional<LateResult> result = results.find(value))
      found.push_back(std::move(*result));
  return found;
}

void passLateResults(ArrayRef<LateResult> late, ValueRange passed, Operation *barrier) {
  llvm::SetVector<Operation *> users;
  for (const LateResult &result : late)
    users.insert_range(result.users);
  SmallVector<Operation *> ordered = users.takeVector();
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  Operation *last = barrier;
  for (Operation *user : ordered) {
    user->moveAfter(last);
    last = user;
  }
  for (auto [result, value] : llvm::zip_equal(late, passed)) {
    Value replaced = result.value;
    replaced.replaceAllUsesExcept(value, barrier);
  }
}

} // namespace partita::remat
