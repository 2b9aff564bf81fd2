//===- DeadCode.cpp - what nobody uses is removed -------------------------===//

#include "partita/Program/Import/Steps.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace partita::import {

/// Users stand behind what they use, so that going backwards finds chains of dead ops in one sweep.
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

/// Erasing one symbol may make another one unused.
static void removeDeadSymbols(ModuleOp module) {
  bool changed = true;
  while (changed) {
    changed = false;
    SymbolTableCollection tables;
    SymbolUserMap users(tables, module);
    for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
      auto symbol = dyn_cast<SymbolOpInterface>(op);
      bool isPrivateFunction = isa<func::FuncOp>(op) && symbol.isPrivate();
      if (isPrivateFunction && users.useEmpty(&op)) {
        op.erase();
        changed = true;
      }
    }
  }
}

void removeDeadCode(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    for (Block &block : function.getBody())
      removeDeadOps(block);
  removeDeadSymbols(module);
}

} // namespace partita::import
