//===- Evaluator.cpp - runs programs on one or N virtual devices ----------===//

#include "partita/Evaluate/Evaluator.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace partita::evaluate {

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// An error for the first op with a tensor whose element type the evaluator does not support, such as quantized ones.
static Status checkElements(func::FuncOp main) {
  auto isHeld = [](Type type) {
    auto tensor = dyn_cast<TensorType>(type);
    return !tensor || isEvaluable(tensor.getElementType());
  };
  Status error;
  auto check = [&](Operation *op, TypeRange types) {
    auto refused = llvm::find_if_not(types, isHeld);
    if (refused == types.end())
      return WalkResult::advance();
    error = unsupportedElement(op, cast<TensorType>(*refused).getElementType());
    return WalkResult::interrupt();
  };
  if (!check(main, main.getArgumentTypes()).wasInterrupted())
    main.getBody().walk([&](Operation *op) { return check(op, op->getResultTypes()); });
  return error;
}

/// An error for the first constant whose elements are not in the file.
static Status checkConstants(func::FuncOp main) {
  Status error;
  main.getBody().walk([&](Operation *op) {
    auto value = op->getAttrOfType<ElementsAttr>("value");
    if (!value || findElements(value))
      return WalkResult::advance();
    error = Error::badInput(locationOf(op), "the program does not hold the elements of this constant")
                .withRemedy("write the program with its resources");
    return WalkResult::interrupt();
  });
  return error;
}

Result<func::FuncOp> findMain(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || !llvm::hasSingleElement(main.getBody()))
    return Error::badInput(locationOf(module), "the program has no function @main of one block");
  for (auto check : {checkElements, checkConstants})
    if (Status error = check(main))
      return std::move(*error);
  return main;
}

/// An error unless the values are what @main takes.
static Status checkArguments(func::FuncOp main, ArrayRef<Tensor> arguments, int64_t device) {
  if (arguments.size() != main.getNumArguments())
    return Error::badInput(locationOf(main), "device " + std::to_string(device) + " has " +
                                                 std::to_string(arguments.size()) + " arguments, @main takes " +
                                                 std::to_string(main.getNumArguments()));
  for (auto [index, type, argument] : llvm::enumerate(main.getArgumentTypes(), arguments)) {
    bool fits = argument.isToken() ? !isa<ShapedType>(type) : type == argument.getType();
    if (!fits)
      return Error::badInput(locationOf(main), "argument " + std::to_string(index) + " of @main is " + toText(type) +
                                                   ", device " + std::to_string(device) + " has " +
                                                   (argument.isToken() ? "a token" : toText(argument.getType())));
  }
  return std::nullopt;
}

Result<std::vector<DeviceValues>> evaluate(ModuleOp module, std::vector<DeviceValues> arguments,
                                           const EvaluatorOptions &options) {
  Result<func::FuncOp> main = findMain(module);
  if (!main)
    return main.error();
  if (static_cast<int64_t>(arguments.size()) != options.devices)
    return Error::badInput(locationOf(*main), "there are arguments for " + std::to_string(arguments.size()) +
                                                  " devices, not for " + std::to_string(options.devices));
  Interpreter interpreter(module, options);
  Block &block = main->getBody().front();
  auto devices = llvm::to_vector(llvm::seq<int64_t>(0, options.devices));
  for (int64_t device : devices) {
    if (Status error = checkArguments(*main, arguments[device], device))
      return std::move(*error);
    interpreter.enter(block, device, arguments[device]);
    arguments[device].clear();
  }
  if (Status error = interpreter.run(block, devices))
    return std::move(*error);
  std::vector<DeviceValues> results;
  for (int64_t device : devices) {
    Values values = interpreter.leave(block, device);
    results.emplace_back(values.begin(), values.end());
  }
  return results;
}

} // namespace partita::evaluate
