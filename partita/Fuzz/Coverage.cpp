//===- Coverage.cpp - whether random cases split every kind of op ---------===//

#include "partita/Fuzz/Coverage.h"

#include "partita/Fuzz/Case.h"
#include "partita/Fuzz/Remainders.h"
#include "partita/Program/Rules/RuleTable.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace mlir;

namespace partita::fuzz {

namespace {

/// An op that random cases do not split, or do not pad.
struct ExemptOp {
  StringRef name;
  StringRef reason;
};

} // namespace

static constexpr llvm::StringLiteral isWhole = "nothing of it may be split";
static constexpr llvm::StringLiteral isElsewhere = "what goes to or comes from elsewhere has the whole's shape";
static constexpr llvm::StringLiteral isOfDevices = "it is of programs that are partitioned already";
static constexpr llvm::StringLiteral isDynamic = "sizes that are not known before it runs are refused";

static constexpr ExemptOp exemptOps[] = {
    {"chlo.mulhi", "import puts StableHLO in its place"},
    {"chlo.scan", isWhole},
    {"sdy.all_gather", isOfDevices},
    {"sdy.all_reduce", isOfDevices},
    {"sdy.all_slice", isOfDevices},
    {"sdy.all_to_all", isOfDevices},
    {"sdy.collective_permute", isOfDevices},
    {"sdy.data_flow_edge", "Shardy writes it while it propagates, programs do not have it"},
    {"sdy.func_data_flow_edge", "Shardy writes it while it propagates, programs do not have it"},
    {"sdy.manual_computation", isOfDevices},
    {"sdy.reduce_scatter", isOfDevices},
    {"sdy.replicated_to_unreduced", isOfDevices},
    {"sdy.sharded_to_unreduced", isOfDevices},
    {"sdy.sharding_group", "it has no result"},
    {"stablehlo.after_all", isElsewhere},
    {"stablehlo.all_gather", isOfDevices},
    {"stablehlo.all_reduce", isOfDevices},
    {"stablehlo.all_to_all", isOfDevices},
    {"stablehlo.async_done", isOfDevices},
    {"stablehlo.async_start", isOfDevices},
    {"stablehlo.collective_broadcast", isOfDevices},
    {"stablehlo.collective_permute", isOfDevices},
    {"stablehlo.composite", "import puts its body in its place"},
    {"stablehlo.create_token", isElsewhere},
    {"stablehlo.cross-replica-sum", isOfDevices},
    {"stablehlo.custom_call", "the evaluator knows none that can be split"},
    {"stablehlo.dynamic_broadcast_in_dim", isDynamic},
    {"stablehlo.dynamic_conv", isDynamic},
    {"stablehlo.dynamic_gather", isDynamic},
    {"stablehlo.dynamic_iota", isDynamic},
    {"stablehlo.dynamic_pad", isDynamic},
    {"stablehlo.dynamic_reshape", isDynamic},
    {"stablehlo.infeed", isElsewhere},
    {"stablehlo.optimization_barrier", "each value is an identity of its own, and counts as that"},
    {"stablehlo.outfeed", isElsewhere},
    {"stablehlo.partition_id", isOfDevices},
    {"stablehlo.real_dynamic_slice", isDynamic},
    {"stablehlo.recv", isElsewhere},
    {"stablehlo.reduce_scatter", isOfDevices},
    {"stablehlo.replica_id", isOfDevices},
    {"stablehlo.rng", isWhole},
    {"stablehlo.rng_bit_generator", isWhole},
    {"stablehlo.send", isElsewhere},
    {"stablehlo.set_dimension_size", isDynamic},
    {"stablehlo.uniform_dequantize", "the evaluator has no quantized elements"},
    {"stablehlo.uniform_quantize", "the evaluator has no quantized elements"},
};

static constexpr llvm::StringLiteral isCut = "it sees the elements alone";
static constexpr llvm::StringLiteral isFree = "it depends on no argument: each use makes one of its size";

/// Ops that are split and never padded.
static constexpr ExemptOp unpaddedOps[] = {
    {"chlo.constant", isFree},
    {"chlo.ragged_dot", isCut},
    {"sdy.constant", isFree},
    {"sdy.propagation_barrier", isCut},
    {"sdy.reshard", isCut},
    {"stablehlo.batch_norm_grad", isCut},
    {"stablehlo.batch_norm_inference", isCut},
    {"stablehlo.batch_norm_training", isCut},
    {"stablehlo.broadcast", isCut},
    {"stablehlo.cholesky", isCut},
    {"stablehlo.constant", isFree},
    {"stablehlo.dot", isCut},
    {"stablehlo.einsum", isCut},
    {"stablehlo.fft", isCut},
    {"stablehlo.get_dimension_size", isCut},
    {"stablehlo.iota", isFree},
    {"stablehlo.map", isCut},
    {"stablehlo.torch_index_select", isCut},
    {"stablehlo.triangular_solve", isCut},
    {"stablehlo.unary_einsum", isCut},
};

llvm::StringRef getKind(const Factor &factor) {
  if (factor.shift)
    return "moved";
  if (factor.isReversed)
    return "reversed";
  if (factor.isPrefix)
    return "prefix";
  return factor.halo.isEmpty() ? getName(factor.kind) : "halo";
}

/// Rewrites of programs that cases must have as well (Case.cpp counts them).
static constexpr llvm::StringLiteral rewrites[] = {
    "programs of microbatches", "programs with pipelines",         "programs with padding that is split",
    "programs with windows",    "programs with recomputed values", "programs with kept values",
};

static bool isKind(llvm::StringRef name) {
  static constexpr llvm::StringLiteral kinds[] = {"parallel", "reduce",   "sum",    "fold",
                                                  "moved",    "reversed", "prefix", "halo"};
  llvm::StringRef kind = name.rsplit(' ').second;
  return llvm::is_contained(kinds, kind) || llvm::is_contained(remainderClasses, kind);
}

int64_t countKinds(const std::map<std::string, int64_t> &splits) {
  return llvm::count_if(splits, [](const auto &entry) { return isKind(entry.first); });
}

/// Every op that has a rule, by name.
static std::set<std::string> listOpsWithRules() {
  std::unique_ptr<MLIRContext> context = makeFuzzContext();
  std::set<std::string> names;
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (rules::getRuleTable().contains(name))
      names.insert(name.getStringRef().str());
  return names;
}

/// Ops of `drawn` that no program has padded, and those that are though the list says that they are not.
static void addUnpadded(const std::map<std::string, int64_t> &splits, const std::set<llvm::StringRef> &drawn,
                        const std::set<std::string> &withRules, std::vector<std::string> &lines) {
  auto isListed = [](llvm::StringRef name) {
    return llvm::any_of(unpaddedOps, [&](const ExemptOp &op) { return op.name == name; });
  };
  for (const std::string &name : withRules) {
    bool isPadded = splits.contains(name + " " + remainderClasses[0].str());
    if (drawn.contains(name) && !isPadded && !isListed(name))
      lines.push_back(name + ": no program has one that is padded");
    if (isPadded && isListed(name))
      lines.push_back(name + ": is padded, though it is listed as one that is not");
  }
}

std::vector<std::string> findUncovered(const std::map<std::string, int64_t> &splits, int64_t fewest) {
  static const std::set<std::string> withRules = listOpsWithRules();
  std::vector<std::string> lines;
  std::set<llvm::StringRef> drawn;
  for (const auto &[name, count] : splits) {
    if (!isKind(name))
      continue;
    drawn.insert(llvm::StringRef(name).rsplit(' ').first);
    if (count < fewest)
      lines.push_back(name + ": " + std::to_string(count) + " times");
  }
  for (llvm::StringRef rewrite : rewrites) {
    auto known = splits.find(rewrite.str());
    if (int64_t count = known == splits.end() ? 0 : known->second; count < fewest)
      lines.push_back(rewrite.str() + ": " + std::to_string(count));
  }
  addUnpadded(splits, drawn, withRules, lines);
  for (const ExemptOp &op : exemptOps)
    if (!drawn.insert(op.name).second)
      lines.push_back(op.name.str() + ": can be split, though it is listed as one that is not");
  for (const std::string &name : withRules)
    if (!drawn.contains(name))
      lines.push_back(name + ": no program has one that can be split");
  return lines;
}

static void printList(llvm::StringRef title, llvm::ArrayRef<ExemptOp> ops, llvm::raw_ostream &out) {
  out << title << "\n";
  for (const ExemptOp &op : ops)
    out << "  " << op.name << ": " << op.reason << "\n";
}

void printExempt(llvm::raw_ostream &out) {
  printList("ops that are not split, because", exemptOps, out);
  printList("ops that are not padded, because", unpaddedOps, out);
}

Status checkCoverage(const std::map<std::string, int64_t> &splits, int64_t fewest, llvm::raw_ostream &out) {
  if (fewest == 0)
    return std::nullopt;
  printExempt(out);
  std::vector<std::string> uncovered = findUncovered(splits, fewest);
  out << countKinds(splits) << " kinds of splits, " << uncovered.size() << " of them fewer than " << fewest
      << " times\n";
  for (const std::string &line : uncovered)
    out << "  " << line << "\n";
  out.flush();
  if (uncovered.empty())
    return std::nullopt;
  return Error::difference("kinds of splits are seen too rarely: " + uncovered.front())
      .withRemedy("run more cases, or let the generator draw them more often (partita/Fuzz)");
}

} // namespace partita::fuzz
