//===- Tactics.cpp - applies schedules and replays actions ----------------===//

#include "partita/Schedule/Tactics.h"

#include "partita/Schedule/TacticRunner.h"
#include "partita/Support/Spelling.h"
#include "partita/Support/Words.h"

namespace partita::schedule {

namespace {

/// An action that a tactic requests.
struct RequestedAction {
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

struct RequestedTactic {
  std::string name, axis;
  bool isOptional = false;
  /// Sorted by kind.
  std::vector<RequestedAction> requests;
};

/// Applies one tactic.
class TacticApplication {
public:
  TacticApplication(TacticRunner &runner, const RequestedTactic &tactic) : runner(runner), tactic(tactic) {}

  Status run();

private:
  Status apply(const RequestedAction &request);
  Status applyTile(const RequestedAction &request, llvm::ArrayRef<AxisId> parts);
  bool applyOtherDim(const RequestedAction &request, llvm::ArrayRef<AxisId> parts);
  void addChoices(const RequestedAction &request);
  std::string applyOther(const RequestedAction &request, llvm::ArrayRef<AxisId> parts);
  void done(const RequestedAction &request, ActionKind kind, uint32_t dim);
  Status refuse(const RequestedAction &request, const std::string &reason);

  TacticRunner &runner;
  const RequestedTactic &tactic;
};

} // namespace

//===----------------------------------------------------------------------===//
// One tactic
//===----------------------------------------------------------------------===//

void TacticApplication::done(const RequestedAction &request, ActionKind kind, uint32_t dim) {
  runner.getOutcome().actions.push_back(
      {kind, request.cell, dim, request.axis, tactic.name, !request.choosesEarly, request.location, request.users});
  if (request.entry && kind == request.kind)
    ++runner.getReport().entries[*request.entry].applied;
}

/// Reports an action that cannot apply: an error, or a line of the report if the tactic is optional.
Status TacticApplication::refuse(const RequestedAction &request, const std::string &reason) {
  std::string text = getWord(request.kind).str() + " " + runner.describe(request.cell);
  if (request.dim)
    text += (request.kind == ActionKind::Assign ? " factor " : " along dim ") + std::to_string(*request.dim);
  text += " over '" + request.axis + "': " + reason;
  if (tactic.isOptional) {
    runner.getReport().refused.push_back(std::move(text));
    return std::nullopt;
  }
  bool isTile = request.kind == ActionKind::Tile && request.dim;
  std::string sizes = isTile ? runner.adviseSize(request.cell, *request.dim, request.axis) : "";
  return Error::badInput(request.location, "tactic '" + tactic.name + "' cannot " + text)
      .withRemedy((sizes.empty() ? "" : sizes + "; ") +
                  "\"optional\": true in the tactic makes this a report instead of an error");
}

/// A tile that exists already or can be applied chooses its side of a conflict from the first step on.
void TacticApplication::addChoices(const RequestedAction &request) {
  if (request.kind != ActionKind::Tile || !request.choosesEarly)
    return;
  llvm::SmallVector<AxisId> parts = runner.getAssignment().getAxes().find(request.axis);
  for (AxisId axis : parts)
    if (!runner.explainTile(request.cell, *request.dim, axis).empty())
      return;
  for (AxisId axis : parts)
    runner.getPropagation().addChoice(runner.getAssignment().getTopology().getDim(request.cell, *request.dim), axis);
}

Status TacticApplication::applyTile(const RequestedAction &request, llvm::ArrayRef<AxisId> parts) {
  if (!request.dim) {
    std::optional<uint32_t> dim = runner.tileFirstDivisible(request.cell, parts);
    if (dim)
      done(request, ActionKind::Tile, *dim);
    else if (request.entry)
      ++runner.getReport().entries[*request.entry].skipped;
    return std::nullopt;
  }
  std::string reason = runner.tile(request.cell, *request.dim, parts);
  if (reason.empty()) {
    done(request, ActionKind::Tile, *request.dim);
    return std::nullopt;
  }
  // The tile may have chosen a side before another tile of the tactic took the axis: a replay needs that choice.
  uint32_t rank = runner.getAssignment().getGraph().cells[request.cell].rank;
  auto isChosen = [&](AxisId axis) {
    return runner.getAssignment().isChosen(runner.getAssignment().getTopology().getDim(request.cell, *request.dim),
                                           axis);
  };
  if (*request.dim < rank && llvm::any_of(parts, isChosen))
    done(request, ActionKind::Side, *request.dim);
  return applyOtherDim(request, parts) ? std::nullopt : refuse(request, reason);
}

/// Tiles the first dim that can be split or is split already. Chooses no side before its step.
bool TacticApplication::applyOtherDim(const RequestedAction &request, llvm::ArrayRef<AxisId> parts) {
  for (uint32_t dim : request.otherDims) {
    if (!runner.tile(request.cell, dim, parts).empty())
      continue;
    RequestedAction taken = request;
    taken.choosesEarly = false;
    done(taken, ActionKind::Tile, dim);
    return true;
  }
  return false;
}

/// Applies an action other than a tile; returns the reason if it cannot.
std::string TacticApplication::applyOther(const RequestedAction &request, llvm::ArrayRef<AxisId> parts) {
  if (request.kind == ActionKind::Assign)
    return runner.assign(request.cell, *request.dim, parts);
  if (request.kind == ActionKind::Group)
    return runner.group(request.cell, request.users, parts);
  uint32_t rank = runner.getAssignment().getGraph().cells[request.cell].rank;
  if (request.kind == ActionKind::Side && *request.dim >= rank)
    return "it has " + countWord(rank, "dim") + ", counted from 0";
  if (request.kind == ActionKind::Atomic)
    for (AxisId axis : parts)
      if (std::string reason = runner.explainAtomic(request.cell, axis); !reason.empty())
        return reason;
  for (AxisId axis : parts) {
    if (request.kind == ActionKind::Atomic)
      runner.keepWhole(request.cell, axis);
    else if (request.kind == ActionKind::Cut)
      runner.getPropagation().addCut(request.cell, axis);
    else
      runner.getPropagation().addChoice(runner.getAssignment().getTopology().getDim(request.cell, *request.dim), axis);
  }
  return "";
}

Status TacticApplication::apply(const RequestedAction &request) {
  llvm::SmallVector<AxisId> parts = runner.getAssignment().getAxes().find(request.axis);
  if (request.kind == ActionKind::Tile)
    return applyTile(request, parts);
  std::string reason = applyOther(request, parts);
  if (!reason.empty())
    return refuse(request, reason);
  done(request, request.kind, request.dim.value_or(0));
  return std::nullopt;
}

Status TacticApplication::run() {
  size_t next = 0;
  for (; next < tactic.requests.size() && tactic.requests[next].kind < ActionKind::Tile; ++next)
    if (Status error = apply(tactic.requests[next]))
      return error;
  for (const RequestedAction &request : tactic.requests)
    addChoices(request);
  for (; next < tactic.requests.size(); ++next)
    if (Status error = apply(tactic.requests[next]))
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
  std::optional<llvm::StringRef> meant = findNearestName(name, axes.mesh.listNames());
  return Error::badInput(location, "'" + name + "' is not an axis of the mesh")
      .withRemedy(meant ? "did you mean '" + meant->str() + "'?" : "its axes are " + listAxes(axes));
}

/// Matches the patterns of a tactic. A pattern that matches nothing is an error, or a line of the report if the tactic
/// is optional.
static Result<RequestedTactic> resolve(const Tactic &tactic, TacticRunner &runner) {
  RequestedTactic requested{tactic.name, tactic.axis, tactic.isOptional, {}};
  if (Status error = checkAxis(runner.getAssignment().getAxes(), tactic.axis, tactic.axisLocation))
    return std::move(*error);
  TacticReport &report = runner.getReport();
  for (const ScheduleEntry &entry : tactic.entries) {
    std::vector<CellId> cells = runner.getNames().match(entry.pattern);
    if (cells.empty() && !tactic.isOptional) {
      std::optional<std::string> meant = runner.getNames().findNearest(entry.pattern.getText());
      return Error::badInput(entry.location, "tactic '" + tactic.name + "': the pattern '" + entry.pattern.getText() +
                                                 "' matches no value of the program")
          .withRemedy(meant ? "did you mean '" + *meant + "'? patterns match whole names"
                            : "patterns match whole names; `partita plan FILE --stop-after=flatten` lists the names");
    }
    if (cells.empty())
      report.refused.push_back("the pattern '" + entry.pattern.getText() + "' matches no value of the program");
    std::vector<CellId> users;
    for (const Pattern &use : entry.uses)
      llvm::append_range(users, runner.getNames().match(use));
    for (CellId cell : cells)
      requested.requests.push_back({entry.kind, cell, entry.dim, tactic.axis, entry.location, entry.dim.has_value(),
                                    report.entries.size(), users, entry.otherDims});
    report.entries.push_back({entry.kind, entry.pattern.getText(), static_cast<uint32_t>(cells.size()), 0, 0});
  }
  return requested;
}

static Status runTactic(const Tactic &tactic, TacticRunner &runner, AfterTactic afterTactic) {
  if (tactic.automatic)
    return Error::badInput(tactic.location, "tactic '" + tactic.name + "' is left to a search, and there is none here")
        .withRemedy("`partita plan` with --machine searches; elsewhere, write its tiles by hand");
  runner.begin(tactic.name, tactic.axis);
  Result<RequestedTactic> requested = resolve(tactic, runner);
  if (!requested)
    return requested.error();
  if (Status error = TacticApplication(runner, *requested).run())
    return error;
  runner.end(afterTactic);
  return std::nullopt;
}

Result<ScheduleOutcome> applySchedule(const Schedule &schedule, const CellNames &names, Assignment &assignment,
                                      AfterTactic afterTactic) {
  size_t mark = assignment.mark();
  TacticRunner runner(assignment, names);
  Status error = applyGivenShardings(runner, afterTactic);
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
static RequestedTactic takeTactic(llvm::ArrayRef<Action> &actions) {
  RequestedTactic requested;
  requested.name = actions.front().tactic;
  requested.axis = actions.front().axis;
  size_t size = 0;
  while (size < actions.size() && actions[size].tactic == requested.name)
    if (actions[size++].kind == ActionKind::Tile && requested.name.empty())
      break;
  for (ActionKind kind : actionKinds)
    for (const Action &action : actions.take_front(size))
      if (action.kind == kind)
        requested.requests.push_back({kind, action.cell, action.dim, action.axis, action.location,
                                      !action.isFirstDivisible, std::nullopt, action.users});
  actions = actions.drop_front(size);
  return requested;
}

static Status runReplay(const RequestedTactic &requested, TacticRunner &runner, AfterTactic afterTactic) {
  for (const RequestedAction &request : requested.requests)
    if (Status error = checkAxis(runner.getAssignment().getAxes(), request.axis, request.location))
      return error;
  runner.begin(requested.name, requested.axis);
  if (Status error = TacticApplication(runner, requested).run())
    return error;
  runner.end(afterTactic);
  return std::nullopt;
}

Result<ScheduleOutcome> replayActions(llvm::ArrayRef<Action> actions, const CellNames &names, Assignment &assignment,
                                      AfterTactic afterTactic) {
  size_t mark = assignment.mark();
  TacticRunner runner(assignment, names);
  Status error = applyGivenShardings(runner, afterTactic);
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
  llvm::append_range(axes, collectAxes(schedule.reductions));
  return axes;
}

std::vector<std::string> collectAxes(llvm::ArrayRef<Action> actions) {
  std::vector<std::string> axes;
  for (const Action &action : actions)
    axes.push_back(action.axis);
  return axes;
}

} // namespace partita::schedule
