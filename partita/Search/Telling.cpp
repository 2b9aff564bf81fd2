//===- Telling.cpp - moves in a person's words ----------------------------===//

#include "partita/Search/Telling.h"

#include "partita/Graph/Paths.h"
#include "partita/Graph/Places.h"
#include "partita/Support/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace partita::search {

namespace {

/// A line: `heads of a, b and 3 more over data, model`.
struct Line {
  /// `heads`, or what the line is about as a whole.
  std::string phrase;
  /// `of` or `at`; empty without subjects.
  llvm::StringRef preposition;
  std::vector<std::string> subjects;
  std::vector<std::string> axes;
};

class Teller {
public:
  Teller(const MoveTable &table, const Topology &topology, const Colors &colors, const CellNames &names)
      : table(table), topology(topology), graph(topology.getGraph()), colors(colors), names(names) {}

  std::vector<std::string> run(llvm::ArrayRef<MoveId> moves);

private:
  Line tell(const Move &move) const;
  Line tell(const MoveEntry &entry, GroupKind kind) const;
  bool hasDim(const MoveEntry &entry) const;
  llvm::StringRef findWord(const MoveEntry &entry) const;
  std::string getSubject(TargetId target) const;

  const MoveTable &table;
  const Topology &topology;
  const Graph &graph;
  const Colors &colors;
  const CellNames &names;
};

constexpr size_t maxLines = 8, maxSubjects = 3;

} // namespace

std::string shortenPlace(llvm::StringRef name) {
  std::vector<std::string> parts = splitPlace(name);
  constexpr size_t maxParts = 3;
  if (parts.size() > maxParts)
    parts.erase(parts.begin(), parts.end() - maxParts);
  return parts.empty() ? name.str() : llvm::join(parts, "/");
}

/// The end of an argument's path, which tells most: `layers/wq` of `state.params['layers']['wq']`. Numbers tell nothing
/// without what they count: `layers/0/weight`.
static std::string shortenPath(llvm::StringRef name) {
  constexpr size_t fewestParts = 2;
  llvm::SmallVector<std::string> parts = splitPath(name);
  size_t count = std::min(fewestParts, parts.size());
  auto isNumber = [](llvm::StringRef part) { return part.find_first_not_of("0123456789*") == llvm::StringRef::npos; };
  while (count < parts.size() && isNumber(parts[parts.size() - count]))
    ++count;
  return llvm::join(llvm::ArrayRef(parts).take_back(count), "/");
}

std::string Teller::getSubject(TargetId id) const {
  const Target &target = table.targets[id];
  CellId cell = target.members.front();
  std::string name = names.getName(cell);
  if (graph.cells[cell].kind != CellKind::Argument)
    return shortenPlace(name);
  return shortenPath(target.members.size() > 1 ? collapseNumbers(name) : name);
}

bool Teller::hasDim(const MoveEntry &entry) const {
  CellId cell = table.targets[entry.target].members.front();
  return entry.dim && entry.kind != ActionKind::Assign && *entry.dim < graph.cells[cell].rank;
}

/// The word of the dim's color; empty if there is none.
llvm::StringRef Teller::findWord(const MoveEntry &entry) const {
  if (!hasDim(entry))
    return "";
  ColorId color = colors.ofDim[topology.getDim(table.targets[entry.target].members.front(), *entry.dim)];
  return color.isValid() ? llvm::StringRef(colors.list[color].word) : "";
}

/// For an entry that has a dim.
Line Teller::tell(const MoveEntry &entry, GroupKind kind) const {
  CellId cell = table.targets[entry.target].members.front();
  bool isArgument = graph.cells[cell].kind == CellKind::Argument;
  llvm::StringRef word = findWord(entry);
  // The batch is the batch, whichever input it is said of.
  if (isArgument && kind == GroupKind::Input && !word.empty())
    return {word.str(), "", {}, {}};
  std::string size = "dim of size " + std::to_string(graph.getShape(cell)[*entry.dim]);
  return {word.empty() ? size : word.str(), isArgument ? "of" : "at", {getSubject(entry.target)}, {}};
}

Line Teller::tell(const Move &move) const {
  if (move.role == MoveRole::SharedDim || move.role == MoveRole::NextDim)
    return tell(move.entries.front(), move.kind);
  if (isOfMany(move.role))
    return {getTopic(move).str(), "", {}, {}};
  if (move.role == MoveRole::GroupOptimizerState)
    return {"optimizer state alone", "of", {getSubject(move.entries.front().target)}, {}};
  if (move.role == MoveRole::Reshards)
    return {move.entries.size() == 1 ? "one reshard for all uses" : "a reshard for each use",
            "of",
            {getSubject(move.entries.front().target)},
            {}};
  if (move.role == MoveRole::Factor)
    return {"single ops", "at", {getSubject(move.entries.front().target)}, {}};
  // Cuts stand before the tile that they limit. Of a conflict's side, any dim with a word will do.
  auto hasWord = [&](const MoveEntry &entry) { return !findWord(entry).empty(); };
  const auto *found = move.role == MoveRole::Side ? llvm::find_if(move.entries, hasWord) : move.entries.end();
  const MoveEntry &chosen = found == move.entries.end() ? move.entries.back() : *found;
  if (!hasDim(chosen))
    return {chosen.kind == ActionKind::Cut ? "cut" : "whole", "at", {getSubject(chosen.target)}, {}};
  Line line = tell(chosen, move.kind);
  if (move.role == MoveRole::Cut)
    line.phrase += " alone";
  return line;
}

static std::string print(const Line &line) {
  std::string text = line.phrase;
  if (!line.subjects.empty()) {
    size_t shown = line.subjects.size() > maxSubjects + 1 ? maxSubjects : line.subjects.size();
    text += " " + line.preposition.str() + " " + llvm::join(llvm::ArrayRef(line.subjects).take_front(shown), ", ");
    if (shown < line.subjects.size())
      text += " and " + std::to_string(line.subjects.size() - shown) + " more";
  }
  return text + " over " + joinWords(line.axes);
}

/// Joins lines for which `isAlike` holds: the later one's subjects and axes are added to the first.
static void merge(std::vector<Line> &lines, llvm::function_ref<bool(const Line &, const Line &)> isAlike) {
  std::vector<Line> merged;
  auto add = [](std::vector<std::string> &to, llvm::ArrayRef<std::string> from) {
    for (const std::string &text : from)
      if (!llvm::is_contained(to, text))
        to.push_back(text);
  };
  for (Line &line : lines) {
    auto found = llvm::find_if(merged, [&](const Line &other) { return isAlike(other, line); });
    if (found == merged.end()) {
      merged.push_back(std::move(line));
      continue;
    }
    add(found->subjects, line.subjects);
    add(found->axes, line.axes);
  }
  lines = std::move(merged);
}

std::vector<std::string> Teller::run(llvm::ArrayRef<MoveId> moves) {
  std::vector<Line> lines;
  for (MoveId id : moves) {
    lines.push_back(tell(table.moves[id]));
    lines.back().axes.push_back(table.moves[id].axis);
  }
  auto haveSameAxes = [](const Line &a, const Line &b) {
    return std::is_permutation(a.axes.begin(), a.axes.end(), b.axes.begin(), b.axes.end()) &&
           a.preposition == b.preposition;
  };
  merge(lines, [](const Line &a, const Line &b) { return a.phrase == b.phrase && a.subjects == b.subjects; });
  merge(lines, [&](const Line &a, const Line &b) { return a.phrase == b.phrase && haveSameAxes(a, b); });
  if (lines.size() > maxLines)
    merge(lines, [&](const Line &a, const Line &b) {
      return !a.subjects.empty() && !b.subjects.empty() && haveSameAxes(a, b);
    });
  std::vector<std::string> texts;
  for (const Line &line : lines)
    texts.push_back(print(line));
  if (texts.size() > maxLines) {
    size_t numLeft = texts.size() - (maxLines - 1);
    texts.resize(maxLines - 1);
    texts.push_back("and " + std::to_string(numLeft) + " smaller choices, which the schedule lists");
  }
  return texts;
}

std::vector<std::string> tellMoves(llvm::ArrayRef<MoveId> moves, const MoveTable &table, const Topology &topology,
                                   const Colors &colors, const CellNames &names) {
  return Teller(table, topology, colors, names).run(moves);
}

} // namespace partita::search
