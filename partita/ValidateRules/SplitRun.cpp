//===- SplitRun.cpp - runs a split op on N virtual devices ----------------===//

#include "partita/ValidateRules/SplitRun.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Comparison.h"
#include "partita/Evaluate/Pieces.h"
#include "partita/Program/Rules/Exchanges.h"
#include "partita/Program/Rules/FoldedBodies.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace partita::validate {

//===----------------------------------------------------------------------===//
// The program of a device
//===----------------------------------------------------------------------===//

static Type getLocalType(Type type, const ValueFactors &factors, ArrayRef<Split> splits) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.clone(computeLocalShape(tensor.getShape(), factors, splits)) : type;
}

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// An error unless the pieces have the types that the rule gives them.
static Status checkPieces(Operation *op, const Rule &rule, ArrayRef<Split> splits, ValueRange pieces) {
  if (pieces.size() != op->getNumResults() || llvm::is_contained(pieces, Value()))
    return Error::internal("the local form does not give a piece for each result");
  for (auto [index, piece] : llvm::enumerate(pieces)) {
    Type type = getLocalType(op->getResult(index).getType(), rule.results[index], splits);
    if (piece.getType() != type)
      return Error::internal("piece of result " + std::to_string(index) + " is " + toText(piece.getType()) + ", not " +
                             toText(type));
  }
  return std::nullopt;
}

/// The devices of each group that differ in the index of split `number` alone, in its order. The last split's index
/// changes fastest.
static std::vector<std::vector<int64_t>> groupDevices(ArrayRef<Split> splits, size_t number) {
  int64_t count = 1, stride = 1;
  for (auto [index, split] : llvm::enumerate(splits)) {
    count *= split.parts;
    if (index > number)
      stride *= split.parts;
  }
  std::vector<std::vector<int64_t>> groups;
  for (int64_t device = 0; device < count; ++device) {
    if (device / stride % splits[number].parts != 0)
      continue;
    std::vector<int64_t> &group = groups.emplace_back();
    for (int64_t index = 0; index < splits[number].parts; ++index)
      group.push_back(device + index * stride);
  }
  return groups;
}

/// Gives what devices exchange within the op (Program/Rules/Exchanges.h) their devices.
static void setExchanges(Block &block, ArrayRef<Split> splits) {
  for (Operation &made : block)
    if (std::optional<uint8_t> factor = program::findExchange(&made))
      for (auto [number, split] : llvm::enumerate(splits))
        if (split.factor == *factor) {
          program::setDevices(&made, groupDevices(splits, number));
          break;
        }
}

Result<OwningOpRef<ModuleOp>> buildLocalProgram(Operation *op, const Rule &rule, ArrayRef<Split> splits,
                                                EmitPieces emit) {
  OpBuilder builder(op->getContext());
  Location loc = op->getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  SmallVector<Type> types;
  for (auto [operand, factors] : llvm::zip_equal(op->getOperands(), rule.operands))
    types.push_back(getLocalType(operand.getType(), factors, splits));
  types.append(splits.size(), RankedTensorType::get({}, builder.getI64Type()));
  auto main = func::FuncOp::create(builder, loc, "main", builder.getFunctionType(types, {}));
  Block *block = main.addEntryBlock();
  builder.setInsertionPointToStart(block);
  ValueRange arguments = block->getArguments();
  SmallVector<Split> placed(splits);
  for (auto [split, index] : llvm::zip_equal(placed, arguments.drop_front(op->getNumOperands())))
    split.index = index;
  SmallVector<Value> pieces = emit(builder, arguments.take_front(op->getNumOperands()), placed);
  setExchanges(*block, splits);
  if (Status error = checkPieces(op, rule, splits, pieces))
    return std::move(*error);
  func::ReturnOp::create(builder, loc, pieces);
  main.setFunctionType(builder.getFunctionType(types, TypeRange(ValueRange(pieces))));
  DiagnosticCollector diagnostics(op->getContext(), "");
  if (failed(verify(*module)))
    return diagnostics.takeError("the local form does not verify");
  return module;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

namespace {

/// The devices that a set of splits makes: one for each tuple of indices, the last split's index changing fastest.
class SplitDevices {
public:
  explicit SplitDevices(ArrayRef<Split> splits) : splits(splits) {
    for (const Split &split : splits)
      count *= split.parts;
  }

  int64_t size() const { return count; }

  SmallVector<int64_t> getIndices(int64_t device) const {
    SmallVector<int64_t> indices(splits.size());
    for (size_t i = splits.size(); i-- > 0; device /= splits[i].parts)
      indices[i] = device % splits[i].parts;
    return indices;
  }

  /// Where a device's piece of a value of shape `local` begins.
  SmallVector<int64_t> getOffsets(int64_t device, const ValueFactors &factors, ArrayRef<int64_t> local) const {
    SmallVector<int64_t> indices = getIndices(device), offsets;
    for (auto [dimFactors, size] : llvm::zip_equal(factors, local)) {
      // Number of the piece along the dim, major factors first.
      int64_t piece = 0;
      for (uint8_t factor : dimFactors)
        for (auto [split, index] : llvm::zip_equal(splits, indices))
          if (split.factor == factor)
            piece = piece * split.parts + index;
      offsets.push_back(piece * size);
    }
    return offsets;
  }

private:
  ArrayRef<Split> splits;
  int64_t count = 1;
};

} // namespace

static Tensor makeIndex(MLIRContext *context, int64_t index, Mode mode) {
  Tensor tensor(RankedTensorType::get({}, IntegerType::get(context, 64)), mode);
  tensor.edit<int64_t>()[0] = index;
  return tensor;
}

static std::vector<DeviceValues> cutOperands(MLIRContext *context, const Rule &rule, ArrayRef<Split> splits,
                                             const SplitDevices &devices, const WholeRun &whole) {
  std::vector<DeviceValues> arguments(devices.size());
  for (auto [device, values] : llvm::enumerate(arguments)) {
    for (auto [operand, factors] : llvm::zip_equal(whole.operands, rule.operands)) {
      if (operand.isToken()) {
        values.push_back(operand);
        continue;
      }
      SmallVector<int64_t> local = computeLocalShape(operand.getShape(), factors, splits);
      values.push_back(extractPiece(operand, devices.getOffsets(device, factors, local), local));
    }
    for (int64_t index : devices.getIndices(device))
      values.push_back(makeIndex(context, index, whole.mode));
  }
  return arguments;
}

//===----------------------------------------------------------------------===//
// Putting results together
//===----------------------------------------------------------------------===//

namespace {

/// Assembles one result from the devices' results.
class ResultAssembly {
public:
  ResultAssembly(const Rule &rule, ArrayRef<Split> splits, unsigned result, const SplitDevices &devices)
      : rule(rule), splits(splits), factors(rule.results[result]), result(result), devices(devices) {}

  /// The whole result in `whole`; a difference if devices that must agree do not.
  std::optional<Difference> run(ArrayRef<DeviceValues> values, Tensor &whole) const {
    // Parts of a reduced factor are combined first; the tensors that remain are told apart by the other indices.
    std::map<std::vector<int64_t>, std::pair<int64_t, Tensor>> combined;
    for (int64_t device = 0; device < devices.size(); ++device) {
      const Tensor &piece = values[device][result];
      auto [it, isNew] = combined.try_emplace(getKey(device, /*withShared=*/true), device, piece);
      if (!isNew)
        combine(*getCombiner(), it->second.second, piece);
    }
    std::map<std::vector<int64_t>, const Tensor *> placed;
    for (const auto &[key, entry] : combined) {
      const auto &[device, tensor] = entry;
      auto [it, isNew] = placed.try_emplace(getKey(device, /*withShared=*/false), &tensor);
      if (isNew)
        insertPiece(whole, devices.getOffsets(device, factors, tensor.getShape()), tensor);
      else if (auto difference = findDifference(*it->second, tensor, Equality::Number))
        return Difference{"devices that must have the same result differ",
                          result,
                          device,
                          difference->index,
                          difference->expected,
                          difference->got};
    }
    return std::nullopt;
  }

private:
  bool isInDims(const Split &split) const {
    return llvm::any_of(factors, [&](const DimFactors &dim) { return llvm::is_contained(dim, split.factor); });
  }
  bool isCombined(const Split &split) const {
    return rule.factors[split.factor].kind == FactorKind::Reduce && !isInDims(split);
  }
  std::optional<graph::Combiner> getCombiner() const {
    const Split *split = llvm::find_if(splits, [&](const Split &s) { return isCombined(s); });
    return split == splits.end() ? std::nullopt : std::optional(rule.factors[split->factor].combiner);
  }

  /// Indices of the factors in the result's dims, and of those that all devices share.
  std::vector<int64_t> getKey(int64_t device, bool withShared) const {
    std::vector<int64_t> key;
    for (auto [split, index] : llvm::zip_equal(splits, devices.getIndices(device)))
      if (isInDims(split) || (withShared && !isCombined(split)))
        key.push_back(index);
    return key;
  }

  const Rule &rule;
  ArrayRef<Split> splits;
  const ValueFactors &factors;
  int64_t result;
  const SplitDevices &devices;
};

} // namespace

/// Reduced factors that are split together must have one combiner: two different ones do not commute.
static bool haveOneCombiner(const Rule &rule, ArrayRef<Split> splits) {
  std::optional<graph::Combiner> first;
  for (const Split &split : splits) {
    const Factor &factor = rule.factors[split.factor];
    if (factor.kind == FactorKind::Reduce && first.value_or(factor.combiner) != factor.combiner)
      return false;
    if (factor.kind == FactorKind::Reduce)
      first = factor.combiner;
  }
  return true;
}

/// Ops that only choose, copy or order elements.
static bool isDataMovement(Operation *op) {
  using namespace stablehlo;
  return isa<BitcastConvertOp, BroadcastInDimOp, BroadcastOp, ComplexOp, ConcatenateOp, ConstantOp, DynamicSliceOp,
             DynamicUpdateSliceOp, GatherOp, ImagOp, OptimizationBarrierOp, PadOp, RealOp, ReshapeOp, ReverseOp,
             SelectOp, SliceOp, SortOp, TransposeOp, chlo::TopKOp>(op);
}

static Equality getEquality(Operation *op, const Rule &rule, ArrayRef<Split> splits) {
  auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
  bool isFolded =
      llvm::any_of(splits, [&](const Split &split) { return rule.factors[split.factor].kind == FactorKind::Fold; });
  if (reduce && isFolded && rules::findFoldedBody(reduce).rounds)
    return Equality::Rounded;
  bool isReduced =
      llvm::any_of(splits, [&](const Split &split) { return rule.factors[split.factor].kind == FactorKind::Reduce; });
  if (isDataMovement(op))
    return isReduced ? Equality::Number : Equality::Bits;
  return isReduced ? Equality::Value : Equality::Number;
}

std::optional<Difference> runSplit(Operation *op, ModuleOp local, const Rule &rule, ArrayRef<Split> splits,
                                   const WholeRun &whole) {
  if (!haveOneCombiner(rule, splits))
    return Difference{"two reduced factors with different combiners are split together", -1, -1, "", "", ""};
  SplitDevices devices(splits);
  EvaluatorOptions options;
  options.devices = devices.size();
  options.exact = whole.mode == Mode::Exact;
  Result<std::vector<DeviceValues>> values =
      evaluate::evaluate(local, cutOperands(local.getContext(), rule, splits, devices, whole), options);
  if (!values)
    return Difference{"the local form cannot be evaluated: " + values.error().reason, -1, -1, "", "", ""};
  for (auto [index, expected] : llvm::enumerate(whole.results)) {
    if (expected.isToken())
      continue;
    Tensor got(expected.getType(), whole.mode);
    if (auto difference = ResultAssembly(rule, splits, index, devices).run(*values, got))
      return difference;
    if (auto difference = findDifference(expected, got, getEquality(op, rule, splits)))
      return Difference{"the result differs",         static_cast<int64_t>(index),     -1,
                        std::move(difference->index), std::move(difference->expected), std::move(difference->got)};
  }
  return std::nullopt;
}

std::string printSplits(ArrayRef<Split> splits) {
  std::string text;
  for (const Split &split : splits) {
    unsigned factor = split.factor;
    text += text.empty() ? "" : " ";
    text += factor < 26 ? std::string(1, static_cast<char>('a' + factor)) : "z" + std::to_string(factor - 25);
    text += "/" + std::to_string(split.parts);
  }
  return text;
}

} // namespace partita::validate
