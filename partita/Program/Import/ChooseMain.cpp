//===- ChooseMain.cpp - chooses the function to partition -----------------===//

#include "partita/Dialect/Diagnostics.h"
#include "partita/Program/Import/Steps.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace partita::program::import {

static std::string listNames(ArrayRef<func::FuncOp> functions) {
  SmallVector<std::string> names;
  for (func::FuncOp function : functions)
    names.push_back("@" + function.getName().str());
  return llvm::join(names, ", ");
}

static Result<func::FuncOp> findMain(ModuleOp module, StringRef wanted) {
  SmallVector<func::FuncOp> all(module.getOps<func::FuncOp>());
  SmallVector<func::FuncOp> visible(llvm::make_filter_range(all, [](func::FuncOp f) { return f.isPublic(); }));
  if (all.empty())
    return Error::badInput(locationOf(module), "the program has no function");
  if (!wanted.empty()) {
    auto function = module.lookupSymbol<func::FuncOp>(wanted);
    if (function)
      return function;
    return Error::badInput(locationOf(module), "the program has no function @" + wanted.str())
        .withRemedy("it has " + listNames(all));
  }
  if (auto main = module.lookupSymbol<func::FuncOp>("main"))
    return main;
  if (visible.size() == 1)
    return visible.front();
  if (all.size() == 1)
    return all.front();
  return Error::badInput(locationOf(module), "the program has no function @main and several others")
      .withRemedy("choose one with --function: " + listNames(visible.empty() ? all : visible));
}

Result<func::FuncOp> chooseMain(ModuleOp module, StringRef wanted) {
  Result<func::FuncOp> found = findMain(module, wanted);
  if (!found)
    return found;
  func::FuncOp main = *found;
  if (main.isExternal())
    return Error::badInput(locationOf(main), "function @" + main.getName().str() + " has no body");
  if (!llvm::hasSingleElement(main.getBody()))
    return Error::unsupported(locationOf(main), "function @" + main.getName().str() + " has several blocks");
  // The other functions are callees from here on, one that was called @main included.
  SymbolTable table(module);
  if (auto other = table.lookup<func::FuncOp>("main"); other && other != main)
    if (failed(table.renameToUnique(other, {&table})))
      return Error::internal("cannot rename @main");
  for (auto function : module.getOps<func::FuncOp>())
    if (function != main)
      function.setPrivate();
  if (!main.isPublic())
    main.setPublic();
  if (main.getName() != "main" && failed(table.rename(main, "main")))
    return Error::internal("cannot rename @" + main.getName().str());
  return main;
}

} // namespace partita::program::import
