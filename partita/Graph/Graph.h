//===- Graph.h - the flat program -----------------------------------------===//
//
// Everything between import and lowering works on this: flat arrays with ids,
// no MLIR. Flatten builds it once (or readGraph reads it from JSON,
// docs/graph.md); then it is const.
//
//   cell    holds a tensor: an argument, a result, a loop's carried value, a
//           branch's result, an op's result
//   op      an iteration space: operands are uses of cells, results are cells
//   region  straight code that runs `trips` times: the program, a loop's body or
//           condition, a branch, a manual computation
//
// An op that passes several values on (a loop's entry and yield, a branch's
// yield, the program's return) becomes one identity op for each value. So a
// loop's carried value is one cell, with an `entry` identity from its initial
// value, a `yield` identity from the value of the next iteration, and its uses
// inside and behind the loop. Values that depend on no argument are copied for
// each use.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_GRAPH_GRAPH_H
#define PARTITA_GRAPH_GRAPH_H

#include "partita/Graph/GivenSharding.h"
#include "partita/Graph/Ids.h"
#include "partita/Graph/OpKind.h"
#include "partita/Graph/Rooms.h"
#include "partita/Graph/Rule.h"

#include <string>
#include <vector>

namespace partita::graph {

inline constexpr uint32_t noOccurrence = UINT32_MAX;

enum class CellKind : uint8_t { Argument, Result, Carried, Branch, OpResult };

/// Decides what an op costs and how it fuses. `OpKind` tells single ops apart.
enum class OpClass : uint8_t {
  Identity,
  Elementwise,
  Movement,
  Contraction,
  Reduction,
  Indexing,
  Random,
  Collective,
  Opaque,
};

/// Why an identity op exists.
enum class IdentityRole : uint8_t { None, Entry, Yield, BranchYield, Result, Barrier, Boundary, Constraint };

enum class Phase : uint8_t { Forward, Backward, Update };

/// How exact a product of f32 has to be: as the framework runs it by default, close to f32, or f32.
enum class Precision : uint8_t { Default, High, Highest };

/// How an op treats partial sums (docs/design.md, "Partial sums").
enum class Linearity : uint8_t {
  None,
  /// The sum of its operands (up to sign): partial if all of them are.
  Sum,
  /// Linear in operand 0 while the others are whole.
  First,
  /// Linear in operand 1 while the others are whole.
  Second,
  /// Linear in operands 0 and 1 together: elements of operand 1 replace elements of operand 0.
  Update,
  /// Only zeros: a partial sum of any number of parts.
  Zero,
  /// Linear in operands 1 and 2 together while operand 0, which chooses between them, is whole.
  Choice,
};

enum class RegionKind : uint8_t { Program, LoopBody, LoopCondition, Branch, Manual };

struct Cell {
  CellKind kind = CellKind::OpResult;
  NameId element;
  uint32_t elementBits = 0;
  /// Range in Graph::sizes.
  uint32_t firstDim = 0;
  uint32_t rank = 0;
  RegionId region;
  NameId name;
  /// Number among the values of that name, in program order; noOccurrence for arguments and results.
  uint32_t occurrence = noOccurrence;
  NameId location;
  /// Number of the argument, result, carried value or branch result.
  uint32_t number = 0;
  bool operator==(const Cell &) const = default;
};

struct Op {
  /// `stablehlo.reshape`, or `identity`: for messages. Code compares `kind`.
  NameId opName;
  /// Follows from opName (Graph::setOpName).
  OpKind kind = OpKind::Other;
  OpClass opClass = OpClass::Opaque;
  IdentityRole role = IdentityRole::None;
  Phase phase = Phase::Forward;
  Linearity linearity = Linearity::None;
  Precision precision = Precision::Default;
  RegionId region;
  /// The name stack of its value.
  NameId name;
  uint32_t occurrence = noOccurrence;
  NameId location;
  /// Position, in program order, of the program op that it represents; copies share it.
  uint32_t source = 0;
  /// Multiplications and additions of the whole op, executed once.
  int64_t flops = 0;
  /// Ranges in Graph::uses, Graph::definitions, Graph::factors and Graph::dimFactors.
  uint32_t firstUse = 0, numUses = 0;
  uint32_t firstDefinition = 0, numDefinitions = 0;
  uint32_t firstFactor = 0, numFactors = 0;
  uint32_t firstDimFactor = 0, numDimFactors = 0;
  bool operator==(const Op &) const = default;
};

/// Dim `dim` of value `value` (operands first, then results) contains `factor` at `position`, major to minor.
struct DimFactor {
  uint16_t value = 0;
  uint16_t dim = 0;
  uint8_t factor = 0;
  uint8_t position = 0;
  bool operator==(const DimFactor &) const = default;
};

struct Region {
  RegionKind kind = RegionKind::Program;
  RegionId parent;
  /// How often it runs each time its parent does; -1 if unknown.
  int64_t trips = 1;
  NameId location;
  bool operator==(const Region &) const = default;
};

/// A carried value's dim that a loop steps through, one slice each iteration.
struct SteppedDim {
  CellId cell;
  uint32_t dim = 0;
  RegionId loop;
  bool operator==(const SteppedDim &) const = default;
};

/// An argument and the result that is its next state.
struct Tie {
  CellId argument;
  CellId result;
  bool operator==(const Tie &) const = default;
};

/// A split of a dim must not cross `stride`: axes are refined so that every boundary of a reshape falls between two of
/// them.
struct SplitBoundary {
  CellId cell;
  uint32_t dim = 0;
  int64_t stride = 1;
  bool operator==(const SplitBoundary &) const = default;
};

struct Graph {
  std::string programName;
  std::string programSha256;
  IdVector<NameId, std::string> names;
  IdVector<CellId, Cell> cells;
  std::vector<int64_t> sizes;
  IdVector<OpId, Op> ops;
  IdVector<UseId, CellId> uses;
  std::vector<CellId> definitions;
  std::vector<Factor> factors;
  std::vector<DimFactor> dimFactors;
  IdVector<RegionId, Region> regions;
  std::vector<CellId> arguments;
  std::vector<CellId> results;
  std::vector<SteppedDim> steppedDims;
  std::vector<Tie> ties;
  std::vector<CellId> donated;
  std::vector<SplitBoundary> boundaries;
  /// The program's own mesh, without axes of one device, and its shardings, at most one for each cell.
  std::vector<GivenAxis> mesh;
  std::vector<GivenSharding> shardings;

  llvm::ArrayRef<int64_t> getShape(CellId cell) const {
    return llvm::ArrayRef(sizes).slice(cells[cell].firstDim, cells[cell].rank);
  }
  llvm::ArrayRef<CellId> getOperands(OpId op) const {
    return llvm::ArrayRef(uses.raw()).slice(ops[op].firstUse, ops[op].numUses);
  }
  llvm::ArrayRef<CellId> getResults(OpId op) const {
    return llvm::ArrayRef(definitions).slice(ops[op].firstDefinition, ops[op].numDefinitions);
  }
  llvm::ArrayRef<Factor> getFactors(OpId op) const {
    return llvm::ArrayRef(factors).slice(ops[op].firstFactor, ops[op].numFactors);
  }
  llvm::ArrayRef<DimFactor> getDimFactors(OpId op) const {
    return llvm::ArrayRef(dimFactors).slice(ops[op].firstDimFactor, ops[op].numDimFactors);
  }
  llvm::StringRef getName(NameId name) const { return name.isValid() ? llvm::StringRef(names[name]) : ""; }

  /// Sets the op's name and its kind.
  void setOpName(OpId op, NameId opName) {
    ops[op].opName = opName;
    ops[op].kind = findOpKind(getName(opName));
  }

  /// `state.params['w']`, or `jit(step)/dot_general#17` for an inner value.
  std::string getFullName(NameId name, uint32_t occurrence) const;
  /// Bytes of the whole tensor, sub-byte elements packed.
  int64_t getBytes(CellId cell) const;
  /// Bytes that the graph itself takes in memory.
  int64_t getMemoryBytes() const;
  /// Product of trips up to the program; -1 if one of them is unknown.
  int64_t getMultiplicity(RegionId region) const;

  bool operator==(const Graph &) const = default;
};

/// Numbers names in the order of a graph file and drops unused ones, so that graphs with the same content are equal.
void canonicalizeNames(Graph &graph);

/// Checks the invariants of a graph: ids are in range, the factors of a dim multiply to its size, regions form a tree,
/// and so on. An error names what is wrong.
Status verifyGraph(const Graph &graph);

} // namespace partita::graph

#endif
