//===- Flatten.h - from the normal form to the flat program ---------------===//
//
// A module in normal form enters; a `Graph` leaves, which is all that analysis
// and search see. Every value of the module has one cell. A value that depends
// on no argument (a constant, say) is copied for each use, so that each use can
// have its own sharding. `origins` leads back from the graph to the module for
// lowering.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_FLATTEN_H
#define PARTITA_PROGRAM_FLATTEN_H

#include "partita/Graph/Graph.h"
#include "partita/Program/DeviceDependence.h"
#include "partita/Program/Rooms.h"
#include "partita/Program/Rules/Rules.h"
#include "partita/Support/OptionTable.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

namespace partita::program {

struct FlattenOptions {
  /// Pairs `argument=result` that are one state, beyond those that the names show.
  std::string ties;
  /// Rules for custom calls, `target=([i,j])->([i,j])`.
  std::vector<std::string> rules;

  void visitOptions(OptionVisitor &visitor) {
    visitor.list({"rule", "target=einsum",
                  "How a custom call may be split, as an einsum: flash=([b,s,h])->([b,s,h]) replicate={s}"},
                 rules);
    visitor.text({"tie", "pairs",
                  "Arguments and the results that are their next values, so that both have one sharding: "
                  "arg0=result1,arg2=result0"},
                 ties);
  }
};

/// Ops of one name and target without a rule, which are kept whole, or without a price. They are reported.
struct UnknownOp {
  std::string op;
  std::string target;
  bool isWhole = false, isUnpriced = false;
  /// How many there are, and how often they run in all; a loop of unknown length counts once.
  int64_t count = 0, runs = 0;
  /// The location of the first one.
  SourceLocation location;
  /// Where the first of them stand, each place once.
  std::vector<std::string> places;
};

struct Flattened {
  Graph graph;
  std::vector<UnknownOp> unknown;
  /// The op of the module that each op of the graph stands for. For an identity it is the loop, branch, barrier or
  /// return that the identity belongs to.
  IdVector<OpId, mlir::Operation *> origins;
  /// Ops whose values depend on no argument. The graph has a copy for each use, right before the user.
  llvm::DenseSet<mlir::Operation *> freeOps;
  /// Filled for a program with collectives outside of manual computations.
  DeviceDependence deviceDependence;
};

/// The flat program of a module in normal form.
Result<Flattened> flatten(mlir::ModuleOp module, const FlattenOptions &options);

} // namespace partita::program

#endif
