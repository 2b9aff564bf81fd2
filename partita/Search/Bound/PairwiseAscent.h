//===- PairwiseAscent.h - the dual ascent of a pairwise problem -----------===//
//
// Solves the relaxation of PairwiseBound.h, and can be continued: what is known
// by then, a faster choice, makes the labels fewer that a later call looks at.
// Messages and multipliers stay as they are; they give a bound for any problem.
//
//   multipliers  theta and lambda, and what they weigh    PairwiseAscent.cpp
//   sweeps       messages along the edges                 PairwiseSweeps.cpp
//   trace        what the relaxed minimum uses of time and memory: the
//                supergradient of the multipliers         PairwiseTrace.cpp
//   rounding     a choice of labels                       PairwiseRounding.cpp
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_BOUND_PAIRWISEASCENT_H
#define PARTITA_SEARCH_BOUND_PAIRWISEASCENT_H

#include "partita/Search/Bound/PairwiseState.h"
#include "partita/Search/Rooms.h"

#include <optional>

namespace partita::search {

/// The last step of a multiplier: its size and direction.
struct MultiplierStep {
  double length = 1.0 / 32;
  int sign = 0;

  static constexpr double most = 0.25;
};

/// A cut and its multiplier mu.
struct WeighedCut {
  PathCut cut;
  int64_t mu = 0;
  MultiplierStep step;
};

/// A point at which memory is limited, and its multiplier.
struct LimitedPoint {
  uint32_t point = 0;
  /// In picoseconds for 2^10 bytes.
  int64_t lambda = 0;
  MultiplierStep step;
};

class PairwiseAscent {
public:
  explicit PairwiseAscent(PairwiseProblem problem);

  /// Continues until the options say that it is enough, and returns the best bound so far. Times that earlier calls
  /// knew count, too; work is counted over all calls.
  int64_t run(const PairwiseOptions &options);
  /// Bounds choices of any memory from now on, and counts work anew. Only while no time is known.
  void liftLimit();
  /// A label for each variable of the problem: one after the other, each takes the label that is best with those that
  /// are chosen already and with the messages of the others.
  std::vector<uint32_t> round();

  /// Whether it has swept, and some choice may be better than the known one.
  bool canRound() const { return numSweeps > 0 && !isClosed; }

private:
  /// More than any time.
  static constexpr int64_t large = int64_t(1) << 57;

  bool isOver() const { return options.isOver && options.isOver(); }

  /// How much the minimum of the relaxed problem uses of each resource.
  struct Gradient {
    std::vector<double> segments;
    std::vector<double> cuts;
    std::vector<double> points;
  };

  // Multipliers.
  void computeUnary(VariableState &variable) const;
  void computeWeights(EdgeState &edge) const;
  /// The segment whose theta counts.
  uint32_t findSegment(const EdgeWeight &weight) const;
  int64_t computeWeight(const EdgeWeight &weight) const;
  void applyMultipliers();
  int64_t countCopies(llvm::ArrayRef<BoundRange> ranges, uint32_t point) const;
  int64_t computeLambda(llvm::ArrayRef<BoundRange> ranges) const;
  int64_t computeLimitPs() const;
  void nestThetas();
  void fitCuts();
  void ascend();
  void addPoint();

  // Sweeps.
  int64_t sweepTwice();
  __int128 sweep(bool isForward);
  int64_t collect(const VariableState &variable);
  int64_t send(uint32_t edge, uint8_t end);
  void spread(const EdgeState &edge, uint8_t end);
  void markLabels(VariableState &variable) const;
  void computeFrom(const EdgeEnd &own);
  void computeShardingWeights(const EdgeState &edge);
  void spreadTimes(const EdgeState &edge, uint8_t end, std::vector<double> &to) const;
  static double getTime(const EdgeState &edge, size_t source, size_t target);

  // Resources that the minimum uses.
  void trace();
  void traceEdge(uint32_t own, uint32_t edge, uint8_t end);
  void noteEdge(const EdgeState &edge, size_t sourceSharding, size_t targetSharding, double mass);
  void noteMemory(llvm::ArrayRef<BoundRange> ranges, double bytes);

  // A choice of labels.
  void addCostsOf(const EdgeState &edge, uint8_t end, uint32_t otherLabel);

  PairwiseOptions options;
  PairwiseState state;
  uint32_t numPoints;
  int64_t overlapPpm, limitBytes;
  std::vector<uint32_t> outerSegments;
  std::vector<int64_t> thetas;
  std::vector<WeighedCut> cuts;
  std::vector<MultiplierStep> steps;
  std::vector<uint8_t> hasOverlap;
  std::vector<LimitedPoint> points;
  /// Of the last sweep; multipliers follow it before the next one.
  std::optional<Gradient> gradient;
  /// Differences of the bytes that the relaxed minimum has alive.
  std::vector<double> profile;
  int64_t work = 0, best = 0;
  /// The least time of a known choice.
  int64_t knownPs = INT64_MAX;
  uint32_t numSweeps = 0;
  /// Whether no choice is left that is better than the known one.
  bool isClosed = false;
  /// A label is dropped if it is this far above the least of its variable.
  int64_t dropped = INT64_MAX;
  // For the current variable: its values, and the share of them that goes along one edge.
  std::vector<int64_t> values, shares;
  std::vector<int64_t> leastShares;
  // For the current edge.
  std::vector<double> from, to, other, shardingWeights;
  std::vector<uint32_t> fromLabels;
};

/// The bytes of a sharding at an edge's end; 0 for anySharding and for a partial source.
int64_t getEndBytes(const ReshardTimes &times, uint32_t sharding, bool isSource);

} // namespace partita::search

#endif
