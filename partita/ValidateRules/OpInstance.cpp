//===- OpInstance.cpp - one op in a program of its own --------------------===//

#include "partita/ValidateRules/OpInstance.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace partita::validate {

/// Ops that an argument-free operand may be computed by; beyond it the operand is an argument.
static constexpr unsigned maxArgumentFreeOps = 8;

/// Its regions are programs; the op itself computes nothing.
static bool isControlFlow(Operation *op) {
  return isa<ModuleOp, func::FuncOp, func::CallOp, stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp,
             sdy::ManualComputationOp, sdy::MeshOp>(op) ||
         op->hasTrait<OpTrait::IsTerminator>();
}

/// Collects the ops that compute `value`, in order; false if it depends on an argument or on too many ops.
static bool collectArgumentFree(Value value, llvm::SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return false;
  for (Value operand : op->getOperands())
    if (!collectArgumentFree(operand, ops))
      return false;
  ops.insert(op);
  return ops.size() <= maxArgumentFreeOps;
}

static std::string toText(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.printGenericOpForm().useLocalScope();
  op->print(stream, flags);
  return text;
}

std::vector<Operation *> collectOps(Operation *root) {
  std::vector<Operation *> ops;
  llvm::StringSet<> seen;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isControlFlow(op))
      return WalkResult::advance();
    Result<OpInstance> instance = isolateOp(op);
    if (instance && seen.insert(toText(*instance->module)).second)
      ops.push_back(op);
    return WalkResult::skip();
  });
  return ops;
}

/// Gives the instance's function what `op` needs: copies of what does not depend on arguments, or new arguments.
static void mapOperands(Operation *op, ArgumentFree argumentFree, OpBuilder &builder, func::FuncOp main,
                        IRMapping &mapping) {
  for (Value operand : op->getOperands()) {
    if (mapping.contains(operand))
      continue;
    llvm::SetVector<Operation *> ops;
    if (argumentFree == ArgumentFree::Kept && collectArgumentFree(operand, ops)) {
      for (Operation *free : ops)
        if (!mapping.contains(free->getResult(0)))
          builder.clone(*free, mapping);
    } else {
      main.getBody().addArgument(operand.getType(), builder.getUnknownLoc());
      mapping.map(operand, main.getBody().getArguments().back());
    }
  }
}

Result<OpInstance> isolateOp(Operation *op, ArgumentFree argumentFree) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  if (!captured.empty())
    return Error::unsupported(locationOf(op), "a region uses values from outside");
  OpInstance instance;
  OpBuilder builder(op->getContext());
  Location loc = op->getLoc();
  instance.module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(instance.module->getBody());
  auto main = func::FuncOp::create(builder, loc, "main", builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(&main.getBody().emplaceBlock());
  IRMapping mapping;
  mapOperands(op, argumentFree, builder, main, mapping);
  instance.op = builder.clone(*op, mapping);
  SmallVector<Value> returned(instance.op->getOperands());
  llvm::append_range(returned, instance.op->getResults());
  func::ReturnOp::create(builder, loc, returned);
  main.setFunctionType(builder.getFunctionType(main.getBody().getArgumentTypes(), TypeRange(ValueRange(returned))));
  return instance;
}

Result<WholeRun> runWhole(const OpInstance &instance, std::vector<Tensor> arguments, Mode mode) {
  EvaluatorOptions options;
  options.exact = mode == Mode::Exact;
  std::vector<DeviceValues> inputs;
  inputs.push_back(std::move(arguments));
  Result<std::vector<DeviceValues>> outputs = evaluate::evaluate(instance.module.get(), std::move(inputs), options);
  if (!outputs)
    return outputs.error();
  DeviceValues &values = outputs->front();
  auto middle = values.begin() + instance.op->getNumOperands();
  return WholeRun{mode, {values.begin(), middle}, {middle, values.end()}};
}

} // namespace partita::validate
