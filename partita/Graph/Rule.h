//===- Rule.h - how an op's factors map to the dims of its values ---------===//
//
// An op is an iteration space. A factor is one index of it. A rule gives, for
// each dim of each operand and result, the factors that it consists of, major to
// minor. In text, as an einsum:
//
//   dot_general: ([b,i,k],[b,k,j])->([b,i,j]) reduce(add)={k}
//   reshape:     ([a,b])->([(ab)])
//   convolution: ([n,h,i],[k,i,o])->([n,h,o]) reduce(add)={i} window={k} halo(1,1)={h}
//   argmax:      ([b,v],[b,v],[],[])->([b],[b]) fold={v}
//   slice:       ([(ac),b])->([a,b]) replicate={c} moved(16)={a}
//   reverse:     ([a,b])->([a,b]) reversed={a}
//   cumsum:      ([a,b],[])->([a,b]) prefix={b}
//
// `_` is a dim of size one, or a dim that cannot be split.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_GRAPH_RULE_H
#define PARTITA_GRAPH_RULE_H

#include "partita/Graph/Rooms.h"
#include "partita/Support/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace partita::graph {

enum class FactorKind : uint8_t {
  /// Each part is computed alone.
  Parallel,
  /// Each part gives a partial result; parts are combined.
  Reduce,
  /// Each part needs the whole: may not be split.
  Replicate,
  /// Each part needs its neighbors at the borders, in a way that no exchange of edges is known for: may not be split.
  Window,
  /// Each part gives a partial result; the op itself gathers them and combines them, so that all devices have the whole
  /// result.
  Fold,
};

/// How partial results are combined.
enum class Combiner : uint8_t { None, Add, Multiply, Maximum, Minimum, And, Or, Xor };

/// Rows that a part takes from the parts before it and from those behind it, along the dim of operand 0 that begins
/// with the factor.
struct Halo {
  int64_t low = 0, high = 0;

  bool isEmpty() const { return low == 0 && high == 0; }
  bool operator==(const Halo &) const = default;
};

struct Factor {
  FactorKind kind = FactorKind::Parallel;
  Combiner combiner = Combiner::None;
  int64_t size = 1;
  /// Of a parallel or reduced factor.
  Halo halo = {};
  /// Of a parallel factor along which rows move from part to part (RowMoves.h): row i of the result is row i + shift of
  /// the operands that have the factor, one behind the other.
  std::optional<int64_t> shift = {};
  /// Of a parallel factor: the result's parts stand in reverse order, so devices swap them.
  bool isReversed = false;
  /// Of a parallel factor: what a part gives is combined with the totals of all parts before it, or of all behind it.
  bool isPrefix = false;

  bool isSplittable() const {
    return kind == FactorKind::Parallel || kind == FactorKind::Reduce || kind == FactorKind::Fold;
  }
  /// Whether devices that split it exchange something within the op.
  bool isExchanged() const { return kind == FactorKind::Fold || !halo.isEmpty() || shift || isReversed || isPrefix; }
  bool operator==(const Factor &) const = default;
};

/// Factors of one dim, major to minor: indices into Rule::factors.
using DimFactors = llvm::SmallVector<uint8_t, 2>;
/// One entry for each dim.
using ValueFactors = llvm::SmallVector<DimFactors, 4>;

struct Rule {
  llvm::SmallVector<Factor, 6> factors;
  llvm::SmallVector<ValueFactors, 3> operands;
  llvm::SmallVector<ValueFactors, 1> results;

  /// Adds a factor and returns its index.
  uint8_t addFactor(FactorKind kind, int64_t size, Combiner combiner = Combiner::None);

  bool operator==(const Rule &) const = default;
};

/// Numbers the factors in order of first appearance and drops unused ones, so that rules with the same meaning are
/// equal.
void canonicalizeRule(Rule &rule);

/// `([b,i,k],[b,k,j])->([b,i,j]) reduce(add)={k}`; letters are assigned in order of first appearance.
std::string printRule(const Rule &rule);

/// Parses what `printRule` writes, for values of the given shapes, which determine the sizes of the factors. A factor
/// that may not be split has the size of the first dim of which it is the only factor. If `sizes` is not empty, it
/// gives the sizes of the factors instead, in order of first appearance. `location` is used in errors only.
Result<Rule> parseRule(llvm::StringRef text, llvm::ArrayRef<llvm::SmallVector<int64_t>> operandShapes,
                       llvm::ArrayRef<llvm::SmallVector<int64_t>> resultShapes, const SourceLocation &location,
                       llvm::ArrayRef<int64_t> sizes = {});

llvm::StringRef getName(FactorKind kind);
llvm::StringRef getName(Combiner combiner);

} // namespace partita::graph

#endif
