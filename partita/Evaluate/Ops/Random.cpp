//===- Random.cpp - random bits -------------------------------------------===//
//
// The counter-based generators of Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3" (SC 2011): a block cipher encrypts a counter under a key.
// The state of `rng_bit_generator` is the key and the counter; the words of the
// ciphertexts are laid out over the result as in XLA, so that bits are equal.
//
//   THREE_FRY  state [key, counter]; two words for each counter
//   PHILOX     state [key, counter] or [key, low, high]; four words for each counter
//
// Elements of less than 32 bits take the lower bits of a word, elements of 64
// bits take two.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/LinalgOps.h"
#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/FloatFormat.h"
#include "partita/Evaluate/Ops/Strided.h"

#include "llvm/ADT/bit.h"

#include <array>

using namespace mlir;

namespace partita::evaluate {

static uint32_t getLow(uint64_t value) { return static_cast<uint32_t>(value); }
static uint32_t getHigh(uint64_t value) { return static_cast<uint32_t>(value >> 32); }
static uint64_t joinWords(uint32_t low, uint32_t high) { return low | static_cast<uint64_t>(high) << 32; }

//===----------------------------------------------------------------------===//
// Threefry-2x32, 20 rounds
//===----------------------------------------------------------------------===//

/// The words of the result are its lower and upper half.
static uint64_t encryptThreeFry(uint64_t counter, uint64_t key) {
  static constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  static constexpr uint32_t parity = 0x1BD11BDA;
  const uint32_t keys[3] = {getLow(key), getHigh(key), parity ^ getLow(key) ^ getHigh(key)};
  uint32_t x = getLow(counter) + keys[0], y = getHigh(counter) + keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : rotations[group % 2]) {
      x += y;
      y = llvm::rotl(y, rotation) ^ x;
    }
    x += keys[(group + 1) % 3];
    y += keys[(group + 2) % 3] + group + 1;
  }
  return joinWords(x, y);
}

/// The dim along which both words of a counter lie side by side: the first even one, or else the largest.
static int64_t getPairedDim(ArrayRef<int64_t> shape) {
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size % 2 == 0)
      return dim;
  return std::max_element(shape.begin(), shape.end()) - shape.begin();
}

/// Counters for 32-bit words: row-major over the shape with its paired dim halved.
static uint64_t fillThreeFry32(MutableArrayRef<uint64_t> bits, ArrayRef<int64_t> shape, uint64_t key,
                               uint64_t counter) {
  SmallVector<int64_t> halfShape(shape);
  int64_t paired = shape.empty() ? 0 : getPairedDim(shape);
  if (shape.empty())
    halfShape.push_back(1);
  else
    halfShape[paired] = llvm::divideCeil(shape[paired], 2);
  SmallVector<int64_t> strides = computeStrides(halfShape);
  size_t at = 0;
  for (BoxWalk walk(shape, {}); walk.isInside(); walk.next()) {
    uint64_t offset = 0;
    bool isSecond = false;
    for (auto [dim, index] : llvm::enumerate(walk.getIndex())) {
      bool isPaired = static_cast<int64_t>(dim) == paired;
      offset += (isPaired ? index / 2 : index) * strides[dim];
      isSecond |= isPaired && index % 2 == 1;
    }
    uint64_t words = encryptThreeFry(counter + offset, key);
    bits[at++] = isSecond ? getHigh(words) : getLow(words);
  }
  int64_t used = 1;
  for (int64_t size : halfShape)
    used *= size;
  return counter + used;
}

static uint64_t fillThreeFry64(MutableArrayRef<uint64_t> bits, uint64_t key, uint64_t counter) {
  for (uint64_t &element : bits)
    element = encryptThreeFry(counter++, key);
  return counter;
}

//===----------------------------------------------------------------------===//
// Philox-4x32, 10 rounds
//===----------------------------------------------------------------------===//

namespace {

/// A counter of 128 bits.
struct WideCounter {
  uint64_t low, high;

  void increment() {
    if (++low == 0)
      ++high;
  }
};

} // namespace

static std::array<uint32_t, 4> encryptPhilox(WideCounter counter, uint64_t key) {
  static constexpr uint64_t multipliers[2] = {0xD2511F53, 0xCD9E8D57};
  static constexpr uint32_t keySteps[2] = {0x9E3779B9, 0xBB67AE85};
  std::array<uint32_t, 4> x = {getLow(counter.low), getHigh(counter.low), getLow(counter.high), getHigh(counter.high)};
  uint32_t keyLow = getLow(key), keyHigh = getHigh(key);
  for (int round = 0; round < 10; ++round) {
    uint64_t first = x[0] * multipliers[0], second = x[2] * multipliers[1];
    x = {getHigh(second) ^ x[1] ^ keyLow, getLow(second), getHigh(first) ^ x[3] ^ keyHigh, getLow(first)};
    keyLow += keySteps[0];
    keyHigh += keySteps[1];
  }
  return x;
}

/// Gives all elements their words, four for each counter; an element has one word, or two.
static WideCounter fillPhilox(MutableArrayRef<uint64_t> bits, bool isWide, uint64_t key, WideCounter counter) {
  size_t perBlock = isWide ? 2 : 4;
  for (size_t begin = 0; begin < bits.size(); begin += perBlock) {
    std::array<uint32_t, 4> words = encryptPhilox(counter, key);
    for (size_t i = 0; i < perBlock && begin + i < bits.size(); ++i)
      bits[begin + i] = isWide ? joinWords(words[2 * i], words[2 * i + 1]) : words[i];
    counter.increment();
  }
  return counter;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Bits for `type`, and the state after them.
static std::vector<uint64_t> generateBits(stablehlo::RngAlgorithm algorithm, RankedTensorType type,
                                          MutableArrayRef<uint64_t> state) {
  std::vector<uint64_t> bits(type.getNumElements());
  bool isWide = type.getElementTypeBitWidth() == 64;
  if (algorithm == stablehlo::RngAlgorithm::THREE_FRY) {
    state[1] =
        isWide ? fillThreeFry64(bits, state[0], state[1]) : fillThreeFry32(bits, type.getShape(), state[0], state[1]);
    return bits;
  }
  // Without a word for the upper half of the counter, the key is there too.
  WideCounter counter{state[1], state.size() > 2 ? state[2] : state[0]};
  counter = fillPhilox(bits, isWide, state[0], counter);
  state[1] = counter.low;
  if (state.size() > 2)
    state[2] = counter.high;
  return bits;
}

/// The lower bits of each number as an element of `type`. In exact mode a float is its bits.
static Tensor toElements(ArrayRef<uint64_t> bits, RankedTensorType type, Mode mode) {
  Tensor result(type, mode);
  auto assign = [&]<typename T>(T *, auto convert) {
    for (auto [element, value] : llvm::zip_equal(result.edit<T>(), bits))
      element = convert(value);
  };
  unsigned width = type.getElementTypeBitWidth();
  switch (result.getKind()) {
  case StorageKind::Signed:
    assign(static_cast<int64_t *>(nullptr), [&](uint64_t value) { return wrapSigned(value, width); });
    break;
  case StorageKind::Float:
    assign(static_cast<float *>(nullptr), [&, format = FloatFormat(type.getElementType())](uint64_t value) {
      return format.decode(static_cast<uint32_t>(wrapUnsigned(value, width)));
    });
    break;
  case StorageKind::Double:
    assign(static_cast<double *>(nullptr), [](uint64_t value) { return llvm::bit_cast<double>(value); });
    break;
  default:
    assign(static_cast<uint64_t *>(nullptr), [&](uint64_t value) { return wrapUnsigned(value, width); });
  }
  return result;
}

static Status evaluateRngBitGenerator(stablehlo::RngBitGeneratorOp op, Call &call) {
  Tensor state = std::move(call.operands[0]);
  RankedTensorType type = resultType(op, 1);
  bool isState =
      state.getElementType().isUnsignedInteger(64) && state.getRank() == 1 && resultType(op, 0) == state.getType();
  // The default on CPU, and on GPU too.
  stablehlo::RngAlgorithm algorithm =
      op.getRngAlgorithm() == stablehlo::RngAlgorithm::DEFAULT ? stablehlo::RngAlgorithm::PHILOX : op.getRngAlgorithm();
  bool mayHaveThree = algorithm == stablehlo::RngAlgorithm::PHILOX;
  bool isKnownSize = state.size() == 2 || (mayHaveThree && state.size() == 3);
  if (!isState || !isKnownSize)
    return Error::unsupported({}, "rng_bit_generator has a state that its algorithm does not know")
        .withRemedy("give THREE_FRY a tensor<2xui64>, PHILOX a tensor<2xui64> or tensor<3xui64>");
  std::vector<uint64_t> bits = generateBits(algorithm, type, state.edit<uint64_t>());
  call.results.push_back(std::move(state));
  call.results.push_back(toElements(bits, type, call.mode));
  return std::nullopt;
}

/// Draws from a hidden state.
static Status evaluateRng(stablehlo::RngOp op, Call &call) {
  return Error::unsupported({}, "rng is different in every run, so that there is no result to refer to")
      .withRemedy("use rng_bit_generator with a state of your own");
}

void registerRandom(OpTable &table) {
  table.add<stablehlo::RngBitGeneratorOp, evaluateRngBitGenerator>();
  table.add<stablehlo::RngOp, evaluateRng>();
}

} // namespace partita::evaluate
