//===- Rematerialize.cpp - time for memory, value by value ----------------===//

#include "partita/Remat/Rematerialize.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Program/VerifyKinds.h"
#include "partita/Remat/Candidates.h"
#include "partita/Remat/LoopEditor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace partita::remat {

llvm::StringRef getWord(RematKind kind) { return kind == RematKind::Keep ? "keep" : "recompute"; }

std::vector<RematClass> findRematClasses(ModuleOp module, const Flattened &flattened) {
  RematProgram program(module, flattened);
  std::vector<RematClass> classes;
  for (RematCandidate &candidate : program.candidates)
    classes.push_back(std::move(candidate.facts));
  return classes;
}

/// The candidates of the kind that are named.
static std::vector<const RematCandidate *> choose(const RematProgram &program, RematKind kind,
                                                  ArrayRef<std::string> names) {
  std::vector<const RematCandidate *> chosen;
  for (const RematCandidate &candidate : program.candidates)
    if (candidate.facts.kind == kind && llvm::is_contained(names, candidate.facts.name))
      chosen.push_back(&candidate);
  return chosen;
}

/// Adds a value that belongs to no layer to the groups of values whose cones it shares ops with, which become one.
static void addToGroups(Value value, const Cone &cone, std::vector<std::vector<Value>> &groups,
                        std::vector<llvm::DenseSet<Operation *>> &ops) {
  std::vector<Value> group{value};
  llvm::DenseSet<Operation *> ofGroup(cone.ops.begin(), cone.ops.end());
  for (size_t other = groups.size(); other-- > 0;) {
    if (llvm::none_of(cone.ops, [&](Operation *op) { return ops[other].contains(op); }))
      continue;
    group.insert(group.begin(), groups[other].begin(), groups[other].end());
    ofGroup.insert_range(ops[other]);
    groups.erase(groups.begin() + other);
    ops.erase(ops.begin() + other);
  }
  groups.push_back(std::move(group));
  ops.push_back(std::move(ofGroup));
}

/// The values that are recomputed together: those of a layer, and of others those whose cones overlap.
static std::vector<std::vector<Value>> groupByLayer(ArrayRef<const RematCandidate *> candidates, size_t code,
                                                    const RematProgram &program) {
  llvm::MapVector<std::pair<int64_t, int32_t>, std::vector<Value>> layers;
  std::vector<Value> others;
  for (const RematCandidate *candidate : candidates) {
    if (candidate->pair || candidate->code != code)
      continue;
    for (Value value : candidate->values) {
      auto layer = program.layers.getLayer(value.getDefiningOp());
      (layer.first >= 0 ? layers[layer] : others).push_back(value);
    }
  }
  llvm::DenseSet<Value> dropped(others.begin(), others.end());
  std::vector<std::vector<Value>> groups;
  std::vector<llvm::DenseSet<Operation *>> ops;
  for (Value value : others)
    addToGroups(value, program.codes[code].findCone(value, dropped), groups, ops);
  for (auto &entry : layers)
    groups.push_back(std::move(entry.second));
  return groups;
}

static CodeRequest makeCodeRequest(const RematProgram &program, size_t code, ArrayRef<const RematCandidate *> recompute,
                                   ArrayRef<const RematCandidate *> keep) {
  CodeRequest request{{}, groupByLayer(recompute, code, program)};
  for (const RematCandidate *candidate : keep)
    if (!candidate->pair && candidate->code == code)
      llvm::append_range(request.keep, candidate->equal);
  return request;
}

static LoopRequest makeLoopRequest(size_t pair, ArrayRef<const RematCandidate *> recompute,
                                   ArrayRef<const RematCandidate *> keep) {
  LoopRequest request;
  for (const RematCandidate *candidate : keep)
    if (candidate->pair == pair)
      request.keep.push_back({candidate->values.front(), candidate->again});
  for (const RematCandidate *candidate : recompute)
    if (candidate->pair == pair)
      request.recompute.push_back(candidate->stack);
  return request;
}

/// Hands stacks from loop to loop as they are. What gave them another shape in between is dead then.
static void connectStacks(LayerLoops &pair) {
  for (const LayerStack &stack : pair.stacks)
    pair.backward->setOperand(stack.backward, pair.forward.getResult(stack.forward));
}

/// Nothing is removed before everything is written: ops that are looked at must still be there. Loops around others are
/// rewritten first, and keep these.
static Status rewrite(RematProgram &program, ArrayRef<const RematCandidate *> recompute,
                      ArrayRef<const RematCandidate *> keep, RematReport &report) {
  std::deque<LoopCones> cones;
  for (LayerLoops &pair : program.pairs) {
    cones.emplace_back(pair, program.numbers);
    connectStacks(pair);
  }
  for (size_t code = 0; code < program.codes.size(); ++code) {
    CodeRequest request = makeCodeRequest(program, code, recompute, keep);
    if (Status wrong = rewriteCode(program.codes[code], program.index, request, report))
      return wrong;
  }
  for (size_t pair = 0; pair < program.pairs.size(); ++pair) {
    LoopRequest request = makeLoopRequest(pair, recompute, keep);
    if (Status wrong = rewriteLoops(program.pairs[pair], cones[pair], request, report))
      return wrong;
  }
  return std::nullopt;
}

/// Removes what nothing needs any more: cones of values that are kept, stacks, what these started from.
static void removeDead(ModuleOp module, RematProgram &program, RematReport &report) {
  for (LayerLoops &pair : program.pairs)
    for (LayerStack &stack : pair.stacks)
      for (stablehlo::ReshapeOp reshape : llvm::reverse(stack.reshapes))
        reshape.erase();
  for (LayerLoops &pair : llvm::reverse(program.pairs)) {
    report.numRemovedOps += removeDeadCarried(pair.backward);
    report.numRemovedOps += removeDeadCarried(pair.forward);
  }
  module.walk<WalkOrder::PostOrder>(
      [&](stablehlo::WhileOp loop) { report.numRemovedOps += removeDeadOps(loop.getBody().front()); });
  report.numRemovedOps += removeDeadOps(module.lookupSymbol<func::FuncOp>("main").getBody().front());
}

Result<RematReport> rematerialize(ModuleOp module, const Flattened &flattened, const RematRequest &request) {
  RematProgram program(module, flattened);
  std::vector<const RematCandidate *> recompute = choose(program, RematKind::Recompute, request.recompute);
  std::vector<const RematCandidate *> keep = choose(program, RematKind::Keep, request.keep);
  RematReport report;
  for (const RematCandidate *candidate : recompute)
    report.recomputed.push_back(candidate->facts);
  for (const RematCandidate *candidate : keep)
    report.kept.push_back(candidate->facts);
  auto countKind = [&](RematKind kind) {
    return size_t(llvm::count_if(program.candidates,
                                 [&](const RematCandidate &candidate) { return candidate.facts.kind == kind; }));
  };
  report.isAllRecomputed = recompute.size() == countKind(RematKind::Recompute);
  report.isAllKept = keep.size() == countKind(RematKind::Keep);
  if (Status wrong = rewrite(program, recompute, keep, report))
    return std::move(*wrong);
  removeDead(module, program, report);
  DiagnosticCollector collector(module.getContext(), "");
  if (failed(verifyKinds(module)))
    return Error::internal("the program with recomputation does not verify: " + collector.takeError("no reason").reason)
        .withRemedy("this is a defect of Partita; please report it with the program and the schedule");
  return report;
}

} // namespace partita::remat
