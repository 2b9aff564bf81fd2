//===- AxisNames.cpp - axes called by what they carry ---------------------===//

#include "partita/Search/AxisNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <map>

namespace partita::search {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static constexpr llvm::StringRef dataName = "data", fsdpName = "fsdp", expertName = "expert", modelName = "model";

/// What an axis is called that splits dims of this word.
static llvm::StringRef nameWork(llvm::StringRef word) {
  return llvm::StringSwitch<llvm::StringRef>(word)
      .Cases({"batch", "members", "nodes", "edges"}, dataName)
      .Cases({"sequence", "space"}, "sequence")
      .Case("experts", expertName)
      .Default(modelName);
}

namespace {

/// What is known of one axis of the mesh, its parts together.
struct MeshAxisUse {
  /// Work by the name that it would give.
  std::map<llvm::StringRef, double> work;
  double total = 0;
  /// Whether parameters are stored in parts over it.
  bool storesParts = false;
};

} // namespace

static MeshAxisUse joinParts(const AxisUses &uses, const Axes &axes, const Colors &colors, uint32_t meshAxis) {
  MeshAxisUse joined;
  double storedBytes = 0;
  for (AxisId part : axes.getParts(meshAxis)) {
    const AxisUse &use = uses.ofAxis[part];
    for (auto [color, work] : use.work.entries) {
      joined.work[color.isValid() ? nameWork(colors.list[color].word) : modelName] += work;
      joined.total += work;
    }
    storedBytes += use.parameters.inParts;
  }
  joined.storesParts = storedBytes > uses.parameterBytes * leastBytes;
  return joined;
}

static std::string chooseName(const MeshAxisUse &use) {
  if (use.total <= 0)
    return use.storesParts ? fsdpName.str() : modelName.str();
  if (auto experts = use.work.find(expertName); experts != use.work.end() && experts->second >= leastWork * use.total)
    return expertName.str();
  auto isLess = [](const auto &a, const auto &b) { return a.second < b.second; };
  return std::max_element(use.work.begin(), use.work.end(), isLess)->first.str();
}

/// Of several axes with one name, the second becomes `data2`.
static std::vector<std::string> makeUnique(std::vector<std::string> names) {
  std::map<std::string, unsigned> counts;
  for (std::string &name : names)
    if (unsigned number = ++counts[name]; number > 1)
      name += std::to_string(number);
  return names;
}

std::vector<std::string> chooseAxisNames(const AxisUses &uses, const Axes &axes, const Colors &colors,
                                         llvm::StringRef pipelineAxis) {
  std::vector<MeshAxisUse> joined;
  std::vector<std::string> names;
  for (uint32_t axis = 0; axis < axes.mesh.axes.size(); ++axis) {
    joined.push_back(joinParts(uses, axes, colors, axis));
    bool isPipeline = axes.mesh.axes[axis].name == pipelineAxis;
    names.push_back(isPipeline ? "pipe" : chooseName(joined.back()));
  }
  bool hasPlain = false;
  for (auto [name, use] : llvm::zip_equal(names, joined))
    hasPlain |= name == dataName && !use.storesParts;
  if (hasPlain)
    for (auto [name, use] : llvm::zip_equal(names, joined))
      if (name == dataName && use.storesParts)
        name = fsdpName.str();
  return makeUnique(std::move(names));
}

//===----------------------------------------------------------------------===//
// Renaming
//===----------------------------------------------------------------------===//

AxisRenaming::AxisRenaming(Mesh mesh, llvm::ArrayRef<std::string> names) : before(std::move(mesh)), after(before) {
  for (auto [axis, name] : llvm::zip_equal(after.axes, names))
    axis.name = name;
}

std::string AxisRenaming::renameAxis(llvm::StringRef axis) const {
  auto [name, part] = axis.split(':');
  for (auto [old, renamed] : llvm::zip_equal(before.axes, after.axes))
    if (old.name == name)
      return renamed.name + (part.empty() ? "" : ":" + part.str());
  return axis.str();
}

/// Takes a list of axes from the front of `text`: `data`, `data and part of model`, `a, b and c`.
static std::string takeAxes(llvm::StringRef &text, const Mesh &mesh, const AxisRenaming &renaming) {
  std::string renamed;
  for (bool continues = true; continues;) {
    llvm::StringRef part = text.starts_with("part of ") ? "part of " : "";
    llvm::StringRef axis =
        text.drop_front(part.size()).take_until([](char c) { return llvm::StringRef(" ,;)").contains(c); });
    // A list may end before: `over data and 83% of them over model`.
    if (!mesh.findAxis(axis.split(':').first))
      break;
    text = text.drop_front(part.size() + axis.size());
    llvm::StringRef joint = text.starts_with(", ") ? ", " : text.starts_with(" and ") ? " and " : "";
    text = text.drop_front(joint.size());
    renamed += (part + renaming.renameAxis(axis) + joint).str();
    continues = !joint.empty();
  }
  return renamed;
}

/// Axes stand behind `over`.
std::string AxisRenaming::renameText(llvm::StringRef text) const {
  constexpr llvm::StringLiteral over = " over ";
  std::string renamed;
  for (size_t found = text.find(over); found != llvm::StringRef::npos; found = text.find(over)) {
    renamed += text.take_front(found + over.size());
    text = text.drop_front(found + over.size());
    renamed += takeAxes(text, before, *this);
  }
  return renamed + text.str();
}

std::string AxisRenaming::renameSeed(llvm::StringRef name) const {
  llvm::SmallVector<llvm::StringRef> parts;
  name.split(parts, '+');
  std::vector<std::string> renamed;
  for (llvm::StringRef part : parts) {
    auto [word, axis] = part.split('(');
    renamed.push_back(axis.consume_back(")") ? word.str() + "(" + renameAxis(axis) + ")" : part.str());
  }
  return llvm::join(renamed, "+");
}

std::string AxisRenaming::renamePlacement(llvm::StringRef text) const {
  llvm::SmallVector<llvm::StringRef> entries;
  text.split(entries, ',', -1, /*KeepEmpty=*/false);
  std::vector<std::string> renamed;
  for (llvm::StringRef entry : entries) {
    auto [axis, levels] = entry.split('=');
    renamed.push_back(renameAxis(axis) + "=" + levels.str());
  }
  return llvm::join(renamed, ",");
}

static void renameTactic(const AxisRenaming &renaming, Tactic &tactic) {
  tactic.axis = renaming.renameAxis(tactic.axis);
  tactic.name = renaming.renameText(tactic.name);
}

void AxisRenaming::rename(SearchedSchedule &searched) const {
  for (Tactic &tactic : searched.schedule.tactics)
    renameTactic(*this, tactic);
  if (searched.schedule.temporal)
    searched.schedule.temporal->scatter = renameAxis(searched.schedule.temporal->scatter);
  for (FoundTactics &found : searched.found) {
    for (Tactic &tactic : found.tactics)
      renameTactic(*this, tactic);
    for (std::string &line : found.words)
      line = renameText(line);
    found.summary = renameText(found.summary);
    for (Strategy &seed : found.seeds)
      seed.name = renameSeed(seed.name);
    for (Strategy &other : found.others)
      other.name = renameText(other.name);
    for (CarriedPlan &plan : found.front) {
      for (std::string &move : plan.moves)
        move = renameText(move);
      for (Tactic &tactic : plan.tactics)
        renameTactic(*this, tactic);
    }
  }
}

} // namespace partita::search
