//===- ProblemReader.cpp - reads the contest's problem files --------------===//

#include "partita/Solve/ProblemReader.h"

#include "partita/Support/InputFile.h"
#include "partita/Support/Json.h"

#include "llvm/ADT/StringExtras.h"

#include <zlib.h>

using llvm::StringRef;

namespace partita::solve {

namespace {

/// A list of lists of integers, one behind the other.
struct NumberLists {
  std::vector<int64_t> numbers;
  /// Where each list begins in `numbers`, and where the last ends.
  std::vector<size_t> starts{0};
  /// Where each list stands in the text.
  std::vector<size_t> places;
  /// Where the member stands; 0 if the file does not have it.
  size_t place = 0;

  size_t size() const { return places.size(); }
  llvm::ArrayRef<int64_t> operator[](size_t list) const {
    return llvm::ArrayRef(numbers).slice(starts[list], starts[list + 1] - starts[list]);
  }
};

/// The members of a file, before they are held against each other.
struct RawProblem {
  std::string name;
  NumberLists intervals, nodeCosts, usages, edgeNodes, edgeCosts;
  std::optional<int64_t> usageLimit;
  size_t place = 0;
};

/// Reads a text from front to back. The first error stops it: all functions return false from then on.
class ProblemParser {
public:
  ProblemParser(StringRef text, StringRef file) : text(text), file(file) {}

  Result<ChoiceProblem> parse();

private:
  Error makeError(size_t place, std::string reason, std::string remedy) const;
  bool fail(std::string reason, std::string remedy = "the file must be a problem of the IOPDDL contest, as JSON");

  // Tokens.
  void skipSpace();
  bool expect(char c);
  bool accept(char c);
  bool parseString(std::string &value);
  bool parseInteger(int64_t &value);
  bool skipValue(unsigned depth);
  /// Calls `parseMember` for each member of an object, behind the colon.
  template <typename ParseMember> bool parseObject(ParseMember parseMember);
  template <typename ParseElement> bool parseArray(ParseElement parseElement);

  // The parts of a problem.
  bool parseLists(NumberLists &lists);
  bool parseFile(RawProblem &raw);
  bool parseProblemObject(RawProblem &raw);
  std::optional<Error> checkNodes(const RawProblem &raw) const;
  std::optional<Error> checkEdges(const RawProblem &raw) const;

  StringRef text, file;
  size_t at = 0;
  std::optional<Error> error;
};

} // namespace

static const char *const shapeRemedy = "see docs/iopddl.md for the format";

Error ProblemParser::makeError(size_t place, std::string reason, std::string remedy) const {
  StringRef before = text.take_front(place);
  size_t lineStart = before.rfind('\n') == StringRef::npos ? 0 : before.rfind('\n') + 1;
  SourceLocation location{file.str(), static_cast<unsigned>(before.count('\n') + 1),
                          static_cast<unsigned>(place - lineStart + 1)};
  return Error::badInput(location, std::move(reason)).withRemedy(std::move(remedy));
}

bool ProblemParser::fail(std::string reason, std::string remedy) {
  if (!error)
    error = makeError(at, std::move(reason), std::move(remedy));
  return false;
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

void ProblemParser::skipSpace() {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r'))
    ++at;
}

bool ProblemParser::accept(char c) {
  skipSpace();
  if (at >= text.size() || text[at] != c)
    return false;
  ++at;
  return true;
}

bool ProblemParser::expect(char c) {
  if (accept(c))
    return true;
  return fail(std::string("expected '") + c + (at < text.size() ? "'" : "', and the text ends"));
}

/// Escapes are left as they are: names of members that are known have none.
bool ProblemParser::parseString(std::string &value) {
  if (!expect('"'))
    return false;
  size_t start = at;
  while (at < text.size() && text[at] != '"')
    at += text[at] == '\\' ? 2 : 1;
  if (at >= text.size())
    return fail("a string does not end");
  value = text.slice(start, at++).str();
  return true;
}

bool ProblemParser::parseInteger(int64_t &value) {
  skipSpace();
  size_t start = at;
  bool isNegative = at < text.size() && text[at] == '-';
  at += isNegative;
  size_t firstDigit = at;
  // Numbers beyond 64 bits saturate; as costs they are infinite anyway.
  constexpr uint64_t most = INT64_MAX;
  uint64_t magnitude = 0;
  for (; at < text.size() && llvm::isDigit(text[at]); ++at) {
    uint64_t digit = text[at] - '0';
    magnitude = magnitude > (most - digit) / 10 ? most : magnitude * 10 + digit;
  }
  bool isFraction = at < text.size() && (text[at] == '.' || text[at] == 'e' || text[at] == 'E');
  if (at == firstDigit || isFraction) {
    at = start;
    return fail("expected an integer", "write costs, usages and times as integers");
  }
  value = isNegative ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
  return true;
}

template <typename ParseMember> bool ProblemParser::parseObject(ParseMember parseMember) {
  if (!expect('{'))
    return false;
  if (accept('}'))
    return true;
  do {
    std::string name;
    if (!parseString(name) || !expect(':') || !parseMember(name))
      return false;
  } while (accept(','));
  return expect('}');
}

template <typename ParseElement> bool ProblemParser::parseArray(ParseElement parseElement) {
  if (!expect('['))
    return false;
  if (accept(']'))
    return true;
  do
    if (!parseElement())
      return false;
  while (accept(','));
  return expect(']');
}

/// Members that are not known are skipped, whatever they hold.
bool ProblemParser::skipValue(unsigned depth) {
  if (depth > maxJsonDepth)
    return fail("brackets are nested too deep");
  skipSpace();
  if (at >= text.size())
    return fail("the text ends where a value should stand");
  if (text[at] == '{')
    return parseObject([&](const std::string &) { return skipValue(depth + 1); });
  if (text[at] == '[')
    return parseArray([&] { return skipValue(depth + 1); });
  std::string ignored;
  if (text[at] == '"')
    return parseString(ignored);
  size_t start = at;
  while (at < text.size() && (llvm::isAlnum(text[at]) || text[at] == '-' || text[at] == '+' || text[at] == '.'))
    ++at;
  return at > start || fail("expected a value");
}

//===----------------------------------------------------------------------===//
// The parts of a problem
//===----------------------------------------------------------------------===//

bool ProblemParser::parseLists(NumberLists &lists) {
  skipSpace();
  if (lists.place)
    return fail("the member stands here a second time", "leave one of them out");
  lists.place = at;
  return parseArray([&] {
    skipSpace();
    lists.places.push_back(at);
    bool isRead = parseArray([&] {
      int64_t number = 0;
      if (!parseInteger(number))
        return false;
      lists.numbers.push_back(number);
      return true;
    });
    lists.starts.push_back(lists.numbers.size());
    return isRead;
  });
}

bool ProblemParser::parseProblemObject(RawProblem &raw) {
  skipSpace();
  raw.place = at;
  return parseObject([&](StringRef member) {
    if (member == "name")
      return parseString(raw.name);
    if (member == "usage_limit") {
      skipSpace();
      if (text.substr(at).starts_with("null"))
        return skipValue(0);
      return parseInteger(raw.usageLimit.emplace());
    }
    if (member == "nodes")
      return parseObject([&](StringRef part) {
        if (part == "intervals")
          return parseLists(raw.intervals);
        if (part == "costs")
          return parseLists(raw.nodeCosts);
        return part == "usages" ? parseLists(raw.usages) : skipValue(0);
      });
    if (member == "edges")
      return parseObject([&](StringRef part) {
        if (part == "nodes")
          return parseLists(raw.edgeNodes);
        return part == "costs" ? parseLists(raw.edgeCosts) : skipValue(0);
      });
    return skipValue(0);
  });
}

bool ProblemParser::parseFile(RawProblem &raw) {
  bool hasProblem = false;
  bool isRead = parseObject([&](StringRef member) {
    if (member != "problem")
      return skipValue(0);
    hasProblem = true;
    return parseProblemObject(raw);
  });
  if (!isRead)
    return false;
  skipSpace();
  if (at < text.size())
    return fail("text follows behind the problem");
  return hasProblem || fail("the file has no member \"problem\"");
}

std::optional<Error> ProblemParser::checkNodes(const RawProblem &raw) const {
  size_t numNodes = raw.intervals.size();
  if (!raw.intervals.place || !raw.nodeCosts.place || !raw.usages.place)
    return makeError(raw.place, "the problem lacks \"nodes\" with \"intervals\", \"costs\" and \"usages\"",
                     shapeRemedy);
  for (const NumberLists *lists : {&raw.nodeCosts, &raw.usages})
    if (lists->size() != numNodes)
      return makeError(lists->place,
                       "there are " + std::to_string(numNodes) + " intervals, but " + std::to_string(lists->size()) +
                           " lists here",
                       "give each node an interval, a list of costs and a list of usages");
  for (size_t node = 0; node < numNodes; ++node) {
    std::string name = "node " + std::to_string(node);
    if (raw.intervals[node].size() != 2)
      return makeError(raw.intervals.places[node], "the interval of " + name + " is not a pair",
                       "write it as [begin, end]; it is empty if end <= begin");
    if (raw.nodeCosts[node].empty())
      return makeError(raw.nodeCosts.places[node], name + " has no strategy", "give it at least one cost and usage");
    if (raw.usages[node].size() != raw.nodeCosts[node].size())
      return makeError(raw.usages.places[node],
                       name + " has " + std::to_string(raw.nodeCosts[node].size()) + " costs, but " +
                           std::to_string(raw.usages[node].size()) + " usages",
                       "give each strategy a cost and a usage");
    for (int64_t usage : raw.usages[node])
      if (usage < 0)
        return makeError(raw.usages.places[node], "a usage of " + name + " is negative",
                         "usages are amounts of memory, 0 or more");
  }
  return std::nullopt;
}

std::optional<Error> ProblemParser::checkEdges(const RawProblem &raw) const {
  if (raw.edgeNodes.size() != raw.edgeCosts.size())
    return makeError(raw.edgeCosts.place ? raw.edgeCosts.place : raw.edgeNodes.place,
                     "there are " + std::to_string(raw.edgeNodes.size()) + " edges, but " +
                         std::to_string(raw.edgeCosts.size()) + " lists of their costs",
                     "give each edge a pair of nodes and a list of costs");
  for (size_t edge = 0; edge < raw.edgeNodes.size(); ++edge) {
    std::string name = "edge " + std::to_string(edge);
    llvm::ArrayRef<int64_t> ends = raw.edgeNodes[edge];
    if (ends.size() != 2)
      return makeError(raw.edgeNodes.places[edge], name + " has " + std::to_string(ends.size()) + " nodes",
                       "only edges between two nodes are supported");
    size_t numPairs = 1;
    for (int64_t end : ends) {
      if (end < 0 || static_cast<size_t>(end) >= raw.nodeCosts.size())
        return makeError(raw.edgeNodes.places[edge],
                         name + " names node " + std::to_string(end) + ", and there are " +
                             std::to_string(raw.nodeCosts.size()),
                         "nodes are counted from 0");
      numPairs *= raw.nodeCosts[end].size();
    }
    if (raw.edgeCosts[edge].size() != numPairs)
      return makeError(raw.edgeCosts.places[edge],
                       name + " has " + std::to_string(raw.edgeCosts[edge].size()) + " costs, and its nodes have " +
                           std::to_string(numPairs) + " pairs of strategies",
                       "give each pair a cost; the second node's strategy runs fastest");
  }
  return std::nullopt;
}

Result<ChoiceProblem> ProblemParser::parse() {
  RawProblem raw;
  if (!parseFile(raw))
    return *error;
  if (auto wrong = checkNodes(raw))
    return *wrong;
  if (auto wrong = checkEdges(raw))
    return *wrong;
  ChoiceProblem problem{raw.name, {}, {}, raw.usageLimit};
  problem.nodes.reserve(raw.intervals.size());
  for (size_t node = 0; node < raw.intervals.size(); ++node)
    problem.nodes.push_back(
        {raw.intervals[node][0], raw.intervals[node][1], raw.nodeCosts[node].vec(), raw.usages[node].vec()});
  problem.edges.reserve(raw.edgeNodes.size());
  for (size_t edge = 0; edge < raw.edgeNodes.size(); ++edge)
    problem.edges.push_back({static_cast<uint32_t>(raw.edgeNodes[edge][0]),
                             static_cast<uint32_t>(raw.edgeNodes[edge][1]), raw.edgeCosts[edge].vec()});
  return problem;
}

Result<ChoiceProblem> parseProblem(StringRef text, StringRef file) { return ProblemParser(text, file).parse(); }

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// What a gzip file holds, if that is at most `maxBytes`.
static Result<std::string> unpackGzip(StringRef packed, StringRef file, int64_t maxBytes) {
  SourceLocation location{file.str(), 0, 0};
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
    return Error::internal("zlib does not start");
  std::string text;
  std::vector<char> piece(size_t(1) << 20);
  int state = Z_OK;
  size_t taken = 0;
  while (state == Z_OK && static_cast<int64_t>(text.size()) <= maxBytes) {
    size_t in = std::min(piece.size(), packed.size() - taken);
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data() + taken));
    stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef *>(piece.data());
    stream.avail_out = piece.size();
    state = ::inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    text.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (static_cast<int64_t>(text.size()) > maxBytes)
    return beyondLimit(location, "the file unpacks to too many bytes", "max-file-bytes", maxBytes);
  if (state != Z_STREAM_END)
    return Error::badInput(location, "the file is damaged or cut off").withRemedy("pack it anew with gzip");
  return text;
}

Result<ChoiceProblem> readProblem(StringRef path, const Limits &limits) {
  auto buffer = readFile(path, limits);
  if (!buffer)
    return buffer.error().remedy.empty() ? Error(buffer.error()).withRemedy("give the path of a problem file")
                                         : buffer.error();
  StringRef text = (*buffer)->getBuffer();
  if (!text.starts_with("\x1f\x8b"))
    return parseProblem(text, path);
  Result<std::string> unpacked = unpackGzip(text, path, limits.maxFileBytes);
  if (!unpacked)
    return unpacked.error();
  return parseProblem(*unpacked, path);
}

} // namespace partita::solve
