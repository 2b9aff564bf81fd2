//===- SearchAnswers.cpp - what a search has evaluated, to go on from -----===//

#include "partita/Search/SearchAnswers.h"

#include "partita/Machine/MachineFile.h"
#include "partita/Support/Hash.h"
#include "partita/Support/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <set>

namespace partita::search {

static constexpr llvm::StringLiteral firstWords = "partita answers 1 ";

int64_t SearchAnswers::countStates() const {
  std::set<uint64_t> states;
  for (const auto &[hash, evaluated] : list)
    states.insert(evaluated.state);
  return static_cast<int64_t>(states.size());
}

/// All that decides which states are evaluated and what they cost, except how long, how fast and what is printed.
static std::string printOptions(const PlanRequest &request) {
  std::string text;
  llvm::raw_string_ostream out(text);
  // Names of axes matter only where something names them: a plan may have others than its search.
  bool areNamed = !request.given.tactics.empty() || !request.given.shardings.empty() || !request.searchedAxes.empty() ||
                  !request.analysis.getGraph().shardings.empty();
  for (const MeshAxis &axis : request.axes.mesh.axes)
    out << (areNamed ? axis.name : "") << "=" << axis.size << ",";
  for (AxisId id : idRange<AxisId>(request.axes.size()))
    out << request.axes[id].meshAxis << ":" << request.axes[id].preSize << ":" << request.axes[id].size << ",";
  writeMachine(request.machine, out);
  for (const LevelParts &parts : request.placement.axes)
    for (const auto &part : parts)
      out << part.level << ":" << part.size << ";";
  const CostOptions &cost = request.cost;
  out << cost.memoryLimitBytes << "," << cost.memoryLimitPpm << "," << cost.memoryPoolPpm.value_or(-1) << ","
      << cost.overlapPpm << "," << cost.assumedTrips << ",";
  const SearchOptions &search = request.search;
  out << search.method << "," << search.noSeeds << "," << search.stages << "," << search.noFold << "," << search.seed
      << "," << search.depth << ",";
  for (Goal goal : request.goals)
    out << getName(goal) << ",";
  out << llvm::join(request.searchedAxes, ",");
  llvm::json::OStream json(out);
  writeSchedule(request.given, json);
  return text;
}

SearchAnswers describeAnswers(const PlanRequest &request, size_t numMoves) {
  SearchAnswers answers;
  answers.build = mixHash(llvm::xxh3_64bits(getVersion()) ^ numMoves);
  answers.program = llvm::xxh3_64bits(request.analysis.getGraph().programSha256);
  answers.options = llvm::xxh3_64bits(printOptions(request));
  return answers;
}

std::string printAnswers(const SearchAnswers &answers) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << firstWords;
  for (uint64_t word : {answers.build, answers.program, answers.options, uint64_t(answers.list.size())})
    out << llvm::utohexstr(word, /*LowerCase=*/true) << " ";
  for (MoveId move : answers.best)
    out << llvm::utohexstr(move.get(), true) << " ";
  out << "\n";
  for (const auto &[hash, evaluated] : answers.list) {
    for (uint64_t word : {hash, evaluated.state, evaluated.effective})
      out << llvm::utohexstr(word, true) << " ";
    for (int64_t part : evaluated.rating.parts)
      out << llvm::utohexstr(static_cast<uint64_t>(part), true) << " ";
    out << "\n";
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The numbers of a line; nullopt if something else is there.
static std::optional<std::vector<uint64_t>> readNumbers(llvm::StringRef line) {
  std::vector<uint64_t> numbers;
  for (llvm::StringRef word : llvm::split(line.trim(), ' ')) {
    uint64_t number = 0;
    if (word.getAsInteger(16, number))
      return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

static std::optional<SearchAnswers> readHeader(llvm::StringRef line, size_t &count) {
  std::optional<std::vector<uint64_t>> numbers;
  if (line.consume_front(firstWords))
    numbers = readNumbers(line);
  if (!numbers || numbers->size() < 4 || numbers->size() > 4 + maxMoves)
    return std::nullopt;
  SearchAnswers section{(*numbers)[0], (*numbers)[1], (*numbers)[2], {}, {}};
  count = (*numbers)[3];
  for (uint64_t move : llvm::ArrayRef(*numbers).drop_front(4))
    section.best.push_back(MoveId(static_cast<uint32_t>(move)));
  return section;
}

static bool addAnswer(llvm::StringRef line, SearchAnswers &section) {
  std::optional<std::vector<uint64_t>> numbers = readNumbers(line);
  if (!numbers || numbers->size() != 3 + Rating::size)
    return false;
  Evaluated evaluated;
  evaluated.state = (*numbers)[1];
  evaluated.effective = (*numbers)[2];
  for (size_t i = 0; i < Rating::size; ++i)
    evaluated.rating.parts[i] = static_cast<int64_t>((*numbers)[3 + i]);
  section.list.emplace_back((*numbers)[0], evaluated);
  return true;
}

Result<std::vector<SearchAnswers>> parseAnswers(llvm::StringRef text, llvm::StringRef path) {
  std::vector<SearchAnswers> sections;
  size_t count = 0;
  uint32_t number = 0;
  auto isWhole = [&] { return sections.empty() || sections.back().list.size() == count; };
  auto fail = [&](std::string reason) {
    return Error::badInput({path.str(), number, 1}, std::move(reason))
        .withRemedy("search again without --resume; an earlier plan wrote this file whole");
  };
  for (llvm::StringRef rest = text; !rest.empty();) {
    auto [line, behind] = rest.split('\n');
    rest = behind;
    ++number;
    if (!line.starts_with(firstWords)) {
      if (sections.empty() || isWhole() || !addAnswer(line, sections.back()))
        return fail("this is no answer of a search");
      continue;
    }
    bool isNext = isWhole();
    std::optional<SearchAnswers> section = readHeader(line, count);
    if (!isNext || !section)
      return fail("this is no head of a section of answers");
    sections.push_back(std::move(*section));
  }
  if (sections.empty() || !isWhole())
    return fail("the file ends before its answers do");
  return sections;
}

Result<std::vector<SearchAnswers>> readAnswers(llvm::StringRef folder) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, answersFile);
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return Error::cannotReadOrWrite({path.str().str(), 0, 0}, buffer.getError().message())
        .withRemedy("--resume takes the folder that an earlier search has written with -o");
  return parseAnswers((*buffer)->getBuffer(), path);
}

Result<SearchAnswers> findAnswers(llvm::ArrayRef<SearchAnswers> sections, const SearchAnswers &own,
                                  llvm::StringRef folder) {
  auto fail = [&](std::string reason) {
    return Error::usage("the search of '" + folder.str() + "' cannot go on: " + std::move(reason))
        .withRemedy("give the program and the options of that search, or search without --resume");
  };
  bool hasProgram = false, hasBuild = false;
  for (const SearchAnswers &section : sections) {
    hasBuild |= section.build == own.build;
    hasProgram |= section.program == own.program;
    if (section.build == own.build && section.program == own.program && section.options == own.options)
      return section;
  }
  if (!hasProgram)
    return fail("it was for another program");
  if (!hasBuild)
    return fail("another build of Partita made it, or other moves were possible");
  return fail("its mesh, machine, goals, schedule or options of the search were others");
}

} // namespace partita::search
