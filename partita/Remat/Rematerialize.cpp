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
  for (Candidate &candidate : program.candidates)
    classes.push_back(std::move(candidate.facts));
  return classes;
}

/// The candidates of the kind that are named.
static std::vector<const Candidate *> choose(const RematProgram &program, RematKind kind, ArrayRef<std::string> names) {
  std::vector<const Candidate *> chosen;
  for (const Candidate &candidate : program.candidates)
    if (candidate.facts.kind == kind && llvm::is_contained(names, candidate.facts.name))
      chosen.push_back(&candidate);
  return chosen;
}

/// The values of a layer that are recomputed, together; those of no layer, each by itself.
static std::vector<std::vector<Value>> groupByLayer(ArrayRef<const Candidate *> candidates, size_t code,
                                                    const RematProgram &program) {
  llvm::MapVector<std::pair<int64_t, int32_t>, std::vector<Value>> layers;
  std::vector<std::vector<Value>> groups;
  for (const Candidate *candidate : candidates) {
    if (candidate->pair || candidate->code != code)
      continue;
    for (Value value : candidate->values) {
      auto layer = program.layers.getLayer(value.getDefiningOp());
      if (layer.first >= 0)
        layers[layer].push_back(value);
      else
        groups.push_back({value});
    }
  }
  for (auto &entry : layers)
    groups.push_back(std::move(entry.second));
  return groups;
}

static Status rewrite(RematProgram &program, ArrayRef<const Candidate *> recompute, ArrayRef<const Candidate *> keep,
                      RematReport &report) {
  for (size_t code = 0; code < program.codes.size(); ++code) {
    CodeRequest request{{}, groupByLayer(recompute, code, program)};
    for (const Candidate *candidate : keep)
      if (!candidate->pair && candidate->code == code)
        llvm::append_range(request.keep, candidate->equal);
    if (request.keep.empty() && request.recompute.empty())
      continue;
    if (Status wrong = rewriteCode(program.codes[code], program.index, request, report))
      return wrong;
  }
  for (size_t pair = 0; pair < program.pairs.size(); ++pair) {
    LoopRequest request;
    for (const Candidate *candidate : keep)
      if (candidate->pair == pair)
        request.keep.push_back(candidate->values.front());
    for (const Candidate *candidate : recompute)
      if (candidate->pair == pair)
        request.recompute.push_back(candidate->stack);
    if (request.keep.empty() && request.recompute.empty())
      continue;
    if (Status wrong = rewriteLoops(program.pairs[pair], program.numbers, request, report))
      return wrong;
  }
  return std::nullopt;
}

Result<RematReport> rematerialize(ModuleOp module, const Flattened &flattened, const RematRequest &request) {
  RematProgram program(module, flattened);
  std::vector<const Candidate *> recompute = choose(program, RematKind::Recompute, request.recompute);
  std::vector<const Candidate *> keep = choose(program, RematKind::Keep, request.keep);
  RematReport report;
  for (const Candidate *candidate : recompute)
    report.recomputed.push_back(candidate->facts);
  for (const Candidate *candidate : keep)
    report.kept.push_back(candidate->facts);
  if (Status wrong = rewrite(program, recompute, keep, report))
    return std::move(*wrong);
  // Such as what stacks that are gone started from.
  module.walk<WalkOrder::PostOrder>([&](stablehlo::WhileOp loop) { removeDeadOps(loop.getBody().front()); });
  removeDeadOps(module.lookupSymbol<func::FuncOp>("main").getBody().front());
  DiagnosticCollector collector(module.getContext(), "");
  if (failed(verifyKinds(module)))
    return Error::internal("the program with recomputation does not verify: " + collector.takeError("no reason").reason)
        .withRemedy("this is a defect of Partita; please report it with the program and the schedule");
  return report;
}

} // namespace partita::remat
