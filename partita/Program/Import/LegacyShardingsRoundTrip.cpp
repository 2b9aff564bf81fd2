//===- LegacyShardingsRoundTrip.cpp - sdy's shardings in strings ----------===//
//
// XLA did not know sdy's shardings. To pass them through XLA, sdy's export
// wrote them as strings into `mhlo.frontend_attributes`, and its ops as custom
// calls:
//
//   module {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<...>}"}}
//   arguments, ops       {xla.sdy.sharding = "#sdy.sharding<...>"}
//   results              @xla.sdy.FuncResultSharding in front of the return
//   sdy.manual_computation
//     @xla.sdy.GlobalToLocalShape, call of @xla.sdy.manual_computation_body,
//     @xla.sdy.LocalToGlobalShape
//   sdy.sharding_group, sdy.propagation_barrier
//     @xla.sdy.ShardingGroup, @xla.sdy.PropagationBarrier
//
// Names of custom calls may start with `local_`. If a program has such
// shardings, `mhlo.sharding` only repeats them and is dropped.
//
//===----------------------------------------------------------------------===//

#include "partita/Program/Import/LegacyShardings.h"

#include "partita/Dialect/Diagnostics.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace partita::program::import {

static constexpr StringRef frontendName = "mhlo.frontend_attributes";

namespace {

class RoundTrip {
public:
  explicit RoundTrip(ModuleOp module) : module(module), context(module.getContext()) {}

  Status run();

private:
  Status restoreMeshes();
  Status restoreBoundaries(func::FuncOp function);
  Status restoreOp(Operation *op);
  Status restoreAttributes(Operation *op);
  Status restoreFuncResults(stablehlo::CustomCallOp op);
  Status restoreConstraint(stablehlo::CustomCallOp op);
  Status restoreGroup(stablehlo::CustomCallOp op);
  Status restoreBarrier(stablehlo::CustomCallOp op);
  Status restoreManual(func::CallOp call);
  Status restoreManual(stablehlo::CustomCallOp op);
  Status refuseLeftovers();

  /// The attribute whose text is under `key`; null if there is none.
  template <typename T> Result<T> parse(Operation *op, DictionaryAttr frontend, StringRef key);
  /// Builds a manual computation whose body calls `callee`, before `op`.
  Result<sdy::ManualComputationOp> buildManual(Operation *op, FlatSymbolRefAttr callee, ValueRange inputs,
                                               TypeRange results, DictionaryAttr frontend);

  ModuleOp module;
  MLIRContext *context;
  bool hasMeshes = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

static DictionaryAttr getFrontend(Operation *op) { return op->getAttrOfType<DictionaryAttr>(frontendName); }

/// The dictionary without sdy's keys; null if nothing is left.
static DictionaryAttr dropKeys(DictionaryAttr frontend) {
  SmallVector<NamedAttribute> kept;
  for (NamedAttribute attribute : frontend)
    if (!attribute.getName().getValue().starts_with("xla.sdy."))
      kept.push_back(attribute);
  return kept.empty() ? DictionaryAttr() : DictionaryAttr::get(frontend.getContext(), kept);
}

static void dropKeys(Operation *op) {
  DictionaryAttr frontend = getFrontend(op);
  if (!frontend)
    return;
  if (DictionaryAttr kept = dropKeys(frontend))
    op->setAttr(frontendName, kept);
  else
    op->removeAttr(frontendName);
}

/// Some exports escaped quotes twice.
static std::string unescape(StringRef text) {
  std::string result;
  for (size_t index = 0; index < text.size(); ++index)
    if (text[index] != '\\' || index + 1 == text.size() || text[index + 1] != '"')
      result.push_back(text[index]);
  return result;
}

/// Whether brackets nest deeper than any sharding: the parser recurses into brackets.
static bool isDeep(StringRef text) {
  int depth = 0;
  for (char c : text) {
    depth += StringRef("<[({").contains(c) ? 1 : StringRef(">])}").contains(c) ? -1 : 0;
    if (depth > 32)
      return true;
  }
  return false;
}

template <typename T> Result<T> RoundTrip::parse(Operation *op, DictionaryAttr frontend, StringRef key) {
  auto text = frontend ? frontend.getAs<StringAttr>(key) : StringAttr();
  if (!text)
    return T();
  Attribute attribute;
  if (!isDeep(text.getValue())) {
    DiagnosticCollector collector(context, "");
    attribute = parseAttribute(unescape(text.getValue()), context);
  }
  if (auto result = dyn_cast_or_null<T>(attribute))
    return result;
  return Error::unsupported(locationOf(op), "cannot read " + key.str() + " = \"" + text.str() + "\"")
      .withRemedy("lower the program anew with a JAX that writes sdy's shardings as they are");
}

/// The shardings of an op's results: a list, or one alone.
static Result<SmallVector<sdy::TensorShardingAttr>> toList(Operation *op, Attribute attribute) {
  if (auto list = dyn_cast_or_null<sdy::TensorShardingPerValueAttr>(attribute))
    if (list.size() == op->getNumResults())
      return SmallVector<sdy::TensorShardingAttr>(list.getShardings());
  if (auto one = dyn_cast_or_null<sdy::TensorShardingAttr>(attribute))
    if (op->getNumResults() == 1)
      return SmallVector<sdy::TensorShardingAttr>{one};
  return Error::unsupported(locationOf(op), "xla.sdy.sharding does not fit the results of '" +
                                                op->getName().getStringRef().str() + "'");
}

//===----------------------------------------------------------------------===//
// Meshes, arguments and results
//===----------------------------------------------------------------------===//

Status RoundTrip::restoreMeshes() {
  Result<DictionaryAttr> meshes = parse<DictionaryAttr>(module, getFrontend(module), "xla.sdy.meshes");
  if (!meshes)
    return meshes.error();
  dropKeys(module);
  if (!*meshes)
    return std::nullopt;
  hasMeshes = true;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  for (NamedAttribute named : *meshes) {
    auto mesh = dyn_cast<sdy::MeshAttr>(named.getValue());
    Operation *existing = module.lookupSymbol(named.getName());
    bool isSame = existing && isa<sdy::MeshOp>(existing) && cast<sdy::MeshOp>(existing).getMesh() == mesh;
    if (!mesh || (existing && !isSame))
      return Error::unsupported(locationOf(module), "xla.sdy.meshes has no mesh, or a second one, under the name @" +
                                                        named.getName().str());
    if (!existing)
      sdy::MeshOp::create(builder, module.getLoc(), named.getName().getValue(), mesh);
  }
  return std::nullopt;
}

Status RoundTrip::restoreBoundaries(func::FuncOp function) {
  auto restore = [&](auto get, auto set, auto remove, unsigned index) -> Status {
    auto frontend = dyn_cast_or_null<DictionaryAttr>(get(index, frontendName));
    Result<sdy::TensorShardingAttr> sharding = parse<sdy::TensorShardingAttr>(function, frontend, "xla.sdy.sharding");
    if (!sharding)
      return sharding.error();
    if (*sharding && !get(index, sdyShardingName))
      set(index, sdyShardingName, *sharding);
    if (hasMeshes || *sharding)
      remove(index, hloShardingName);
    if (frontend) {
      DictionaryAttr kept = dropKeys(frontend);
      kept ? set(index, frontendName, kept) : remove(index, frontendName);
    }
    return std::nullopt;
  };
  auto name = [&](StringRef text) { return StringAttr::get(context, text); };
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    if (Status error = restore([&](unsigned i, StringRef n) { return function.getArgAttr(i, n); },
                               [&](unsigned i, StringRef n, Attribute a) { function.setArgAttr(i, n, a); },
                               [&](unsigned i, StringRef n) { function.removeArgAttr(i, n); }, index))
      return error;
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    if (Status error = restore([&](unsigned i, StringRef n) { return function.getResultAttr(i, n); },
                               [&](unsigned i, StringRef n, Attribute a) { function.setResultAttr(i, n, a); },
                               [&](unsigned i, StringRef n) { function.removeResultAttr(i, name(n)); }, index))
      return error;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Whether the results have the types of the operands, as those of annotating custom calls do.
static bool hasPlainTypes(stablehlo::CustomCallOp op) {
  return op->getNumResults() > 0 && op->getOperandTypes() == op->getResultTypes();
}

Status RoundTrip::restoreFuncResults(stablehlo::CustomCallOp op) {
  Result<Attribute> attribute = parse<Attribute>(op, getFrontend(op), "xla.sdy.sharding");
  if (!attribute)
    return attribute.error();
  auto list = toList(op, *attribute);
  if (!list || !hasPlainTypes(op))
    return list ? Error::unsupported(locationOf(op), "FuncResultSharding changes types") : list.error();
  for (auto [result, sharding] : llvm::zip(op->getResults(), *list))
    for (OpOperand &use : result.getUses())
      if (auto returnOp = dyn_cast<func::ReturnOp>(use.getOwner()))
        returnOp->getParentOfType<func::FuncOp>().setResultAttr(use.getOperandNumber(), sdyShardingName, sharding);
  op->replaceAllUsesWith(op->getOperands());
  op->erase();
  return std::nullopt;
}

/// @Sharding with sdy's sharding in it. Without, it is in XLA's own notation.
Status RoundTrip::restoreConstraint(stablehlo::CustomCallOp op) {
  Result<Attribute> attribute = parse<Attribute>(op, getFrontend(op), "xla.sdy.sharding");
  if (!attribute)
    return attribute.error();
  if (!*attribute)
    return std::nullopt;
  auto list = toList(op, *attribute);
  if (!list || !hasPlainTypes(op) || list->size() != 1)
    return list ? Error::unsupported(locationOf(op), "@Sharding must have one operand and one result") : list.error();
  OpBuilder builder(op);
  auto constraint = sdy::ShardingConstraintOp::create(builder, op.getLoc(), op->getOperand(0), list->front());
  op->replaceAllUsesWith(constraint);
  op->erase();
  return std::nullopt;
}

Status RoundTrip::restoreGroup(stablehlo::CustomCallOp op) {
  Result<IntegerAttr> id = parse<IntegerAttr>(op, getFrontend(op), "xla.sdy.sharding_group_id");
  if (!id)
    return id.error();
  bool isPlain = op->getNumOperands() == 1 && isa<RankedTensorType>(op->getOperand(0).getType());
  if (!*id || !(*id).getType().isSignlessInteger(64) || !isPlain || !op->use_empty())
    return Error::unsupported(locationOf(op), "ShardingGroup without a group id, or with a result that is used");
  OpBuilder builder(op);
  sdy::ShardingGroupOp::create(builder, op.getLoc(), op->getOperand(0), *id);
  op->erase();
  return std::nullopt;
}

Status RoundTrip::restoreBarrier(stablehlo::CustomCallOp op) {
  Result<IntegerAttr> direction = parse<IntegerAttr>(op, getFrontend(op), "xla.sdy.allowed_direction");
  if (!direction)
    return direction.error();
  std::optional<sdy::PropagationDirection> known;
  if (*direction && (*direction).getType().isSignlessInteger(32))
    known = sdy::symbolizePropagationDirection(static_cast<uint32_t>((*direction).getInt()));
  if (!known || !hasPlainTypes(op) || op->getNumResults() != 1 || !isa<RankedTensorType>(op->getOperand(0).getType()))
    return Error::unsupported(locationOf(op), "PropagationBarrier without a direction, or not of one tensor");
  OpBuilder builder(op);
  auto barrier = sdy::PropagationBarrierOp::create(builder, op.getLoc(), op->getOperand(0), *known);
  op->replaceAllUsesWith(barrier);
  op->erase();
  return std::nullopt;
}

/// Shardings and rules that other ops carry.
Status RoundTrip::restoreAttributes(Operation *op) {
  DictionaryAttr frontend = getFrontend(op);
  Result<Attribute> attribute = parse<Attribute>(op, frontend, "xla.sdy.sharding");
  Result<sdy::OpShardingRuleAttr> rule = parse<sdy::OpShardingRuleAttr>(op, frontend, "xla.sdy.sharding_rule");
  if (!attribute || !rule)
    return attribute ? rule.error() : attribute.error();
  if (*rule)
    op->setAttr("sdy.sharding_rule", *rule);
  if (*attribute) {
    auto list = toList(op, *attribute);
    if (!list)
      return list.error();
    op->setAttr(sdyShardingName, sdy::TensorShardingPerValueAttr::get(context, *list));
  }
  if (*attribute || hasMeshes)
    op->removeAttr(hloShardingName);
  dropKeys(op);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Manual computations
//===----------------------------------------------------------------------===//

/// The target of a custom call without the prefix that some exports add.
static StringRef getTarget(Operation *op) {
  auto call = dyn_cast_or_null<stablehlo::CustomCallOp>(op);
  StringRef name = call ? call.getCallTargetName() : StringRef();
  name.consume_front("local_");
  return name;
}

/// Entries of `more` that `frontend` does not have are added to it.
static DictionaryAttr merge(DictionaryAttr frontend, DictionaryAttr more) {
  if (!frontend || !more)
    return frontend ? frontend : more;
  NamedAttrList list(frontend);
  for (NamedAttribute attribute : more)
    if (!list.get(attribute.getName()))
      list.append(attribute);
  return list.getDictionary(frontend.getContext());
}

Result<sdy::ManualComputationOp> RoundTrip::buildManual(Operation *op, FlatSymbolRefAttr callee, ValueRange inputs,
                                                        TypeRange results, DictionaryAttr frontend) {
  auto function = module.lookupSymbol<func::FuncOp>(callee.getValue());
  auto in = parse<sdy::TensorShardingPerValueAttr>(op, frontend, "xla.sdy.in_shardings");
  auto out = parse<sdy::TensorShardingPerValueAttr>(op, frontend, "xla.sdy.out_shardings");
  auto axes = parse<sdy::ManualAxesAttr>(op, frontend, "xla.sdy.manual_axes");
  if (!in || !out || !axes)
    return !in ? in.error() : !out ? out.error() : axes.error();
  auto none = sdy::TensorShardingPerValueAttr::get(context, ArrayRef<sdy::TensorShardingAttr>());
  auto inShardings = *in ? *in : none, outShardings = *out ? *out : none;
  if (!function || !*axes || inShardings.size() != static_cast<int64_t>(inputs.size()) ||
      outShardings.size() != static_cast<int64_t>(results.size()) || function.getNumArguments() != inputs.size() ||
      function.getNumResults() != results.size())
    return Error::unsupported(locationOf(op), "a manual computation whose shardings, axes or body are missing");
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto manual = sdy::ManualComputationOp::create(builder, loc, results, inputs, inShardings, outShardings, *axes);
  Block &body = manual.getBody().emplaceBlock();
  body.addArguments(function.getArgumentTypes(), SmallVector<Location>(inputs.size(), loc));
  builder.setInsertionPointToEnd(&body);
  auto call = func::CallOp::create(builder, loc, function, body.getArguments());
  sdy::ReturnOp::create(builder, loc, call.getResults());
  return manual;
}

/// GlobalToLocalShape, call, LocalToGlobalShape.
Status RoundTrip::restoreManual(func::CallOp call) {
  auto refuse = [&](const std::string &reason) {
    return Error::unsupported(locationOf(call), "the call of @" + call.getCallee().str() + " " + reason)
        .withRemedy("lower the program anew with a JAX that writes sdy's shardings as they are");
  };
  Operation *entry = call.getNumOperands() == 0 ? nullptr : call.getOperand(0).getDefiningOp();
  if (call.getNumOperands() != 0 &&
      (getTarget(entry) != "xla.sdy.GlobalToLocalShape" || entry->getResults() != call.getOperands()))
    return refuse("does not take all results of one GlobalToLocalShape");
  Operation *exit = nullptr;
  if (call.getNumResults() != 0) {
    exit = call.getResult(0).use_empty() ? nullptr : *call.getResult(0).user_begin();
    bool isOnlyUser = llvm::all_of(call->getUsers(), [&](Operation *user) { return user == exit; });
    if (getTarget(exit) != "xla.sdy.LocalToGlobalShape" || !isOnlyUser || exit->getOperands() != call.getResults())
      return refuse("does not give all its results to one LocalToGlobalShape");
  }
  DictionaryAttr frontend = getFrontend(call);
  frontend = entry ? merge(frontend, getFrontend(entry)) : frontend;
  frontend = exit ? merge(frontend, getFrontend(exit)) : frontend;
  ValueRange inputs = entry ? ValueRange(entry->getOperands()) : ValueRange();
  TypeRange results = exit ? TypeRange(exit->getResultTypes()) : TypeRange();
  auto manual = buildManual(exit ? exit : call, call.getCalleeAttr(), inputs, results, frontend);
  if (!manual)
    return manual.error();
  if (exit) {
    exit->replaceAllUsesWith(*manual);
    exit->erase();
  }
  call->erase();
  if (entry && entry->use_empty())
    entry->erase();
  return std::nullopt;
}

/// The older notation: one custom call that names the body.
Status RoundTrip::restoreManual(stablehlo::CustomCallOp op) {
  ArrayAttr called = op.getCalledComputations();
  auto callee = called && called.size() == 1 ? dyn_cast<FlatSymbolRefAttr>(called[0]) : FlatSymbolRefAttr();
  if (!callee)
    return Error::unsupported(locationOf(op), "ManualComputation names no body");
  auto manual = buildManual(op, callee, op->getOperands(), op->getResultTypes(), getFrontend(op));
  if (!manual)
    return manual.error();
  op->replaceAllUsesWith(*manual);
  op->erase();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//

Status RoundTrip::restoreOp(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op))
    if (call.getCallee().contains("xla.sdy.manual_computation_body"))
      return restoreManual(call);
  StringRef target = getTarget(op);
  auto custom = dyn_cast<stablehlo::CustomCallOp>(op);
  if (target == "xla.sdy.FuncResultSharding")
    return restoreFuncResults(custom);
  if (target == "Sharding")
    return restoreConstraint(custom);
  if (target == "xla.sdy.ShardingGroup")
    return restoreGroup(custom);
  if (target == "xla.sdy.PropagationBarrier")
    return restoreBarrier(custom);
  if (target == "xla.sdy.ManualComputation")
    return restoreManual(custom);
  // Those belong to a call.
  if (target == "xla.sdy.GlobalToLocalShape" || target == "xla.sdy.LocalToGlobalShape")
    return std::nullopt;
  return restoreAttributes(op);
}

/// Whether this step may change `op`.
static bool isConcerned(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op); call && call.getCallee().contains("xla.sdy.manual_computation_body"))
    return true;
  StringRef target = getTarget(op);
  if (target.starts_with("xla.sdy.") || target == "Sharding")
    return true;
  DictionaryAttr frontend = getFrontend(op);
  return frontend && llvm::any_of(frontend, [](NamedAttribute attribute) {
           return attribute.getName().getValue().starts_with("xla.sdy.");
         });
}

/// Refuses shape conversions that belong to no call.
Status RoundTrip::refuseLeftovers() {
  Status error;
  module.walk([&](stablehlo::CustomCallOp op) {
    if (!getTarget(op).starts_with("xla.sdy."))
      return WalkResult::advance();
    error = Error::unsupported(locationOf(op), "@" + op.getCallTargetName().str() + " has no meaning here")
                .withRemedy("lower the program anew with a JAX that writes sdy's shardings as they are");
    return WalkResult::interrupt();
  });
  return error;
}

Status RoundTrip::run() {
  if (Status error = restoreMeshes())
    return error;
  for (auto function : module.getOps<func::FuncOp>())
    if (Status error = restoreBoundaries(function))
      return error;
  SmallVector<Operation *> todo, calls;
  for (auto function : module.getOps<func::FuncOp>())
    function.getBody().walk([&](Operation *op) {
      if (hasMeshes && !isCustomCall(op, "Sharding") && op->hasAttr(hloShardingName))
        op->removeAttr(hloShardingName);
      // Calls go last: converting one also erases ops before and after it.
      if (isConcerned(op))
        (isa<func::CallOp>(op) ? calls : todo).push_back(op);
    });
  todo.append(calls);
  for (Operation *op : todo)
    if (Status error = restoreOp(op))
      return error;
  return refuseLeftovers();
}

Status convertRoundTrip(ModuleOp module) { return RoundTrip(module).run(); }

} // namespace partita::program::import
