//===- Reader.cpp - reads a file into a verified module -------------------===//

#include "partita/Program/Reader.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Program/BooleanHex.h"
#include "partita/Program/InputCheck.h"
#include "partita/Program/VerifyKinds.h"
#include "partita/Support/Containment.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partita::program {

/// Number of elements of a static shape; nothing if it overflows.
static std::optional<int64_t> countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size))
      continue;
    if (llvm::MulOverflow(count, size, count))
      return std::nullopt;
  }
  return count;
}

static Status checkType(Operation *op, Type type, const Limits &limits) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return std::nullopt;
  if (shaped.getRank() > limits.maxRank)
    return beyondLimit(locationOf(op), "a tensor has " + std::to_string(shaped.getRank()) + " dims", "max-rank",
                       limits.maxRank);
  std::optional<int64_t> elements = countElements(shaped.getShape());
  if (!elements || *elements > limits.maxElements)
    return beyondLimit(locationOf(op),
                       "a tensor has " + (elements ? std::to_string(*elements) : "more than 2^63") + " elements",
                       "max-elements", limits.maxElements);
  return std::nullopt;
}

/// Bytes of the attribute's data. A splat takes one element.
static int64_t countConstantBytes(Attribute attribute) {
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute))
    return dense.getRawData().size();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return blob->getData().size();
  return 0;
}

namespace {

/// Walks the program once and keeps the first error.
class LimitCheck {
public:
  explicit LimitCheck(const Limits &limits) : limits(limits) {}

  Status run(ModuleOp module) {
    visit(module, 0);
    return std::move(error);
  }

private:
  void visit(Operation *op, int64_t depth);
  void visitOp(Operation *op, int64_t depth);

  const Limits &limits;
  int64_t ops = 0;
  int64_t constantBytes = 0;
  Type lastType;
  Status error;
};

} // namespace

void LimitCheck::visitOp(Operation *op, int64_t depth) {
  if (++ops > limits.maxOps)
    error = beyondLimit(locationOf(op), "the program has more ops than this one", "max-ops", limits.maxOps);
  else if (depth > limits.maxDepth)
    error = beyondLimit(locationOf(op), "regions are nested deeper here", "max-depth", limits.maxDepth);
  for (Type type : op->getResultTypes())
    // Neighboring values often have the same type.
    if (!error && type != std::exchange(lastType, type))
      error = checkType(op, type, limits);
  if (op->getNumOperands() != 0 || error)
    return;
  if (std::optional<Attribute> value = op->getInherentAttr("value"); value && *value)
    constantBytes += countConstantBytes(*value);
  if (constantBytes > limits.maxConstantBytes)
    error = beyondLimit(locationOf(op), "constants take more than this in all", "max-constant-bytes",
                        limits.maxConstantBytes);
}

void LimitCheck::visit(Operation *op, int64_t depth) {
  visitOp(op, depth);
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (Type type : block.getArgumentTypes())
        if (!error && type != std::exchange(lastType, type))
          error = checkType(op, type, limits);
      for (Operation &inner : block) {
        if (error)
          return;
        visit(&inner, depth + 1);
      }
    }
}

Status checkProgramLimits(ModuleOp module, const Limits &limits) { return LimitCheck(limits).run(module); }

Result<OwningOpRef<ModuleOp>> parseProgram(llvm::StringRef bytes, llvm::StringRef name, MLIRContext &context,
                                           const Limits &limits) {
  if (Status error = checkProgramBytes(bytes, name, limits))
    return std::move(*error);
  setActivity(("parsing " + name).str());
  DiagnosticCollector collector(&context, name);
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  std::optional<std::string> packed = isBytecode(bytes) ? std::nullopt : packBooleanHex(bytes);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(packed ? *packed : bytes, config, name);
  const char *remedy = "correct the program there, or make it anew: jax.jit(f).lower(...).as_text(debug_info=True)";
  if (module && !collector.hasError() && failed(verifyKinds(*module)))
    return collector.takeError("the verifier failed without a reason").withRemedy(remedy);
  if (collector.hasError())
    return collector.takeError("").withRemedy(remedy);
  // MLIR's bytecode reader fails on some files without a diagnostic.
  if (!module)
    return Error::badInput({name.str(), 0, 0}, "the file is broken: it cannot be read as a program").withRemedy(remedy);
  setActivity(("checking the limits of " + name).str());
  if (Status error = checkProgramLimits(*module, limits))
    return std::move(*error);
  return module;
}

Result<OwningOpRef<ModuleOp>> readProgram(llvm::StringRef path, MLIRContext &context, const Limits &limits) {
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(path, limits);
  if (!buffer)
    return buffer.error();
  return parseProgram((*buffer)->getBuffer(), path == "-" ? "<stdin>" : path, context, limits);
}

} // namespace partita::program
