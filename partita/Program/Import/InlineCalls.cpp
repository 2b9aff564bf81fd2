//===- InlineCalls.cpp - inlines calls and composites ---------------------===//
//
// Callees are inlined into before their callers, so that each call is replaced
// once, by a body without calls. The last call of a private function takes the
// body itself instead of a copy.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Import/Steps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace partita::program::import {

namespace {

/// One call of a function.
struct CallSite {
  Operation *op;
  func::FuncOp callee;
};

/// A function with the calls in its body, in program order.
struct Node {
  SmallVector<CallSite> calls;
  int64_t ops = 0;
  enum { New, Open, Flat } state = New;
};

class Inliner {
public:
  Inliner(SymbolTable &symbols, const Limits &limits) : symbols(symbols), limits(limits) {}

  /// Flattens `main` and the functions that ops name.
  Status run(func::FuncOp main, ArrayRef<func::FuncOp> named);

private:
  Status collect(func::FuncOp function);
  Result<func::FuncOp> findCallee(Operation *call);
  Status flatten(func::FuncOp root);
  Status close(func::FuncOp function);
  void inlineSite(const CallSite &site);
  Error recursion(ArrayRef<func::FuncOp> path, func::FuncOp again);

  SymbolTable &symbols;
  const Limits &limits;
  llvm::MapVector<Operation *, Node> nodes;
  /// Calls that are still to be replaced; the last one takes the body itself.
  llvm::DenseMap<Operation *, int64_t> remainingUses;
};

} // namespace

/// The symbol that `op` calls, if it is a call to be replaced.
static FlatSymbolRefAttr getCalledSymbol(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return call.getCalleeAttr();
  if (auto composite = dyn_cast<stablehlo::CompositeOp>(op))
    if (!composite.getName().starts_with("partita.kernel."))
      return composite.getDecompositionAttr();
  return {};
}

Result<func::FuncOp> Inliner::findCallee(Operation *call) {
  StringRef name = getCalledSymbol(call).getValue();
  auto callee = symbols.lookup<func::FuncOp>(name);
  if (!callee)
    return Error::badInput(locationOf(call), "'" + call->getName().getStringRef().str() + "' calls @" + name.str() +
                                                 ", which is not defined");
  if (callee.isExternal())
    return Error::unsupported(locationOf(call), "'" + call->getName().getStringRef().str() + "' calls @" + name.str() +
                                                    ", which has no body");
  if (!llvm::hasSingleElement(callee.getBody()))
    return Error::unsupported(locationOf(callee), "function @" + name.str() + " has several blocks");
  if (callee.getArgumentTypes() != call->getOperandTypes() || callee.getResultTypes() != call->getResultTypes())
    return Error::unsupported(locationOf(call), "the call of @" + name.str() + " has other types than the function");
  return callee;
}

Status Inliner::collect(func::FuncOp function) {
  Node &node = nodes[function];
  Status error;
  function.getBody().walk([&](Operation *op) {
    ++node.ops;
    if (!getCalledSymbol(op))
      return WalkResult::advance();
    Result<func::FuncOp> callee = findCallee(op);
    if (!callee) {
      error = callee.error();
      return WalkResult::interrupt();
    }
    node.calls.push_back({op, *callee});
    ++remainingUses[*callee];
    return WalkResult::advance();
  });
  return error;
}

Error Inliner::recursion(ArrayRef<func::FuncOp> path, func::FuncOp again) {
  SmallVector<std::string> names;
  for (func::FuncOp function : path.drop_while([&](func::FuncOp f) { return f != again; }))
    names.push_back("@" + function.getName().str());
  names.push_back("@" + again.getName().str());
  return Error::unsupported(locationOf(again), "functions call themselves: " + llvm::join(names, " -> "))
      .withRemedy("write the recursion as stablehlo.while");
}

/// Inlines the calls of a function whose callees have no calls left.
Status Inliner::close(func::FuncOp function) {
  Node &node = nodes[function];
  for (const CallSite &site : node.calls) {
    node.ops = std::min(node.ops + nodes[site.callee].ops, limits.maxOps + 1);
    if (node.ops > limits.maxOps)
      return beyondLimit(locationOf(site.op), "inlined, the calls up to here give more ops", "max-ops", limits.maxOps);
  }
  for (const CallSite &site : node.calls)
    inlineSite(site);
  node.calls.clear();
  node.state = Node::Flat;
  return std::nullopt;
}

Status Inliner::flatten(func::FuncOp root) {
  // Depth first with a stack of our own: call chains may be as long as the program.
  struct Frame {
    func::FuncOp function;
    size_t next = 0;
  };
  SmallVector<Frame> stack;
  SmallVector<func::FuncOp> path;
  auto open = [&](func::FuncOp function) {
    nodes[function].state = Node::Open;
    stack.push_back({function});
    path.push_back(function);
  };
  if (nodes[root].state == Node::New)
    open(root);
  while (!stack.empty()) {
    Frame &frame = stack.back();
    Node &node = nodes[frame.function];
    if (frame.next == node.calls.size()) {
      if (Status error = close(frame.function))
        return error;
      stack.pop_back();
      path.pop_back();
      continue;
    }
    func::FuncOp callee = node.calls[frame.next++].callee;
    if (nodes[callee].state == Node::Open)
      return recursion(path, callee);
    if (nodes[callee].state == Node::New)
      open(callee);
  }
  return std::nullopt;
}

namespace {

/// Locations of inlined ops: `callee` at `call`. Few distinct ones, so they are kept.
class CallSiteLocations {
public:
  explicit CallSiteLocations(Location call) : call(call) {}

  void apply(Operation *root) {
    root->walk([&](Operation *op) { op->setLoc(get(op->getLoc())); });
    for (Region &region : root->getRegions())
      region.walk([&](Block *block) {
        for (BlockArgument argument : block->getArguments())
          argument.setLoc(get(argument.getLoc()));
      });
  }

private:
  Location get(Location callee) {
    auto [it, isNew] = known.try_emplace(callee, callee);
    if (isNew)
      it->second = CallSiteLoc::get(callee, call);
    return it->second;
  }

  Location call;
  llvm::DenseMap<Location, Location> known;
};

} // namespace

/// A sharding that the callee states for a value becomes a constraint on it.
static Value constrain(OpBuilder &builder, Location loc, Value value, Attribute sharding) {
  auto tensorSharding = dyn_cast_or_null<sdy::TensorShardingAttr>(sharding);
  if (!tensorSharding || !isa<RankedTensorType>(value.getType()))
    return value;
  return sdy::ShardingConstraintOp::create(builder, loc, value, tensorSharding);
}

/// Inserts a copy of the callee's body at `builder`; gives what it returns.
static SmallVector<Value> copyBody(OpBuilder &builder, Block &body, ValueRange operands, CallSiteLocations &locations) {
  IRMapping mapping;
  mapping.map(body.getArguments(), operands);
  for (Operation &op : body.without_terminator())
    locations.apply(builder.clone(op, mapping));
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// Moves the callee's body before `call`; gives what it returns.
static SmallVector<Value> moveBody(Operation *call, Block &body, ValueRange operands, CallSiteLocations &locations) {
  for (auto [argument, operand] : llvm::zip(body.getArguments(), operands))
    argument.replaceAllUsesWith(operand);
  SmallVector<Value> returned(body.getTerminator()->getOperands());
  for (Operation &op : body.without_terminator())
    locations.apply(&op);
  Operation *terminator = body.getTerminator();
  call->getBlock()->getOperations().splice(call->getIterator(), body.getOperations(), body.begin(),
                                           terminator->getIterator());
  terminator->erase();
  return returned;
}

void Inliner::inlineSite(const CallSite &site) {
  func::FuncOp callee = site.callee;
  Location loc = site.op->getLoc();
  OpBuilder builder(site.op);
  SmallVector<Value> operands;
  for (auto [index, operand] : llvm::enumerate(site.op->getOperands()))
    operands.push_back(constrain(builder, loc, operand, callee.getArgAttr(index, "sdy.sharding")));
  CallSiteLocations locations(loc);
  Block &body = callee.getBody().front();
  bool takesBody = --remainingUses[callee] == 0;
  SmallVector<Value> results =
      takesBody ? moveBody(site.op, body, operands, locations) : copyBody(builder, body, operands, locations);
  for (auto [index, result] : llvm::enumerate(site.op->getResults()))
    result.replaceAllUsesWith(constrain(builder, loc, results[index], callee.getResultAttr(index, "sdy.sharding")));
  site.op->erase();
  if (takesBody)
    callee.erase();
}

Status Inliner::run(func::FuncOp main, ArrayRef<func::FuncOp> named) {
  SmallVector<func::FuncOp> roots(named);
  roots.push_back(main);
  // A root is also used by something other than a call, so its body is never moved.
  for (func::FuncOp root : roots)
    ++remainingUses[root];
  SmallVector<func::FuncOp> todo(roots);
  while (!todo.empty()) {
    func::FuncOp function = todo.pop_back_val();
    if (function.isExternal() || !nodes.insert({function, Node()}).second)
      continue;
    if (Status error = collect(function))
      return error;
    for (const CallSite &site : nodes[function].calls)
      todo.push_back(site.callee);
  }
  for (func::FuncOp root : roots)
    if (!root.isExternal())
      if (Status error = flatten(root))
        return error;
  return std::nullopt;
}

/// Functions that an op names without calling them: computations of custom calls, kernels' references.
static SmallVector<func::FuncOp> findNamedFunctions(ModuleOp module, SymbolTable &symbols) {
  llvm::SetVector<Operation *> found;
  std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(&module.getBodyRegion());
  if (!uses)
    return {};
  for (const SymbolTable::SymbolUse &use : *uses)
    if (getCalledSymbol(use.getUser()) != use.getSymbolRef())
      if (auto function = symbols.lookup<func::FuncOp>(use.getSymbolRef().getRootReference()))
        found.insert(function);
  return llvm::map_to_vector(found, [](Operation *op) { return cast<func::FuncOp>(op); });
}

Status inlineCalls(ModuleOp module, const Limits &limits) {
  SymbolTable symbols(module);
  auto main = symbols.lookup<func::FuncOp>("main");
  SmallVector<func::FuncOp> named = findNamedFunctions(module, symbols);
  return Inliner(symbols, limits).run(main, named);
}

} // namespace partita::program::import
