//===- Rule.cpp - how an op's factors map to the dims of its values -------===//

#include "partita/Graph/Rule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

namespace partita::graph {

uint8_t Rule::addFactor(FactorKind kind, int64_t size, Combiner combiner) {
  assert(factors.size() < UINT8_MAX && "more factors than dims");
  factors.push_back({kind, combiner, size});
  return static_cast<uint8_t>(factors.size() - 1);
}

void canonicalizeRule(Rule &rule) {
  llvm::SmallVector<int> newIndex(rule.factors.size(), -1);
  llvm::SmallVector<Factor, 6> factors;
  auto renumber = [&](ValueFactors &value) {
    for (DimFactors &dim : value)
      for (uint8_t &factor : dim) {
        if (newIndex[factor] < 0) {
          newIndex[factor] = static_cast<int>(factors.size());
          factors.push_back(rule.factors[factor]);
        }
        factor = static_cast<uint8_t>(newIndex[factor]);
      }
  };
  llvm::for_each(rule.operands, renumber);
  llvm::for_each(rule.results, renumber);
  rule.factors = std::move(factors);
}

llvm::StringRef getName(FactorKind kind) {
  static constexpr llvm::StringRef names[] = {"parallel", "reduce", "replicate", "window", "fold"};
  return names[static_cast<unsigned>(kind)];
}

llvm::StringRef getName(Combiner combiner) {
  static constexpr llvm::StringRef names[] = {"none", "add", "multiply", "maximum", "minimum", "and", "or", "xor"};
  return names[static_cast<unsigned>(combiner)];
}

//===----------------------------------------------------------------------===//
// Print
//===----------------------------------------------------------------------===//

namespace {

/// Letters a, b, ... z, then z1, z2, ... in order of first appearance.
class FactorLetters {
public:
  explicit FactorLetters(size_t numFactors) : letters(numFactors) {}

  const std::string &get(uint8_t factor) {
    std::string &letter = letters[factor];
    if (letter.empty()) {
      letter = next < 26 ? std::string(1, char('a' + next)) : "z" + std::to_string(next - 25);
      ++next;
    }
    return letter;
  }

private:
  std::vector<std::string> letters;
  unsigned next = 0;
};

} // namespace

static std::string printDim(const DimFactors &dim, FactorLetters &letters) {
  if (dim.empty())
    return "_";
  if (dim.size() == 1)
    return letters.get(dim.front());
  std::string text;
  for (uint8_t factor : dim)
    text += letters.get(factor);
  return "(" + text + ")";
}

static std::string printValues(llvm::ArrayRef<ValueFactors> values, FactorLetters &letters) {
  std::vector<std::string> texts;
  for (const ValueFactors &value : values) {
    std::vector<std::string> dims;
    for (const DimFactors &dim : value)
      dims.push_back(printDim(dim, letters));
    texts.push_back("[" + llvm::join(dims, ",") + "]");
  }
  return "(" + llvm::join(texts, ",") + ")";
}

/// ` reduce(add)={k,l}` for the factors of one kind and combiner.
static std::string printGroup(const Rule &rule, FactorKind kind, Combiner combiner, FactorLetters &letters) {
  std::vector<std::string> members;
  for (auto [index, factor] : llvm::enumerate(rule.factors))
    if (factor.kind == kind && factor.combiner == combiner)
      members.push_back(letters.get(index));
  if (members.empty())
    return "";
  std::string head = getName(kind).str();
  if (combiner != Combiner::None)
    head += "(" + getName(combiner).str() + ")";
  return " " + head + "={" + llvm::join(members, ",") + "}";
}

/// ` halo(1,0)={h}`, ` moved(16)={a}`, ` prefix={a}`: for each text that `describe` gives, in order of the first factor
/// that has it.
static std::string printMarks(const Rule &rule, FactorLetters &letters,
                              llvm::function_ref<std::string(const Factor &)> describe) {
  std::vector<std::pair<std::string, std::string>> groups;
  for (auto [index, factor] : llvm::enumerate(rule.factors)) {
    std::string text = describe(factor);
    if (text.empty())
      continue;
    auto known = llvm::find_if(groups, [&](const auto &group) { return group.first == text; });
    if (known == groups.end())
      groups.emplace_back(text, letters.get(index));
    else
      known->second += "," + letters.get(index);
  }
  std::string result;
  for (const auto &[text, members] : groups)
    result += " " + text + "={" + members + "}";
  return result;
}

static std::string describeHalo(const Factor &factor) {
  if (factor.halo.isEmpty())
    return "";
  return "halo(" + std::to_string(factor.halo.low) + "," + std::to_string(factor.halo.high) + ")";
}

static std::string describeMove(const Factor &factor) {
  return factor.shift ? "moved(" + std::to_string(*factor.shift) + ")" : "";
}

static std::string describeReversal(const Factor &factor) { return factor.isReversed ? "reversed" : ""; }

static std::string describePrefix(const Factor &factor) { return factor.isPrefix ? "prefix" : ""; }

static constexpr Combiner combiners[] = {Combiner::Add, Combiner::Multiply, Combiner::Maximum, Combiner::Minimum,
                                         Combiner::And, Combiner::Or,       Combiner::Xor};

std::string printRule(const Rule &rule) {
  FactorLetters letters(rule.factors.size());
  std::string text = printValues(rule.operands, letters) + "->" + printValues(rule.results, letters);
  for (Combiner combiner : combiners)
    text += printGroup(rule, FactorKind::Reduce, combiner, letters);
  text += printGroup(rule, FactorKind::Replicate, Combiner::None, letters);
  text += printGroup(rule, FactorKind::Window, Combiner::None, letters);
  text += printGroup(rule, FactorKind::Fold, Combiner::None, letters);
  for (auto describe : {describeHalo, describeMove, describeReversal, describePrefix})
    text += printMarks(rule, letters, describe);
  return text;
}

//===----------------------------------------------------------------------===//
// Parse
//===----------------------------------------------------------------------===//

namespace {

class RuleParser {
public:
  RuleParser(llvm::StringRef text, const SourceLocation &location) : whole(text), rest(text), location(location) {}

  Result<Rule> run(llvm::ArrayRef<llvm::SmallVector<int64_t>> operandShapes,
                   llvm::ArrayRef<llvm::SmallVector<int64_t>> resultShapes, llvm::ArrayRef<int64_t> sizes);

private:
  bool parseValues(llvm::SmallVectorImpl<ValueFactors> &values);
  bool parseValue(ValueFactors &value);
  bool parseDim(DimFactors &dim);
  bool parseLetter(DimFactors &dim);
  bool parseGroups();
  bool parseGroup();
  bool parseGroupHead(Factor &head);
  bool parseHalo(Halo &halo);
  bool parseWidth(int64_t &width);
  bool parseShift(std::optional<int64_t> &shift);
  bool checkRanks(llvm::ArrayRef<ValueFactors> values, llvm::ArrayRef<llvm::SmallVector<int64_t>> shapes,
                  llvm::StringRef what);
  bool inferSizes(llvm::ArrayRef<llvm::SmallVector<int64_t>> operandShapes,
                  llvm::ArrayRef<llvm::SmallVector<int64_t>> resultShapes);
  bool inferDimSize(const DimFactors &dim, int64_t size, bool &changed);
  bool takeSizes(llvm::ArrayRef<int64_t> sizes);

  bool take(llvm::StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  bool expect(llvm::StringRef token) { return take(token) || fail("expected " + token.str()); }
  bool fail(const std::string &reason);

  llvm::StringRef whole;
  llvm::StringRef rest;
  SourceLocation location;
  Rule rule;
  llvm::StringMap<uint8_t> factorOf;
  std::optional<Error> error;
};

} // namespace

bool RuleParser::fail(const std::string &reason) {
  if (!error)
    error = Error::badInput(location, "the rule '" + whole.str() + "' is wrong at character " +
                                          std::to_string(whole.size() - rest.size() + 1) + ": " + reason)
                .withRemedy("write it as ([b,i,k],[b,k,j])->([b,i,j]) reduce(add)={k}");
  return false;
}

bool RuleParser::parseLetter(DimFactors &dim) {
  rest = rest.ltrim();
  if (rest.empty() || !llvm::isLower(rest.front()))
    return fail("expected a factor: a lower-case letter, or z and a number");
  size_t length = 1;
  while (rest.front() == 'z' && length < rest.size() && llvm::isDigit(rest[length]))
    ++length;
  auto [it, isNew] = factorOf.try_emplace(rest.take_front(length), 0);
  if (isNew) {
    if (rule.factors.size() + 1 >= UINT8_MAX)
      return fail("more than 254 factors");
    it->second = rule.addFactor(FactorKind::Parallel, -1);
  }
  dim.push_back(it->second);
  rest = rest.drop_front(length);
  return true;
}

bool RuleParser::parseDim(DimFactors &dim) {
  if (take("_"))
    return true;
  if (!take("("))
    return parseLetter(dim);
  while (!take(")"))
    if (!parseLetter(dim))
      return false;
  return true;
}

bool RuleParser::parseValue(ValueFactors &value) {
  if (!expect("["))
    return false;
  if (take("]"))
    return true;
  do {
    if (!parseDim(value.emplace_back()))
      return false;
  } while (take(","));
  return expect("]");
}

bool RuleParser::parseValues(llvm::SmallVectorImpl<ValueFactors> &values) {
  if (!expect("("))
    return false;
  if (take(")"))
    return true;
  do {
    if (!parseValue(values.emplace_back()))
      return false;
  } while (take(","));
  return expect(")");
}

bool RuleParser::parseWidth(int64_t &width) {
  rest = rest.ltrim();
  return !rest.consumeInteger(10, width) && width >= 0 ? true : fail("expected a number of rows");
}

bool RuleParser::parseHalo(Halo &halo) {
  return expect("(") && parseWidth(halo.low) && expect(",") && parseWidth(halo.high) && expect(")") &&
         (!halo.isEmpty() || fail("expected a number of rows above 0"));
}

bool RuleParser::parseShift(std::optional<int64_t> &shift) {
  int64_t rows = 0;
  if (!expect("("))
    return false;
  rest = rest.ltrim();
  if (rest.consumeInteger(10, rows))
    return fail("expected a number of rows, or one with a minus");
  shift = rows;
  return expect(")");
}

/// What the members of the group get: a kind with its combiner, or a mark of what is exchanged along them.
bool RuleParser::parseGroupHead(Factor &head) {
  for (FactorKind kind : {FactorKind::Replicate, FactorKind::Window, FactorKind::Fold})
    if (take(getName(kind))) {
      head.kind = kind;
      return true;
    }
  if (take("halo"))
    return parseHalo(head.halo);
  if (take("moved"))
    return parseShift(head.shift);
  if (take("reversed"))
    return head.isReversed = true;
  if (take("prefix"))
    return head.isPrefix = true;
  head.kind = FactorKind::Reduce;
  if (!take("reduce") || !take("("))
    return fail("expected reduce(...), replicate, window, fold, halo(...), moved(...), reversed or prefix");
  for (Combiner known : combiners)
    if (take(getName(known))) {
      head.combiner = known;
      return expect(")");
    }
  return fail("expected a combiner: add, multiply, maximum, minimum, and, or, xor");
}

bool RuleParser::parseGroup() {
  Factor head;
  if (!parseGroupHead(head) || !expect("=") || !expect("{"))
    return false;
  do {
    size_t known = rule.factors.size();
    DimFactors members;
    if (!parseLetter(members))
      return false;
    if (rule.factors.size() != known)
      return fail("this factor stands in no operand or result");
    Factor &factor = rule.factors[members.front()];
    if (head.isExchanged() && head.kind == FactorKind::Parallel) {
      factor.halo = head.halo.isEmpty() ? factor.halo : head.halo;
      factor.shift = head.shift ? head.shift : factor.shift;
      factor.isReversed |= head.isReversed;
      factor.isPrefix |= head.isPrefix;
      continue;
    }
    factor.kind = head.kind;
    factor.combiner = head.combiner;
  } while (take(","));
  return expect("}");
}

bool RuleParser::parseGroups() {
  rest = rest.ltrim();
  while (!rest.empty()) {
    if (!parseGroup())
      return false;
    rest = rest.ltrim();
  }
  return true;
}

bool RuleParser::checkRanks(llvm::ArrayRef<ValueFactors> values, llvm::ArrayRef<llvm::SmallVector<int64_t>> shapes,
                            llvm::StringRef what) {
  if (values.size() != shapes.size())
    return fail("it has " + std::to_string(values.size()) + " " + what.str() + "s, the op has " +
                std::to_string(shapes.size()));
  for (auto [index, value, shape] : llvm::enumerate(values, shapes))
    if (value.size() != shape.size())
      return fail(what.str() + " " + std::to_string(index) + " has " + std::to_string(shape.size()) +
                  " dims, the rule gives " + std::to_string(value.size()));
  return true;
}

/// A dim with one factor of unknown size gives that factor its size.
bool RuleParser::inferDimSize(const DimFactors &dim, int64_t size, bool &changed) {
  int64_t known = 1;
  Factor *unknown = nullptr;
  bool isWhole = false;
  for (uint8_t index : dim) {
    isWhole |= !rule.factors[index].isSplittable();
    Factor &factor = rule.factors[index];
    if (factor.size < 0 && (unknown == &factor || unknown))
      return true;
    if (factor.size < 0)
      unknown = &factor;
    else if (llvm::MulOverflow(known, factor.size, known))
      return fail("sizes of factors overflow");
  }
  if (!unknown) {
    // Sizes along a dim that stays whole may differ between operands and results.
    if (!dim.empty() && known != size && !isWhole)
      return fail("factors of a dim of size " + std::to_string(size) + " multiply to " + std::to_string(known));
    return true;
  }
  if (known == 0 ? size != 0 : size % known != 0)
    return fail("a dim of size " + std::to_string(size) + " does not divide by " + std::to_string(known));
  unknown->size = known == 0 ? 1 : size / known;
  changed = true;
  return true;
}

bool RuleParser::inferSizes(llvm::ArrayRef<llvm::SmallVector<int64_t>> operandShapes,
                            llvm::ArrayRef<llvm::SmallVector<int64_t>> resultShapes) {
  auto inferValues = [&](llvm::ArrayRef<ValueFactors> values, llvm::ArrayRef<llvm::SmallVector<int64_t>> shapes,
                         bool &changed) {
    for (auto [value, shape] : llvm::zip(values, shapes))
      for (auto [dim, size] : llvm::zip(value, shape))
        if (!inferDimSize(dim, size, changed))
          return false;
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    if (!inferValues(rule.operands, operandShapes, changed) || !inferValues(rule.results, resultShapes, changed))
      return false;
  }
  for (const Factor &factor : rule.factors)
    if (factor.size < 0)
      return fail("the size of a factor does not follow from the shapes");
  return true;
}

/// Sets sizes that are given, not inferred; verifyGraph compares them with the shapes.
bool RuleParser::takeSizes(llvm::ArrayRef<int64_t> sizes) {
  if (sizes.size() != rule.factors.size())
    return fail("it has " + std::to_string(rule.factors.size()) + " factors, but " + std::to_string(sizes.size()) +
                " sizes are given");
  for (auto [factor, size] : llvm::zip(rule.factors, sizes))
    factor.size = size;
  return true;
}

Result<Rule> RuleParser::run(llvm::ArrayRef<llvm::SmallVector<int64_t>> operandShapes,
                             llvm::ArrayRef<llvm::SmallVector<int64_t>> resultShapes, llvm::ArrayRef<int64_t> sizes) {
  bool ok = parseValues(rule.operands) && expect("->") && parseValues(rule.results) && parseGroups() &&
            checkRanks(rule.operands, operandShapes, "operand") && checkRanks(rule.results, resultShapes, "result") &&
            (sizes.empty() ? inferSizes(operandShapes, resultShapes) : takeSizes(sizes));
  if (!ok)
    return std::move(*error);
  return std::move(rule);
}

Result<Rule> parseRule(llvm::StringRef text, llvm::ArrayRef<llvm::SmallVector<int64_t>> operandShapes,
                       llvm::ArrayRef<llvm::SmallVector<int64_t>> resultShapes, const SourceLocation &location,
                       llvm::ArrayRef<int64_t> sizes) {
  return RuleParser(text, location).run(operandShapes, resultShapes, sizes);
}

} // namespace partita::graph
