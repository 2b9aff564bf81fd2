//===- Score.h - what a plan costs, for people and files ------------------===//
//
// Everything that `partita score` says of a plan, with names in place of ids.
// What needs a machine is absent where there is none.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_SCORE_H
#define PARTITA_REPORT_SCORE_H

#include "partita/Report/Rooms.h"
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
  /// Loop trips counted; payload and what a device sends, of all of them.
  int64_t count = 0, bytes = 0, wireBytes = 0;
  std::optional<int64_t> timePs;
};

/// One place of the program at which a value changes its sharding.
struct ScoreReshard {
  std::string value, loc, from, to, steps;
  int64_t count = 0, bytes = 0;
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
};

struct ScoreUnpriced {
  std::string op, target;
  int64_t count = 0;
};

/// Something that takes time: an op or a reshard.
struct ScoreItem {
  std::string what, loc;
  int64_t timePs = 0, count = 0;
};

/// Figures that need a machine.
struct ScorePrices {
  /// Of the simulated timeline, and of the formula that search uses.
  int64_t timePs = 0, formulaPs = 0;
  int64_t computePs = 0, communicationPs = 0, exposedCommunicationPs = 0;
  int64_t peakBytes = 0, limitBytes = 0;
  /// Of the whole program on all devices.
  int64_t flops = 0;
  double mfu = 0;
  int64_t lowerBoundPs = 0;
  /// Loops whose number of iterations is not known, and how many were assumed for each.
  int64_t assumedLoops = 0, assumedTrips = 0;
  ScoreMemory memory;
  std::vector<ScoreLevel> levels;
  /// Axis, and the share of all flops that it splits.
  std::vector<std::pair<std::string, double>> splitFlops;
  std::vector<ScoreReplicated> replicated;
  /// What takes longest, longest first.
  std::vector<ScoreItem> top;

  bool fits() const { return peakBytes <= limitBytes; }
};

struct Score {
  /// The file of the plan, the mesh, the machine.
  std::string name, mesh, machine, placement;
  std::optional<ScorePrices> prices;
  std::vector<ScoreCollective> collectives;
  std::vector<ScoreReshard> reshards;
  std::vector<ScoreUnpriced> unpriced;
};

/// The members of one of its reshards, inside an object that the caller has opened.
void writeReshard(const ScoreReshard &reshard, llvm::json::OStream &json);

/// The members of `score --json`, inside an object that the caller has opened.
void writeScore(const Score &score, llvm::json::OStream &json);

/// An object with these members.
std::string printScoreJson(const Score &score);

/// `{"plans": [...]}`, each with its name.
std::string printScoresJson(llvm::ArrayRef<Score> scores);

/// The table that a person wants first, then what costs most.
std::string printScore(const Score &score);

/// Several plans of one program side by side, best first among those that fit.
std::string printComparison(llvm::ArrayRef<Score> scores);

} // namespace partita::report

#endif
