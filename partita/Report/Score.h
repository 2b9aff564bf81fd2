//===- Score.h - the score of a plan, with names in place of ids ----------===//
//
// The content of `partita score`: what a plan moves and costs, with names in
// place of ids. Members that need a machine are absent without one.
// ScoreBuilder.h makes it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_SCORE_H
#define PARTITA_REPORT_SCORE_H

#include "partita/Cost/NearLimit.h"
#include "partita/Report/Rooms.h"
#include "partita/Schedule/CollectivePrograms.h"
#include "partita/Schedule/PiecedCollectives.h"
#include "partita/Schedule/RotatedCollectives.h"
#include "partita/Support/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partita::report {

/// Collectives of one kind over the same axes.
struct ScoreCollective {
  std::string kind;
  std::vector<std::string> axes;
  /// All executions, loop trips counted: their number, payload bytes, and bytes that a device sends.
  int64_t count = 0, bytes = 0, wireBytes = 0;
  std::optional<int64_t> timePs;
};

/// One location in the program at which a value changes its sharding.
struct ScoreReshard {
  std::string value, loc, from, to, steps;
  int64_t count = 0, bytes = 0;
  /// `exposedPs` is of the simulated timeline.
  std::optional<int64_t> timePs, exposedPs;
  std::string cause, tactic;
};

struct ScoreAlive {
  std::string value;
  int64_t bytes = 0;
  std::string category, loc;
};

struct ScoreMemory {
  int64_t arguments = 0, results = 0, aliased = 0, temporaries = 0, peak = 0;
  /// Largest first.
  std::vector<ScoreAlive> atPeak;
};

struct ScoreLevel {
  std::string name;
  int64_t bytes = 0, busyPs = 0;
};

struct ScoreReplicated {
  std::string value;
  int64_t bytes = 0;
  std::string reason;
  /// The source line of an inner value; empty if it is not known.
  std::string loc;
  /// The argument whose gradient it is, on its way to the next state; empty if there is none.
  std::string gradientOf;
};

/// Ops whose work is not known.
struct ScoreUnpriced {
  std::string op, target;
  /// How many there are, and how often they run in one step.
  int64_t count = 0, runs = 0;
  /// Where the first of them stand.
  std::vector<std::string> places;
};

/// Something that takes time: an op or a reshard.
struct ScoreItem {
  std::string what, loc;
  int64_t timePs = 0, count = 0;
};

/// Figures that need a machine.
struct ScorePrices {
  /// By the cost formula, which the search minimizes; so are the three that follow.
  int64_t timePs = 0;
  int64_t computePs = 0, communicationPs = 0, exposedCommunicationPs = 0;
  /// The standard deviation of timePs, in millionths of it (TimeBand.h); 0: not known.
  int64_t timeWidthPpm = 0;
  /// The same of peakBytes.
  int64_t peakWidthPpm = 0;
  /// By the simulated timeline: the time, the part of it in which nothing is computed, and of that part what no reshard
  /// causes: the program's own collectives, what ops exchange by themselves, and a slow host.
  int64_t simulatedPs = 0, simulatedExposedPs = 0, exposedElsewherePs = 0;
  int64_t peakBytes = 0, limitBytes = 0;
  /// The pool that the plan needs, in percent of the memory, if the platform's default is too small and a larger one
  /// would do (MemoryPool.h).
  std::optional<int64_t> poolPercent;
  /// What overlap takes and gains, if the peak is near the limit.
  std::optional<NearLimit> nearLimit;
  /// On all devices together.
  int64_t flops = 0;
  double mfu = 0;
  int64_t lowerBoundPs = 0;
  /// The number of loops with an unknown trip count, and the trips assumed for each.
  int64_t assumedLoops = 0, assumedTrips = 0;
  ScoreMemory memory;
  std::vector<ScoreLevel> levels;
  /// Each axis with the share of all flops that it splits.
  std::vector<std::pair<std::string, double>> splitFlops;
  std::vector<ScoreReplicated> replicated;
  /// The ops and reshards that take longest, longest first.
  std::vector<ScoreItem> top;

  bool fits() const { return peakBytes <= limitBytes; }
};

/// The plan on another placement of its mesh.
struct ScorePlacement {
  std::string placement;
  int64_t timePs = 0;
};

struct Score {
  /// The file of the plan, the mesh, the machine.
  std::string name, mesh, machine, placement;
  /// With the devices in the machine's own order, if the plan's are in another one.
  std::optional<ScorePlacement> rowMajor;
  /// Where the plan would be faster.
  std::optional<ScorePlacement> betterPlacement;
  /// Collectives that run in several steps, and the time if each ran as one.
  std::vector<CollectiveProgram> reductions;
  std::optional<int64_t> withoutReductionsPs;
  std::optional<ScorePrices> prices;
  std::vector<ScoreCollective> collectives;
  std::vector<ScoreReshard> reshards;
  std::vector<ScoreUnpriced> unpriced;
  /// Gathers and scatters that run in pieces, the number of products beside gathers, and the time without.
  std::vector<PiecedCollective> pieced;
  int64_t productsInPieces = 0;
  std::optional<int64_t> withoutPiecesPs;
  /// Gathers that loops make an iteration ahead, the number of loops, and the time without.
  std::vector<RotatedCollective> rotated;
  int64_t rotatedLoops = 0;
  std::optional<int64_t> withoutRotatedPs;

  /// Whether time and memory are lower limits: some op has no price.
  bool isLowerLimit() const { return !unpriced.empty(); }
  /// Whether the plan fits; absent where that is not known.
  std::optional<bool> fits() const;
  /// ScorePrices::poolPercent, if memory is more than a lower limit.
  std::optional<int64_t> getPoolPercent() const;
};

/// `3 custom calls have no price (flash, mine): time and fit are not known`; empty if all ops have one.
std::string describeUnpriced(const Score &score);

/// The same as a line, if the score has figures that it limits.
std::string printUnpriced(const Score &score);

/// An error with the code for that if the score has figures and some op has no price.
Status checkPriced(const Score &score);
/// `does not fit in JAX's default pool; fits with XLA_PYTHON_CLIENT_MEM_FRACTION=.92`; empty if no such setting is
/// needed, or none is known to do.
std::string describePool(const Score &score);

/// `XLA gives overlap up near the limit: ...`, with what that takes and saves; empty where the peak is far from it.
std::string describeNearLimit(const Score &score);

/// `placed as data=node,model=nvlink; devices in the machine's order: 655 ms`; and where it would be faster. Empty if
/// there is nothing to say.
std::string describePlacing(const Score &score);

/// `all_reduce over data, 1.0 MB to 268 MB, runs as ...` for each reduction, and what they are worth.
std::vector<std::string> describeReductions(const Score &score);

/// `3 products run in pieces beside their gathers, ...`, and what that is worth; empty if none does.
std::string describePieces(const Score &score);

/// `2 loops gather 5 parameters an iteration ahead`, and what that is worth; empty if none does.
std::string describeRotated(const Score &score);

/// `2 loops run an unknown number of times: ...`, with what is assumed and how to say it; empty if there are none.
std::string describeAssumedTrips(const Score &score);

/// Writes the members of a reshard into an object that the caller has opened.
void writeReshard(const ScoreReshard &reshard, llvm::json::OStream &json);

/// Writes the first members of `score --json`, from `time_ps` to `lower_bound_ps`, into an object that the caller has
/// opened; and its `collectives`.
void writeFigures(const Score &score, llvm::json::OStream &json);
void writeCollectives(const Score &score, llvm::json::OStream &json);

/// Writes the members of `score --json` into an object that the caller has opened.
void writeScore(const Score &score, llvm::json::OStream &json);

/// One score as an object with these members; several as `{"plans": [...]}`, each with its name.
std::string printScoresJson(llvm::ArrayRef<Score> scores);

/// For a terminal: the main figures, then what costs most.
std::string printScore(const Score &score);

/// One score as above; several plans of one program side by side, best first among those that fit.
std::string printScores(llvm::ArrayRef<Score> scores);

} // namespace partita::report

#endif
