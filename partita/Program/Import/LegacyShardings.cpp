//===- LegacyShardings.cpp - shardings of older versions become sdy's -----===//
//
// The order of the conversions, and XLA's own notation: `mhlo.sharding` on
// arguments, results and ops, and the custom call @Sharding.
//
//===----------------------------------------------------------------------===//

#include "partita/Program/Import/LegacyShardings.h"

#include "partita/Dialect/Diagnostics.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace partita::program::import {

StringAttr getHloSharding(Operation *op) { return op->getAttrOfType<StringAttr>(hloShardingName); }

bool isCustomCall(Operation *op, StringRef target) {
  auto call = dyn_cast_or_null<stablehlo::CustomCallOp>(op);
  return call && call.getCallTargetName() == target;
}

SmallVector<int64_t> readOpenDims(stablehlo::CustomCallOp op) {
  auto config = dyn_cast_or_null<StringAttr>(op.getBackendConfigAttr());
  StringRef text = config ? config.getValue() : StringRef();
  SmallVector<int64_t> dims;
  if (!text.consume_front("unspecified_dims=["))
    return dims;
  int64_t dim;
  while (!text.consumeInteger(10, dim)) {
    dims.push_back(dim);
    text.consume_front(",");
  }
  return dims;
}

//===----------------------------------------------------------------------===//
// HloShardings
//===----------------------------------------------------------------------===//

static constexpr char relower[] = "lower the program with JAX's Shardy partitioner (jax_use_shardy_partitioner)";

Status HloShardings::read(Operation *op, Attribute attribute) {
  if (!attribute)
    return std::nullopt;
  auto text = dyn_cast<StringAttr>(attribute);
  if (!text)
    return Error::badInput(locationOf(op), "mhlo.sharding is not a string");
  auto [it, isNew] = parsed.insert({text, {}});
  if (!isNew)
    return std::nullopt;
  std::string whyNot;
  std::optional<SmallVector<HloSharding>> shardings = parseHloShardings(text.getValue(), whyNot);
  if (!shardings)
    return Error::unsupported(locationOf(op), "cannot read the sharding \"" + text.str() + "\": " + whyNot)
        .withRemedy(relower);
  it->second = {std::move(*shardings), op};
  return std::nullopt;
}

Status HloShardings::collect(ModuleOp owner) {
  module = owner;
  Status error;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      for (unsigned index = 0; index < function.getNumArguments() && !error; ++index)
        error = read(op, function.getArgAttr(index, hloShardingName));
      for (unsigned index = 0; index < function.getNumResults() && !error; ++index)
        error = read(op, function.getResultAttr(index, hloShardingName));
    }
    if (!error)
      error = read(op, op->getAttr(hloShardingName));
    return error ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (error || parsed.empty())
    return error;
  return chooseMesh();
}

/// A symbol name that the module does not use yet.
static std::string findFreeName(ModuleOp module, StringRef wanted) {
  std::string name = wanted.str();
  for (unsigned number = 0; module.lookupSymbol(name); ++number)
    name = (wanted + "_" + Twine(number)).str();
  return name;
}

std::optional<InferredMesh> HloShardings::inferMesh(size_t count, std::string &whyNot) const {
  SmallVector<const HloSharding *> tiled;
  for (const auto &[text, entry] : llvm::ArrayRef(parsed.getArrayRef()).take_front(count))
    for (const HloSharding &sharding : entry.shardings)
      if (sharding.kind == HloSharding::Tiled)
        tiled.push_back(&sharding);
  if (!tiled.empty())
    return InferredMesh::infer(tiled, whyNot);
  auto partitions = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
  bool isKnown = partitions && partitions.getValue().getActiveBits() < 32 && !partitions.getValue().isZero();
  return InferredMesh::makeLine(isKnown ? partitions.getValue().getZExtValue() : 1);
}

/// An error at the first text that no mesh can express together with those before it.
Error HloShardings::explainNoMesh() const {
  size_t fits = 0, fails = parsed.size();
  std::string whyNot;
  while (fits + 1 < fails) {
    size_t middle = (fits + fails) / 2;
    (inferMesh(middle, whyNot) ? fits : fails) = middle;
  }
  whyNot.clear();
  (void)inferMesh(fails, whyNot);
  const auto &[text, entry] = parsed.getArrayRef()[fails - 1];
  return Error::unsupported(locationOf(entry.op),
                            "the sharding \"" + text.str() + "\" cannot be said with named axes: " + whyNot)
      .withRemedy(relower);
}

Status HloShardings::chooseMesh() {
  std::string whyNot;
  mesh = inferMesh(parsed.size(), whyNot);
  if (!mesh)
    return explainNoMesh();
  SmallVector<sdy::MeshAxisAttr> axes;
  for (auto [index, size] : llvm::enumerate(mesh->getAxisSizes()))
    axes.push_back(sdy::MeshAxisAttr::get(module.getContext(), "axis_" + std::to_string(index), size));
  std::string name = findFreeName(module, "mesh");
  meshName = FlatSymbolRefAttr::get(module.getContext(), name);
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto attribute = sdy::MeshAttr::get(module.getContext(), axes, mesh->getDeviceIds());
  sdy::MeshOp::create(builder, module.getLoc(), name, attribute);
  return std::nullopt;
}

sdy::AxisRefAttr HloShardings::getAxis(unsigned axis) {
  return sdy::AxisRefAttr::get(module.getContext(), "axis_" + std::to_string(axis));
}

/// A mesh of one device, under a name that says which.
sdy::TensorShardingAttr HloShardings::buildMaximal(int64_t device) {
  MLIRContext *context = module.getContext();
  std::string name = "maximal_mesh_" + std::to_string(device);
  auto attribute = sdy::MeshAttr::get(context, ArrayRef<sdy::MeshAxisAttr>(), device);
  auto existing = module.lookupSymbol<sdy::MeshOp>(name);
  if (!existing || existing.getMesh() != attribute) {
    name = findFreeName(module, name);
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    sdy::MeshOp::create(builder, module.getLoc(), name, attribute);
  }
  return sdy::TensorShardingAttr::get(context, name, ArrayRef<sdy::DimensionShardingAttr>());
}

Result<sdy::TensorShardingAttr> HloShardings::build(Operation *op, const HloSharding &sharding, int64_t rank,
                                                    ArrayRef<int64_t> openDims) {
  if (sharding.kind == HloSharding::Unknown || sharding.kind == HloSharding::Manual)
    return sdy::TensorShardingAttr();
  if (sharding.kind == HloSharding::Maximal)
    return buildMaximal(sharding.device);
  SmallVector<SmallVector<unsigned>> axesPerDim(rank);
  SmallVector<unsigned> unreduced;
  if (sharding.kind == HloSharding::Tiled) {
    if (static_cast<int64_t>(sharding.getRank()) != rank)
      return Error::badInput(locationOf(op), "a sharding of " + std::to_string(sharding.getRank()) +
                                                 " dims for a tensor of rank " + std::to_string(rank));
    axesPerDim = mesh->computeAxes(sharding);
    for (auto [index, group] : llvm::enumerate(sharding.groups))
      if (group == HloSharding::UnreducedGroup)
        llvm::append_range(unreduced, axesPerDim[rank + index]);
    llvm::sort(unreduced);
  }
  auto toRefs = [&](ArrayRef<unsigned> axes) {
    return llvm::map_to_vector(axes, [&](unsigned axis) { return getAxis(axis); });
  };
  SmallVector<sdy::DimensionShardingAttr> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    dims.push_back(sdy::DimensionShardingAttr::get(module.getContext(), toRefs(axesPerDim[dim]),
                                                   /*isClosed=*/!llvm::is_contained(openDims, dim)));
  return sdy::TensorShardingAttr::get(module.getContext(), meshName.getValue(), dims, ArrayRef<sdy::AxisRefAttr>(),
                                      toRefs(unreduced));
}

SmallVector<StringAttr> HloShardings::computeManualAxes(const HloSharding &sharding) {
  SmallVector<unsigned> axes;
  if (sharding.kind == HloSharding::Manual)
    axes = llvm::to_vector(llvm::seq<unsigned>(0, mesh->getAxisSizes().size()));
  if (sharding.kind == HloSharding::Tiled) {
    SmallVector<SmallVector<unsigned>> axesPerDim = mesh->computeAxes(sharding);
    for (auto [index, group] : llvm::enumerate(sharding.groups))
      if (group == HloSharding::ManualGroup)
        llvm::append_range(axes, axesPerDim[sharding.getRank() + index]);
    llvm::sort(axes);
  }
  return llvm::map_to_vector(
      axes, [&](unsigned axis) { return StringAttr::get(module.getContext(), getAxis(axis).getName()); });
}

//===----------------------------------------------------------------------===//
// Arguments, results and ops
//===----------------------------------------------------------------------===//

/// The sharding of an argument or a result of a function; null if it has none.
static Result<sdy::TensorShardingAttr> convertBoundary(func::FuncOp function, Type type, StringAttr text,
                                                       HloShardings &shardings) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  ArrayRef<HloSharding> list = shardings.get(text);
  if (list.size() != 1 || (!tensor && isa<TupleType>(type)))
    return Error::unsupported(locationOf(function), "the sharding \"" + text.str() + "\" is one of a tuple")
        .withRemedy("lower the program without tuples (return_tuple=False, use_tuple_args=False)");
  if (list[0].kind == HloSharding::Manual && function.isPublic())
    return Error::unsupported(locationOf(function),
                              "an argument or result of @" + function.getName().str() + " is sharded by hand: {manual}")
        .withRemedy("give the program with its global shapes");
  if (!tensor)
    return sdy::TensorShardingAttr();
  return shardings.build(function, list[0], tensor.getRank());
}

static Status convertFunction(func::FuncOp function, HloShardings &shardings) {
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    auto text = function.getArgAttrOfType<StringAttr>(index, hloShardingName);
    if (!text)
      continue;
    auto sharding = convertBoundary(function, function.getArgumentTypes()[index], text, shardings);
    if (!sharding)
      return sharding.error();
    function.removeArgAttr(index, hloShardingName);
    if (*sharding && !function.getArgAttr(index, sdyShardingName))
      function.setArgAttr(index, sdyShardingName, *sharding);
  }
  for (unsigned index = 0; index < function.getNumResults(); ++index) {
    auto text = function.getResultAttrOfType<StringAttr>(index, hloShardingName);
    if (!text)
      continue;
    auto sharding = convertBoundary(function, function.getResultTypes()[index], text, shardings);
    if (!sharding)
      return sharding.error();
    function.removeResultAttr(index, StringAttr::get(function.getContext(), hloShardingName));
    if (*sharding && !function.getResultAttr(index, sdyShardingName))
      function.setResultAttr(index, sdyShardingName, *sharding);
  }
  return std::nullopt;
}

/// Whether a constraint leaves everything open, as those do that JAX puts around partly manual code.
static bool saysNothing(sdy::TensorShardingAttr sharding) {
  return !sharding ||
         (!sharding.getInlineMesh() && sharding.getUnreducedAxes().empty() &&
          llvm::all_of(sharding.getDimShardings(),
                       [](sdy::DimensionShardingAttr dim) { return !dim.getIsClosed() && dim.getAxes().empty(); }) &&
          sharding.getRank() > 0);
}

static Status convertConstraint(stablehlo::CustomCallOp op, HloShardings &shardings) {
  StringAttr text = getHloSharding(op);
  bool isPlain = op->getNumOperands() == 1 && op->getNumResults() == 1 &&
                 op->getOperand(0).getType() == op->getResult(0).getType();
  ArrayRef<HloSharding> list = text ? shardings.get(text) : ArrayRef<HloSharding>();
  auto type = isPlain ? dyn_cast<RankedTensorType>(op->getOperand(0).getType()) : RankedTensorType();
  if (!type || list.size() != 1)
    return Error::unsupported(locationOf(op), "@Sharding must have one tensor as operand and result, and one sharding");
  Result<sdy::TensorShardingAttr> sharding = shardings.build(op, list[0], type.getRank(), readOpenDims(op));
  if (!sharding)
    return sharding.error();
  OpBuilder builder(op);
  Value value = op->getOperand(0);
  // Scalars inside of manual code are operands of reducers: there is nothing to split.
  bool isManualScalar = type.getRank() == 0 && !shardings.computeManualAxes(list[0]).empty();
  if (!saysNothing(*sharding) && !isManualScalar)
    value = sdy::ShardingConstraintOp::create(builder, op.getLoc(), value, *sharding);
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return std::nullopt;
}

/// `mhlo.sharding` on any other op becomes `sdy.sharding` on it.
static Status convertOp(Operation *op, HloShardings &shardings) {
  StringAttr text = getHloSharding(op);
  ArrayRef<HloSharding> list = shardings.get(text);
  unsigned results = op->getNumResults();
  if (list.size() != 1 && list.size() != results)
    return Error::unsupported(locationOf(op), "the sharding \"" + text.str() + "\" does not fit the op's results");
  SmallVector<sdy::TensorShardingAttr> perValue;
  for (unsigned index = 0; index < results; ++index) {
    auto type = dyn_cast<RankedTensorType>(op->getResult(index).getType());
    if (!type)
      break;
    auto sharding = shardings.build(op, list[list.size() == 1 ? 0 : index], type.getRank());
    if (!sharding)
      return sharding.error();
    if (*sharding)
      perValue.push_back(*sharding);
  }
  op->removeAttr(hloShardingName);
  if (results > 0 && perValue.size() == results && !op->hasAttr(sdyShardingName))
    op->setAttr(sdyShardingName, sdy::TensorShardingPerValueAttr::get(op->getContext(), perValue));
  return std::nullopt;
}

static Status convertHloShardings(ModuleOp module, HloShardings &shardings) {
  for (auto function : module.getOps<func::FuncOp>())
    if (Status error = convertFunction(function, shardings))
      return error;
  SmallVector<Operation *> todo;
  module.walk([&](Operation *op) {
    if (getHloSharding(op) || isCustomCall(op, "Sharding"))
      todo.push_back(op);
  });
  for (Operation *op : todo) {
    bool isConstraint = isCustomCall(op, "Sharding");
    Status error =
        isConstraint ? convertConstraint(cast<stablehlo::CustomCallOp>(op), shardings) : convertOp(op, shardings);
    if (error)
      return error;
  }
  return std::nullopt;
}

Status convertLegacyShardings(ModuleOp module) {
  if (Status error = convertRoundTrip(module))
    return error;
  HloShardings shardings;
  if (Status error = shardings.collect(module))
    return error;
  if (Status error = convertManualRegions(module, shardings))
    return error;
  return convertHloShardings(module, shardings);
}

} // namespace partita::program::import
