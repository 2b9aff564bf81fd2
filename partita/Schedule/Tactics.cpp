//===- Tactics.cpp - applies schedules and replays actions ----------------===//

#include "partita/Schedule/Tactics.h"

#include "partita/Schedule/TacticRunner.h"

namespace partita::schedule {

namespace {

/// An action that a tactic requests.
struct Wish {
  ActionKind kind = ActionKind::Tile;
  CellId cell;
  /// For tiles and sides; none for `first_divisible`.
  std::optional<uint32_t> dim;
  std::string axis;
  SourceLocation location;
  /// Whether a tile of this dim chooses between sides before its own step.
  bool choosesEarly = true;
  /// The entry of the report that counts it, if it came from a pattern.
  std::optional<size_t> entry;
  /// For a group.
  std::vector<CellId> users = {};
  /// For tiles: dims to try if `dim` cannot be split.
  std::vector<uint32_t> otherDims = {};
};

struct WishedTactic {
  std::string name, axis;
  bool isOptional = false;
  /// Sorted by kind.
  std::vector<Wish> wishes;
};

/// Applies one tactic.
class TacticApplication {
public:
  TacticApplication(TacticRunner &runner, const WishedTactic &tactic) : runner(runner), tactic(tactic) {}

  Status run();

private:
  Status apply(const Wish &wish);
  Status applyTile(const Wish &wish, llvm::ArrayRef<AxisId> parts);
  bool applyOtherDim(const Wish &wish, llvm::ArrayRef<AxisId> parts);
  void addChoices(const Wish &wish);
  std::string applyOther(const Wish &wish, llvm::ArrayRef<AxisId> parts);
  void done(const Wish &wish, ActionKind kind, uint32_t dim);
  Status refuse(const Wish &wish, const std::string &reason);

  TacticRunner &runner;
  const WishedTactic &tactic;
};

} // namespace

//===----------------------------------------------------------------------===//
// One tactic
//===----------------------------------------------------------------------===//

void TacticApplication::done(const Wish &wish, ActionKind kind, uint32_t dim) {
  runner.getOutcome().actions.push_back(
      {kind, wish.cell, dim, wish.axis, tactic.name, !wish.choosesEarly, wish.location, wish.users});
  if (wish.entry && kind == wish.kind)
    ++runner.getReport().entries[*wish.entry].applied;
}

/// Reports an action that cannot apply: an error, or a line of the report if the tactic is optional.
Status TacticApplication::refuse(const Wish &wish, const std::string &reason) {
  std::string text = getWord(wish.kind).str() + " " + runner.describe(wish.cell);
  if (wish.dim)
    text += (wish.kind == ActionKind::Assign ? " factor " : " along dim ") + std::to_string(*wish.dim);
  text += " over '" + wish.axis + "': " + reason;
  if (tactic.isOptional) {
    runner.getReport().refused.push_back(std::move(text));
    return std::nullopt;
  }
  return Error::badInput(wish.location, "tactic '" + tactic.name + "' cannot " + text)
      .withRemedy("\"optional\": true in the tactic makes this a report instead of an error");
}

/// A tile that exists already or can be applied chooses its side of a conflict from the first step on.
void TacticApplication::addChoices(const Wish &wish) {
  if (wish.kind != ActionKind::Tile || !wish.choosesEarly)
    return;
  llvm::SmallVector<AxisId> parts = runner.getAssignment().getAxes().find(wish.axis);
  for (AxisId axis : parts)
    if (!runner.explainTile(wish.cell, *wish.dim, axis).empty())
      return;
  for (AxisId axis : parts)
    runner.getPropagation().addChoice(runner.getAssignment().getTopology().getDim(wish.cell, *wish.dim), axis);
}

Status TacticApplication::applyTile(const Wish &wish, llvm::ArrayRef<AxisId> parts) {
  if (!wish.dim) {
    std::optional<uint32_t> dim = runner.tileFirstDivisible(wish.cell, parts);
    if (dim)
      done(wish, ActionKind::Tile, *dim);
    else if (wish.entry)
      ++runner.getReport().entries[*wish.entry].skipped;
    return std::nullopt;
  }
  std::string reason = runner.tile(wish.cell, *wish.dim, parts);
  if (reason.empty()) {
    done(wish, ActionKind::Tile, *wish.dim);
    return std::nullopt;
  }
  // The tile may have chosen a side before another tile of the tactic took the axis: a replay needs that choice.
  uint32_t rank = runner.getAssignment().getGraph().cells[wish.cell].rank;
  auto isChosen = [&](AxisId axis) {
    return runner.getAssignment().isChosen(runner.getAssignment().getTopology().getDim(wish.cell, *wish.dim), axis);
  };
  if (*wish.dim < rank && llvm::any_of(parts, isChosen))
    done(wish, ActionKind::Side, *wish.dim);
  return applyOtherDim(wish, parts) ? std::nullopt : refuse(wish, reason);
}

/// Tiles the first dim that can be split or is split already. Chooses no side before its step.
bool TacticApplication::applyOtherDim(const Wish &wish, llvm::ArrayRef<AxisId> parts) {
  for (uint32_t dim : wish.otherDims) {
    if (!runner.tile(wish.cell, dim, parts).empty())
      continue;
    Wish taken = wish;
    taken.choosesEarly = false;
    done(taken, ActionKind::Tile, dim);
    return true;
  }
  return false;
}

/// Applies an action other than a tile; returns the reason if it cannot.
std::string TacticApplication::applyOther(const Wish &wish, llvm::ArrayRef<AxisId> parts) {
  if (wish.kind == ActionKind::Assign)
    return runner.assign(wish.cell, *wish.dim, parts);
  if (wish.kind == ActionKind::Group)
    return runner.group(wish.cell, wish.users, parts);
  uint32_t rank = runner.getAssignment().getGraph().cells[wish.cell].rank;
  if (wish.kind == ActionKind::Side && *wish.dim >= rank)
    return "it has " + std::to_string(rank) + " dims, counted from 0";
  if (wish.kind == ActionKind::Atomic)
    for (AxisId axis : parts)
      if (std::string reason = runner.explainAtomic(wish.cell, axis); !reason.empty())
        return reason;
  for (AxisId axis : parts) {
    if (wish.kind == ActionKind::Atomic)
      runner.keepWhole(wish.cell, axis);
    else if (wish.kind == ActionKind::Cut)
      runner.getPropagation().addCut(wish.cell, axis);
    else
      runner.getPropagation().addChoice(runner.getAssignment().getTopology().getDim(wish.cell, *wish.dim), axis);
  }
  return "";
}

Status TacticApplication::apply(const Wish &wish) {
  llvm::SmallVector<AxisId> parts = runner.getAssignment().getAxes().find(wish.axis);
  if (wish.kind == ActionKind::Tile)
    return applyTile(wish, parts);
  std::string reason = applyOther(wish, parts);
  if (!reason.empty())
    return refuse(wish, reason);
  done(wish, wish.kind, wish.dim.value_or(0));
  return std::nullopt;
}

Status TacticApplication::run() {
  size_t next = 0;
  for (; next < tactic.wishes.size() && tactic.wishes[next].kind < ActionKind::Tile; ++next)
    if (Status error = apply(tactic.wishes[next]))
      return error;
  for (const Wish &wish : tactic.wishes)
    addChoices(wish);
  for (; next < tactic.wishes.size(); ++next)
    if (Status error = apply(tactic.wishes[next]))
      return error;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// A schedule
//===----------------------------------------------------------------------===//

/// Parts that a mesh axis was refined into, for messages.
static std::string listAxes(const Axes &axes) {
  std::string text;
  for (const MeshAxis &axis : axes.mesh.axes)
    text += (text.empty() ? "" : ", ") + axis.name;
  for (AxisId axis : idRange<AxisId>(axes.size()))
    if (!axes.mesh.findAxis(axes.getName(axis)))
      text += ", " + axes.getName(axis);
  return text;
}

/// Also succeeds for an axis of one device, which has no parts.
static Status checkAxis(const Axes &axes, const std::string &name, const SourceLocation &location) {
  if (axes.mesh.findAxis(name) || !axes.find(name).empty())
    return std::nullopt;
  return Error::badInput(location, "the mesh has no axis '" + name + "'").withRemedy("it has " + listAxes(axes));
}

/// Matches the patterns of a tactic. A pattern that matches nothing is an error, or a line of the report if the tactic
/// is optional.
static Result<WishedTactic> resolve(const Tactic &tactic, TacticRunner &runner) {
  WishedTactic wished{tactic.name, tactic.axis, tactic.isOptional, {}};
  if (Status error = checkAxis(runner.getAssignment().getAxes(), tactic.axis, tactic.axisLocation))
    return std::move(*error);
  TacticReport &report = runner.getReport();
  for (const ScheduleEntry &entry : tactic.entries) {
    std::vector<CellId> cells = runner.getNames().match(entry.pattern);
    if (cells.empty() && !tactic.isOptional)
      return Error::badInput(entry.location, "tactic '" + tactic.name + "': the pattern '" + entry.pattern.getText() +
                                                 "' matches no value of the program")
          .withRemedy("patterns match whole names; `partita plan FILE --stop-after=flatten` lists the names");
    if (cells.empty())
      report.refused.push_back("the pattern '" + entry.pattern.getText() + "' matches no value of the program");
    std::vector<CellId> users;
    for (const Pattern &use : entry.uses)
      llvm::append_range(users, runner.getNames().match(use));
    for (CellId cell : cells)
      wished.wishes.push_back({entry.kind, cell, entry.dim, tactic.axis, entry.location, entry.dim.has_value(),
                               report.entries.size(), users, entry.otherDims});
    report.entries.push_back({entry.kind, entry.pattern.getText(), static_cast<uint32_t>(cells.size()), 0, 0});
  }
  return wished;
}

static Status runTactic(const Tactic &tactic, TacticRunner &runner, AfterTactic afterTactic) {
  if (tactic.automatic)
    return Error::badInput(tactic.location, "tactic '" + tactic.name + "' is left to a search, and there is none here")
        .withRemedy("`partita plan` with --machine searches; elsewhere, write its tiles by hand");
  runner.begin(tactic.name, tactic.axis);
  Result<WishedTactic> wished = resolve(tactic, runner);
  if (!wished)
    return wished.error();
  if (Status error = TacticApplication(runner, *wished).run())
    return error;
  runner.end(afterTactic);
  return std::nullopt;
}

Result<ScheduleOutcome> applySchedule(const Schedule &schedule, const CellNames &names, Assignment &assignment,
                                      AfterTactic afterTactic) {
  size_t mark = assignment.mark();
  TacticRunner runner(assignment, names);
  Status error = applyProgramShardings(runner, afterTactic);
  for (const Tactic &tactic : schedule.tactics)
    if (!error)
      error = runTactic(tactic, runner, afterTactic);
  if (!error)
    return runner.takeOutcome();
  assignment.rollback(mark);
  return std::move(*error);
}

//===----------------------------------------------------------------------===//
// Replay
//===----------------------------------------------------------------------===//

/// Removes the actions of the next tactic from the front of `actions`.
static WishedTactic takeTactic(llvm::ArrayRef<Action> &actions) {
  WishedTactic wished;
  wished.name = actions.front().tactic;
  wished.axis = actions.front().axis;
  size_t size = 0;
  while (size < actions.size() && actions[size].tactic == wished.name)
    if (actions[size++].kind == ActionKind::Tile && wished.name.empty())
      break;
  for (ActionKind kind : actionKinds)
    for (const Action &action : actions.take_front(size))
      if (action.kind == kind)
        wished.wishes.push_back({kind, action.cell, action.dim, action.axis, action.location, !action.isFirstDivisible,
                                 std::nullopt, action.users});
  actions = actions.drop_front(size);
  return wished;
}

static Status runReplay(const WishedTactic &wished, TacticRunner &runner, AfterTactic afterTactic) {
  for (const Wish &wish : wished.wishes)
    if (Status error = checkAxis(runner.getAssignment().getAxes(), wish.axis, wish.location))
      return error;
  runner.begin(wished.name, wished.axis);
  if (Status error = TacticApplication(runner, wished).run())
    return error;
  runner.end(afterTactic);
  return std::nullopt;
}

Result<ScheduleOutcome> replayActions(llvm::ArrayRef<Action> actions, const CellNames &names, Assignment &assignment,
                                      AfterTactic afterTactic) {
  size_t mark = assignment.mark();
  TacticRunner runner(assignment, names);
  Status error = applyProgramShardings(runner, afterTactic);
  while (!actions.empty() && !error)
    error = runReplay(takeTactic(actions), runner, afterTactic);
  if (!error)
    return runner.takeOutcome();
  assignment.rollback(mark);
  return std::move(*error);
}

std::vector<std::string> collectAxes(const Schedule &schedule) {
  std::vector<std::string> axes;
  for (const Tactic &tactic : schedule.tactics) {
    if (!tactic.automatic)
      axes.push_back(tactic.axis);
    else
      llvm::append_range(axes, tactic.automatic->axes);
  }
  return axes;
}

std::vector<std::string> collectAxes(llvm::ArrayRef<Action> actions) {
  std::vector<std::string> axes;
  for (const Action &action : actions)
    axes.push_back(action.axis);
  return axes;
}

} // namespace partita::schedule
