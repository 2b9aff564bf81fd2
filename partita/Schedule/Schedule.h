//===- Schedule.h - a list of tactics, and its JSON -----------------------===//
//
//   {"tactics": [
//     {"name": "BP", "axis": "data", "tile": [["batch/.*", 0]]},
//     {"name": "Z2", "axis": "data", "atomic": ["state/params/.*"],
//      "tile": [["state/opt_state/.*", "first_divisible"]], "optional": true}]}
//
//   tile    pattern and dim: splits the values along the dim and propagates. A
//           list of dims, [".*/w2", [1, 0]], means the first that can be split
//   atomic  pattern: the values stay whole over the axis
//   cut     pattern: nothing propagates between these values and their uses
//   side    pattern and dim: chooses a side of conflicts, and tiles nothing
//   assign  pattern and factor: the ops that define the values take the factor;
//           nothing propagates
//   group   pattern and patterns of users: these uses share the reshards of the
//           value
//
// "shardings" beside "tactics" has specs by pattern (PartitionRules.h), which
// hold before any tactic. "reductions" has collectives that run in several steps
// (CollectivePrograms.h).
//
// A tactic {"auto": {"goals": ["fit", "time"]}, "axes": ["model"]} is left to the
// search, and {"preset": "fsdp", "axis": "data"} is a strategy that is made for
// the program (Presets.h). One tactic may have an axis of time instead of one of
// the mesh: {"temporal": {"micro": 8}, "tile": [["batch/.*", 0]]}; "auto" in
// place of the number leaves it to the search. Tactics
// {"recompute": ["attention/.*"], "keep": ["mlp/.*"]} say what the backward pass
// computes again. {"pad": [["params/wte", 0, 8]]} makes a dim longer, so that it
// divides by 8. {"reorder": [["params/qkv", 1, 8]]} brings parts that lie side by
// side in a dim into an order in which 8 devices split each of them. One tactic
// may make a pipeline of the loops over layers:
// {"axis": "pipe", "pipeline": ["state/params/layers/.*"], "microbatches": 8, "repeats": 2}.
// Every entry has its location in the file, for errors.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_SCHEDULE_H
#define PARTITA_SCHEDULE_SCHEDULE_H

#include "partita/Schedule/CollectivePrograms.h"
#include "partita/Schedule/PartitionRules.h"
#include "partita/Schedule/Rooms.h"
#include "partita/Support/Json.h"

#include "llvm/Support/JSON.h"

namespace partita::schedule {

/// The kinds of actions, in the order in which a tactic applies them.
enum class ActionKind : uint8_t { Atomic, Cut, Side, Assign, Tile, Group };

inline constexpr ActionKind actionKinds[] = {ActionKind::Atomic, ActionKind::Cut,  ActionKind::Side,
                                             ActionKind::Assign, ActionKind::Tile, ActionKind::Group};

/// `atomic`, `cut`, `side`, `assign`, `tile`, `group`: the word in files.
llvm::StringRef getWord(ActionKind kind);

/// One entry of a tactic: an action on all cells that the pattern matches.
struct ScheduleEntry {
  ActionKind kind = ActionKind::Tile;
  Pattern pattern;
  /// For tiles and sides the dim, none for `first_divisible`; for `assign` the factor.
  std::optional<uint32_t> dim;
  SourceLocation location;
  /// For `group`: patterns of the results of the ops that use the value.
  std::vector<Pattern> uses = {};
  /// For tiles: dims to try in this order if `dim` cannot be split.
  std::vector<uint32_t> otherDims = {};
};

/// What the search is asked to do in an automatic tactic.
struct AutomaticTactic {
  /// In order; empty: the search's own default.
  std::vector<std::string> goals;
  /// Axes that may be used; empty: all.
  std::vector<std::string> axes;
  bool operator==(const AutomaticTactic &) const = default;
};

enum class PresetKind : uint8_t { DataParallel, Zero2, Zero3, Fsdp, Megatron };

/// `data_parallel`, `zero2`, `zero3`, `fsdp`, `megatron`: the word in files.
llvm::StringRef getWord(PresetKind kind);

/// A strategy with a name. What its patterns do not choose is found by structure (Presets.h).
struct Preset {
  PresetKind kind = PresetKind::DataParallel;
  std::vector<Pattern> batch = {}, state = {}, parameters = {}, optimizer = {}, column = {}, row = {};
  /// Of the batch; none: the first that no loop steps through.
  std::optional<uint32_t> dim = std::nullopt;
};

/// A pipeline over the axis of its tactic: the loops over layers that step through values of these names run in stages
/// (partita/Pipeline). The tactic then tiles these values along the dim of layers.
struct PipelineTactic {
  /// Empty: all that a loop over layers steps through.
  std::vector<Pattern> stacks = {};
  int64_t microbatches = 1;
  /// How often a microbatch goes around all stages: each has so many blocks of layers (a circular pipeline).
  int64_t repeats = 1;
  /// Between steps, stacks of a circular pipeline have the order in which stages own their layers.
  bool isStored = false;
  /// The size of the axis; 0 until the mesh is known.
  int64_t stages = 0;
};

struct Tactic {
  /// Unique in the schedule.
  std::string name;
  std::string axis;
  SourceLocation axisLocation;
  /// Sorted by kind; within a kind, in file order.
  std::vector<ScheduleEntry> entries;
  /// Actions that cannot apply are reported; they are not an error.
  bool isOptional = false;
  /// Set for automatic tactics, which have no axis and no entries.
  std::optional<AutomaticTactic> automatic;
  /// Set for presets, which have an axis and no entries, until they are expanded.
  std::optional<Preset> preset;
  /// Set for pipelines, whose entries follow from the program when it is rewritten.
  std::optional<PipelineTactic> pipeline = std::nullopt;
  SourceLocation location;
};

inline constexpr int64_t maxMicrobatches = 1 << 20;
inline constexpr int64_t maxRepeats = 1 << 10;
/// `auto` in files: the number of microbatches is chosen with the plan (partita/Variants).
inline constexpr int64_t automaticMicrobatches = 0;

/// An axis of time: the values of `tiles` are cut into `count` microbatches, which run one after the other
/// (partita/Temporal). It is minor to all axes of the mesh, wherever it stands in the schedule.
struct TemporalTactic {
  std::string name;
  /// The word for the axis in the file.
  std::string axis;
  int64_t count = 1;
  /// Empty: the batch that the program's structure shows.
  std::vector<ScheduleEntry> tiles = {};
  /// 16-bit sums over the microbatches are kept in f32.
  bool inSingle = false;
  /// How often products and loops may run for each microbatch where values over the whole batch need them first.
  int64_t passes = 1;
  /// The axis over which sums are kept split, and scattered for each microbatch; empty: that of a preset that splits
  /// optimizer state; `none`: they are reduced once, behind the loop.
  std::string scatter = {};
  SourceLocation location = {};

  bool isAutomatic() const { return count == automaticMicrobatches; }
};

/// Values of the forward pass that the backward pass recomputes, and values that it keeps (partita/Remat), by the names
/// of their classes. Where both match, it keeps.
struct RematTactic {
  std::string name;
  std::vector<Pattern> recompute, keep;
  SourceLocation location = {};
};

/// A dim that becomes longer, so that `multiple` divides it.
struct PadEntry {
  Pattern pattern;
  uint32_t dim = 0;
  int64_t multiple = 1;
  SourceLocation location = {};
};

/// Dims that become longer, and with them all that belong to them (partita/Padding).
struct PadTactic {
  std::string name;
  std::vector<PadEntry> entries;
  /// Arguments that come back as results are longer at the program's border, too: they are stored so between steps.
  bool isStored = false;
  /// For tests: padding begins as NaN and the largest integer, and not as zero.
  bool isPoisoned = false;
  SourceLocation location = {};
};

/// A dim in which parts lie side by side, such as queries, keys and values, and the number of devices that shall have
/// a piece of each part.
struct ReorderEntry {
  Pattern pattern;
  uint32_t dim = 0;
  int64_t groups = 1;
  SourceLocation location = {};
};

/// Dims whose elements are put into another order, and with them all that belong to them (partita/Reorder).
struct ReorderTactic {
  std::string name;
  std::vector<ReorderEntry> entries;
  /// Arguments have that order at the program's border, too: they are stored so between steps.
  bool isStored = false;
  SourceLocation location = {};
};

struct Schedule {
  std::vector<Tactic> tactics;
  /// Where values lie, before any tactic: `bindPartitionRules` gives these to the program.
  std::vector<PartitionRule> shardings = {};
  /// The program is rewritten by these before anything else happens, wherever they stand, in this order.
  std::optional<RematTactic> remat = std::nullopt;
  std::optional<TemporalTactic> temporal = std::nullopt;
  std::optional<PadTactic> padding = std::nullopt;
  std::optional<ReorderTactic> reorder = std::nullopt;
  /// Whether tiles on dims that do not divide may add to `padding`; `"pad": false` forbids it.
  bool mayPad = true;
  /// Collectives that run in several steps.
  std::vector<CollectiveProgram> reductions = {};
  /// Whether these are chosen for the machine; `"auto"` in files.
  bool choosesReductions = false;
};

/// The tactic that makes a pipeline; null if there is none.
const Tactic *findPipelineTactic(const Schedule &schedule);
Tactic *findPipelineTactic(Schedule &schedule);

/// Reads a schedule from the object that has `tactics` or `shardings`.
Result<Schedule> readSchedule(const JsonValue &json, llvm::StringRef file);

/// Reads a schedule, or the schedule in a plan.json. Its parts become optional then, because the program or the mesh
/// may have changed.
Result<Schedule> readScheduleOrPlan(const JsonValue &json, llvm::StringRef file);
Result<Schedule> readSchedule(llvm::StringRef text, llvm::StringRef file);

/// Writes what `readSchedule` reads.
void writeSchedule(const Schedule &schedule, llvm::json::OStream &json);

} // namespace partita::schedule

#endif
