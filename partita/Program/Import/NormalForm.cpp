//===- NormalForm.cpp - checks the normal form ----------------------------===//

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Import/Import.h"
#include "partita/Program/Import/Steps.h"
#include "partita/Program/VerifyKinds.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace partita::program {

static Error notNormal(Operation *op, const std::string &reason) {
  return Error::badInput(locationOf(op), "not in normal form: " + reason)
      .withRemedy("run `partita import` on it first");
}

static Status verifyModule(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || !main.isPublic() || main.isExternal() || !llvm::hasSingleElement(main.getBody()))
    return notNormal(module, "no public function @main with one block");
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function && !isa<sdy::MeshOp>(op))
      return notNormal(&op, "'" + op.getName().getStringRef().str() + "' at the top of the module");
    if (function && function != main && !function.isPrivate())
      return notNormal(&op, "a second public function, @" + function.getName().str());
  }
  return std::nullopt;
}

/// Why `op` is not allowed in a normal form; empty if it is.
static std::string findFault(Operation *op) {
  if (isa<func::CallOp>(op))
    return "a call";
  if (auto composite = dyn_cast<stablehlo::CompositeOp>(op))
    if (!composite.getName().starts_with("partita.kernel."))
      return "a composite that is no kernel";
  if (isa<sdy::NamedComputationOp>(op))
    return "a named computation";
  if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<TupleType>))
    return "a tuple";
  return "";
}

Status import::checkNormalForm(ModuleOp module) {
  if (Status error = verifyModule(module))
    return error;
  Status error;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (std::string fault = findFault(op); !fault.empty())
      error = notNormal(op, fault);
    else
      error = requireStaticShapes(op);
    return error ? WalkResult::interrupt() : WalkResult::advance();
  });
  return error;
}

Status verifyNormalForm(ModuleOp module) {
  DiagnosticCollector collector(module.getContext(), "");
  if (failed(verifyKinds(module)))
    return collector.takeError("the verifier failed without a reason");
  return import::checkNormalForm(module);
}

} // namespace partita::program
