//===- DeadCode.cpp - removes unused ops and functions --------------------===//

#include "partita/Program/Import/Steps.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace partita::program::import {

/// Users follow what they use, so one backward sweep finds chains of dead ops.
static void removeDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (op.use_empty() && wouldOpBeTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        removeDeadOps(inner);
  }
}

static bool isPrivateFunction(Operation &op) {
  auto function = dyn_cast<func::FuncOp>(op);
  return function && function.isPrivate();
}

/// Erasing one symbol may make another one unused.
static void removeDeadSymbols(ModuleOp module) {
  bool changed = true;
  // Finding uses of symbols walks the whole program, so this runs only while there are private functions.
  while (changed && llvm::any_of(*module.getBody(), isPrivateFunction)) {
    changed = false;
    SymbolTableCollection tables;
    SymbolUserMap users(tables, module);
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isPrivateFunction(op) && users.useEmpty(&op)) {
        op.erase();
        changed = true;
      }
  }
}

void removeDeadCode(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    for (Block &block : function.getBody())
      removeDeadOps(block);
  removeDeadSymbols(module);
}

} // namespace partita::program::import
