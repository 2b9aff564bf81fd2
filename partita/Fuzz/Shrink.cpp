//===- Shrink.cpp - makes a failing case smaller --------------------------===//

#include "partita/Fuzz/Shrink.h"

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Fuzz/Children.h"
#include "partita/Program/Import/Import.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace partita::fuzz {

static func::FuncOp getMain(Case &input) { return *input.module->getOps<func::FuncOp>().begin(); }

/// All ops of @main but terminators, in program order; the same for copies of one program.
static SmallVector<Operation *> collectOps(Case &input) {
  SmallVector<Operation *> ops;
  getMain(input).walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isInReducer =
        isa_and_nonnull<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::ScatterOp,
                        stablehlo::SelectAndScatterOp, stablehlo::SortOp, stablehlo::MapOp>(op->getParentOp());
    if (!isa<func::FuncOp>(op) && !op->hasTrait<OpTrait::IsTerminator>() && !isInReducer)
      ops.push_back(op);
  });
  return ops;
}

//===----------------------------------------------------------------------===//
// Changes of a program; each leaves false if there is nothing to change
//===----------------------------------------------------------------------===//

/// Uses of the op's results take an operand of the same type.
static bool bypass(Case &input, Operation *op) {
  SmallVector<Value> values;
  for (Value result : op->getResults()) {
    auto found = llvm::find_if(op->getOperands(), [&](Value operand) { return operand.getType() == result.getType(); });
    if (found == op->operand_end())
      return false;
    values.push_back(*found);
  }
  op->replaceAllUsesWith(values);
  op->erase();
  return true;
}

/// Uses of the op's results take new arguments of @main.
static bool replaceByArguments(Case &input, Operation *op) {
  func::FuncOp main = getMain(input);
  SmallVector<Value> values;
  for (Value result : op->getResults())
    if (!isa<RankedTensorType>(result.getType()))
      return false;
  for (Value result : op->getResults()) {
    auto name = StringAttr::get(main.getContext(), "in.s" + std::to_string(main.getNumArguments()));
    if (failed(main.insertArgument(main.getNumArguments(), result.getType(), {}, NameLoc::get(name))))
      return false;
    values.push_back(main.getArguments().back());
  }
  op->replaceAllUsesWith(values);
  op->erase();
  return true;
}

static bool replaceByZeros(Case &input, Operation *op) {
  if (isa<stablehlo::ConstantOp>(op))
    return false;
  OpBuilder builder(op);
  SmallVector<Value> values;
  for (Value result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    Attribute zero = type ? builder.getZeroAttr(type) : Attribute();
    if (!zero)
      return false;
    values.push_back(stablehlo::ConstantOp::create(builder, op->getLoc(), type, cast<ElementsAttr>(zero)));
  }
  op->replaceAllUsesWith(values);
  op->erase();
  return true;
}

static bool dropResult(Case &input, unsigned index) {
  func::FuncOp main = getMain(input);
  if (main.getNumResults() <= 1)
    return false;
  main.getBody().front().getTerminator()->eraseOperand(index);
  return succeeded(main.eraseResult(index));
}

static bool dropUnusedArguments(Case &input) {
  func::FuncOp main = getMain(input);
  llvm::BitVector unused(main.getNumArguments());
  for (BlockArgument argument : main.getArguments())
    if (argument.use_empty())
      unused.set(argument.getArgNumber());
  return unused.any() && succeeded(main.eraseArguments(unused));
}

static bool dropMesh(Case &input) {
  SmallVector<sdy::MeshOp> meshes(input.module->getOps<sdy::MeshOp>());
  for (sdy::MeshOp mesh : meshes)
    mesh.erase();
  return !meshes.empty();
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

namespace {

class Shrinker {
public:
  Shrinker(const Case &input, const CaseOutcome &outcome)
      : best(copyCase(input)), verdict(outcome.verdict), reason(getBeginning(outcome.reason)) {}

  Case run() {
    for (bool changed = true; changed && trials < mostTrials;) {
      changed = false;
      changed |= dropRewrites();
      changed |= dropTactics();
      changed |= dropEntries();
      changed |= dropResults();
      for (auto change : {bypass, replaceByArguments, replaceByZeros})
        changed |= dropOps(change);
      changed |= attempt(dropUnusedArguments);
      changed |= attempt(dropMesh);
      changed |= shrinkMesh();
    }
    return std::move(best);
  }

private:
  static constexpr int mostTrials = 1500;
  /// A change may create an endless loop.
  static constexpr unsigned mostSecondsPerTrial = 3;

  /// A reason up to what differs from case to case: numbers and names.
  static std::string getBeginning(StringRef reason) {
    return reason.take_until([](char letter) { return letter == '\'' || llvm::isDigit(letter); }).str();
  }

  bool dropRewrites() {
    bool changed = false;
    changed |= attempt([](Case &input) { return std::exchange(input.reorder, std::nullopt).has_value(); });
    changed |= attempt([](Case &input) { return std::exchange(input.padding, std::nullopt).has_value(); });
    changed |= attempt([](Case &input) { return std::exchange(input.microbatches, {}).count > 1; });
    for (size_t i = best.padding ? best.padding->entries.size() : 0; i-- > 0 && best.padding->entries.size() > 1;)
      changed |= attempt([&](Case &input) {
        input.padding->entries.erase(input.padding->entries.begin() + i);
        return true;
      });
    return changed;
  }

  bool dropTactics() {
    bool changed = false;
    for (size_t i = best.tactics.size(); i-- > 0;)
      changed |= attempt([&](Case &input) {
        input.tactics.erase(input.tactics.begin() + i);
        return true;
      });
    return changed;
  }

  bool dropEntries() {
    bool changed = false;
    for (size_t i = best.tactics.size(); i-- > 0;)
      for (size_t j = best.tactics[i].entries.size(); j-- > 0 && best.tactics[i].entries.size() > 1;)
        changed |= attempt([&](Case &input) {
          input.tactics[i].entries.erase(input.tactics[i].entries.begin() + j);
          return true;
        });
    return changed;
  }

  bool dropResults() {
    bool changed = false;
    for (unsigned i = getMain(best).getNumResults(); i-- > 0;)
      changed |= attempt([&](Case &input) { return dropResult(input, i); });
    return changed;
  }

  bool dropOps(bool (*change)(Case &, Operation *)) {
    bool changed = false;
    for (size_t i = collectOps(best).size(); i-- > 0;)
      changed |= attempt([&](Case &input) {
        SmallVector<Operation *> ops = collectOps(input);
        return i < ops.size() && change(input, ops[i]);
      });
    return changed;
  }

  bool shrinkMesh() {
    bool changed = false;
    for (size_t i = best.mesh.axes.size(); i-- > 0;) {
      changed |= attempt([&](Case &input) {
        std::string name = input.mesh.axes[i].name;
        input.mesh.axes.erase(input.mesh.axes.begin() + i);
        llvm::erase_if(input.tactics, [&](const DrawnTactic &tactic) { return tactic.axis == name; });
        return !input.mesh.axes.empty();
      });
      changed |= i < best.mesh.axes.size() && attempt([&](Case &input) {
                   int64_t &size = input.mesh.axes[i].size;
                   bool isLarger = size > 2;
                   size = 2;
                   return isLarger;
                 });
    }
    return changed;
  }

  /// Applies `change` to the best case and keeps the result if it fails as the original does.
  bool attempt(llvm::function_ref<bool(Case &)> change) {
    if (trials >= mostTrials)
      return false;
    ++trials;
    Case candidate = copyCase(best);
    ScopedDiagnosticHandler quiet(candidate.module->getContext(), [](Diagnostic &) { return success(); });
    if (!change(candidate) || failed(mlir::verify(*candidate.module)) ||
        importProgram(*candidate.module, ImportOptions(), Limits()))
      return false;
    CaseOutcome outcome = runInChild([&] { return runCase(candidate); }, mostSecondsPerTrial);
    if (outcome.verdict != verdict || getBeginning(outcome.reason) != reason)
      return false;
    best = std::move(candidate);
    return true;
  }

  Case best;
  Verdict verdict;
  std::string reason;
  int trials = 0;
};

} // namespace

Case shrinkCase(const Case &input, const CaseOutcome &outcome) { return Shrinker(input, outcome).run(); }

} // namespace partita::fuzz
