//===- KernelCalls.cpp - custom calls of kernels whose meaning is known ---===//
//
// Facts about operands and configurations are those of JAX 0.7 to 0.12 (cuDNN,
// Mosaic) and Transformer Engine 2 (`te_fused_attn_*_ffi`).
//
//===----------------------------------------------------------------------===//

#include "partita/Program/Rules/KernelCalls.h"

#include "partita/Support/Json.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partita::program::rules {

using stablehlo::CustomCallOp;

//===----------------------------------------------------------------------===//
// Price
//===----------------------------------------------------------------------===//

/// Beyond any program; leaves room for sums.
static constexpr uint64_t maxFlops = INT64_MAX / 8;

int64_t KernelCall::countFlops() const {
  if (statedFlops)
    return *statedFlops;
  uint64_t flops = 2;
  auto multiply = [&](int64_t by) { flops = llvm::SaturatingMultiply(flops, static_cast<uint64_t>(by)); };
  for (int64_t size : {sizes.batch, sizes.heads, sizes.queries, sizes.width + sizes.valueWidth})
    multiply(size);
  multiply(window > 0 ? std::min(window, sizes.keys) : sizes.keys);
  flops = std::min(flops, maxFlops);
  if (isCausal && window == 0)
    flops /= 2;
  if (isBackward)
    flops = flops / 2 * 5;
  return static_cast<int64_t>(std::min(flops, maxFlops));
}

//===----------------------------------------------------------------------===//
// Configurations
//===----------------------------------------------------------------------===//

/// The configuration as JSON; null if it is none.
static JsonValue readConfig(CustomCallOp op) {
  auto text = dyn_cast_or_null<StringAttr>(op.getBackendConfigAttr());
  if (!text)
    return {};
  Result<JsonValue> value = parseJson(text.getValue(), "");
  return value ? std::move(*value) : JsonValue();
}

/// An integer, also one that is written as a string.
static std::optional<int64_t> readInteger(const JsonValue *value) {
  int64_t number = 0;
  if (value && value->kind == JsonValue::Kind::String && !StringRef(value->text).getAsInteger(10, number))
    return number;
  return value ? value->getInteger() : std::nullopt;
}

static std::optional<int64_t> readInteger(DictionaryAttr config, StringRef name) {
  auto attribute = config.getAs<IntegerAttr>(name);
  return attribute ? std::optional(attribute.getValue().getSExtValue()) : std::nullopt;
}

static bool isOfRank(Value value, size_t rank) {
  return isa<RankedTensorType>(value.getType()) && getShape(value).size() == rank;
}

//===----------------------------------------------------------------------===//
// cuDNN
//===----------------------------------------------------------------------===//

namespace {

struct CudnnVariant {
  bool isKnown = false, isBackward = false, hasBias = false, hasDropout = false, isFp8 = false;
};

} // namespace

static CudnnVariant findCudnnVariant(StringRef name) {
  using V = CudnnVariant;
  return llvm::StringSwitch<V>(name)
      .Case("__cudnn$fmhaSoftmax", V{true, false, false, false, false})
      .Case("__cudnn$fmhaScaleBiasSoftmax", V{true, false, true, false, false})
      .Case("__cudnn$fmhaSoftmaxDropout", V{true, false, false, true, false})
      .Case("__cudnn$fmhaScaleBiasSoftmaxDropout", V{true, false, true, true, false})
      .Case("__cudnn$fmhaSoftmaxF8", V{true, false, false, false, true})
      .Case("__cudnn$fmhaSoftmaxBackward", V{true, true, false, false, false})
      .Case("__cudnn$fmhaScaleBiasSoftmaxBackward", V{true, true, true, false, false})
      .Case("__cudnn$fmhaSoftmaxDropoutBackward", V{true, true, false, true, false})
      .Case("__cudnn$fmhaScaleBiasSoftmaxDropoutBackward", V{true, true, true, true, false})
      .Case("__cudnn$fmhaSoftmaxBackwardF8", V{true, true, false, false, true})
      .Default({});
}

/// Whether heads stand before the sequence in the operands: of the products that the configuration describes, the
/// batch dims of the keys tell.
static std::optional<bool> findHeadsFirst(const JsonValue &config, bool isBackward) {
  const JsonValue *product =
      config.find(isBackward ? "bmm1_grad_gemm2_dot_dimension_numbers" : "bmm1_dot_dimension_numbers");
  const JsonValue *dims = product ? product->find("rhs_batch_dimensions") : nullptr;
  if (!dims || dims->elements.size() != 2)
    return std::nullopt;
  std::optional<int64_t> dim = readInteger(&dims->elements[1]);
  return dim == 1 ? std::optional(true) : dim == 2 ? std::optional(false) : std::nullopt;
}

/// The labels of operands and results in the order in which JAX hands them over.
static void labelCudnn(KernelCall &call, const CudnnVariant &variant, CustomCallOp op, bool headsFirst, bool isPaged) {
  StringRef query = headsFirst ? "bn.." : "b.n.", key = headsFirst ? "bk.." : "b.k.";
  StringRef pages = headsFirst ? ".k.." : "..k.";
  call.operands = {query, isPaged ? pages : key, isPaged ? pages : key};
  if (variant.isBackward)
    call.operands.append({"bn.", query});
  if (variant.hasBias)
    call.operands.push_back("bn..");
  if (variant.isBackward)
    call.operands.push_back(query);
  // Lengths of the sequences, then page tables.
  for (size_t index = call.operands.size(); index < op->getNumOperands(); ++index)
    call.operands.push_back(getShape(op->getOperand(index)).size() == 4 ? "b..." : "b");
  // Results have the heads first. The last one is the workspace.
  call.results = variant.isBackward ? SmallVector<StringRef>{"bn..", "bk..", "bk..", "bn.."}
                                    : SmallVector<StringRef>{"bn..", "bn."};
  call.results.truncate(std::min<size_t>(call.results.size(), op->getNumResults() - 1));
}

static std::optional<KernelCall> readCudnn(CustomCallOp op) {
  CudnnVariant variant = findCudnnVariant(op.getCallTargetName());
  JsonValue json = readConfig(op);
  const JsonValue *config = json.find("cudnn_fmha_backend_config");
  if (!variant.isKnown || !config || op->getNumResults() < 2 ||
      op->getNumOperands() < (variant.isBackward ? 6u : 3u) + (variant.hasBias ? 1u : 0u) ||
      !llvm::all_of(op->getOperands().take_front(3), [](Value value) { return isOfRank(value, 4); }))
    return std::nullopt;
  std::optional<bool> headsFirst = findHeadsFirst(*config, variant.isBackward);
  if (!headsFirst)
    return std::nullopt;
  ArrayRef<int64_t> query = getShape(op->getOperand(0)), key = getShape(op->getOperand(1));
  ArrayRef<int64_t> value = getShape(op->getOperand(2));
  size_t head = *headsFirst ? 1 : 2, sequence = *headsFirst ? 2 : 1;
  KernelCall call;
  call.isBackward = variant.isBackward;
  call.sizes = {query[0], query[head], key[head], query[sequence], key[sequence], query[3], value[3]};
  const JsonValue *mask = config->find("mask_type"), *paged = config->find("is_paged_attention");
  call.isCausal = mask && StringRef(mask->text).contains("CAUSAL");
  call.window = readInteger(config->find("sliding_window_length")).value_or(0);
  bool isPaged = paged && paged->boolean;
  bool isPacked = readInteger(config->find("max_seg_per_batch")).value_or(1) > 1;
  if (isPaged)
    // Behind the lengths stand the tables, [batch, 1, pages of a sequence, 1].
    if (Value table = op->getOperands().back();
        !isOfRank(table, 4) || llvm::MulOverflow(call.sizes.keys, getShape(table)[2], call.sizes.keys))
      return std::nullopt;
  call.splitsBatch = call.splitsHeads = !variant.hasDropout && !variant.isFp8 && !isPacked;
  call.whole = variant.hasDropout ? "everything: the numbers of dropout depend on the whole's shape"
               : variant.isFp8    ? "everything: the largest values of the whole are results"
               : isPacked         ? "everything: packed sequences are numbered through the batch"
                                  : "all but batch and heads";
  if (call.splitsBatch)
    labelCudnn(call, variant, op, *headsFirst, isPaged);
  return call;
}

//===----------------------------------------------------------------------===//
// Transformer Engine
//===----------------------------------------------------------------------===//

/// Causal masks of NVTE_Mask_Type.
static bool isCausalMask(int64_t mask) { return mask >= 2 && mask <= 5; }

static DictionaryAttr getTypedConfig(CustomCallOp op) {
  auto config = dyn_cast_or_null<DictionaryAttr>(op.getBackendConfigAttr());
  return config ? config : op->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
}

/// Queries, keys and values of [batch, sequence, heads, width] without bias are split over heads. The batch stays
/// whole: the lengths are summed up through it.
static void labelTransformerEngine(KernelCall &call, bool hasOffset) {
  call.operands = {"..n.", "..k.", "..k."};
  call.results =
      call.isBackward ? SmallVector<StringRef>{"..n.", "..k.", "..k."} : SmallVector<StringRef>{"..n.", ".n.."};
  if (!call.isBackward)
    return;
  call.operands.append(hasOffset ? 2 : 1, "");
  // What softmax left, the state of the random numbers, the output and its gradient.
  call.operands.append({".n..", "", "..n.", "..n."});
}

static std::optional<KernelCall> readTransformerEngine(CustomCallOp op) {
  StringRef name = op.getCallTargetName();
  DictionaryAttr config = getTypedConfig(op);
  bool isBackward = name == "te_fused_attn_backward_ffi";
  if (!config || (!isBackward && name != "te_fused_attn_forward_ffi"))
    return std::nullopt;
  auto read = [&](StringRef key) { return readInteger(config, key); };
  std::optional<int64_t> width = read("head_dim") ? read("head_dim") : read("qk_head_dim");
  std::optional<int64_t> sizes[] = {read("input_batch"),  read("attn_heads"),    read("num_gqa_groups"),
                                    read("q_max_seqlen"), read("kv_max_seqlen"), width};
  // Attributes can hold what no tensor has.
  auto isSize = [](std::optional<int64_t> size) { return size && *size > 0 && *size <= UINT32_MAX; };
  std::optional<int64_t> left = read("window_size_left");
  int64_t valueWidth = read("v_head_dim").value_or(width.value_or(0));
  if (!llvm::all_of(sizes, isSize) || !isSize(valueWidth))
    return std::nullopt;
  KernelCall call;
  call.isBackward = isBackward;
  call.sizes = {*sizes[0], *sizes[1], *sizes[2], *sizes[3], *sizes[4], *width, valueWidth};
  call.isCausal = isCausalMask(read("mask_type").value_or(0));
  call.window = left && *left >= 0 && *left < *sizes[4] ? *left + 1 : 0;
  auto dropout = config.getAs<FloatAttr>("dropout_probability");
  bool isSeparate = op->getNumOperands() >= (isBackward ? 9u : 4u) && op->getNumResults() >= 3 &&
                    llvm::all_of(op->getOperands().take_front(3), [](Value value) { return isOfRank(value, 4); });
  call.splitsHeads = isSeparate && read("bias_heads") == 0 && dropout && dropout.getValue().isZero();
  call.whole = call.splitsHeads ? "all but heads: the lengths are summed up through the batch"
                                : "everything: packed operands, bias or dropout";
  if (call.splitsHeads)
    labelTransformerEngine(call, config.contains("softmax_type"));
  return call;
}

//===----------------------------------------------------------------------===//
// Mosaic
//===----------------------------------------------------------------------===//

/// Products of splash attention that a kernel of this name computes, of [queries, keys] each; 0 for other kernels.
static int64_t countSplashProducts(StringRef name) {
  if (!name.consume_front("splash_mha_") && !name.consume_front("splash_mqa_"))
    return 0;
  return name.starts_with("fwd") ? 2 : name.starts_with("dkv") ? 4 : name.starts_with("dq") ? 3 : 0;
}

/// Queries [.., heads, queries, width] and keys [.., keys, width] stand behind operands of integers. The mask is data,
/// so all of it counts.
static std::optional<int64_t> countSplashFlops(CustomCallOp op) {
  auto kernel = op->getAttrOfType<StringAttr>("kernel_name");
  int64_t products = kernel ? countSplashProducts(kernel.getValue()) : 0;
  auto isFloat = [](Value value) { return isa<FloatType>(getElementTypeOrSelf(value.getType())); };
  auto query = llvm::find_if(op->getOperands(), isFloat);
  if (products == 0 || query == op->operand_end() || std::next(query) == op->operand_end())
    return std::nullopt;
  ArrayRef<int64_t> queries = getShape(*query), keys = getShape(*std::next(query));
  if (queries.size() < 3 || keys.size() < 2)
    return std::nullopt;
  uint64_t flops = 2 * products;
  for (int64_t size : queries)
    flops = llvm::SaturatingMultiply(flops, static_cast<uint64_t>(size));
  flops = llvm::SaturatingMultiply(flops, static_cast<uint64_t>(keys[keys.size() - 2]));
  return static_cast<int64_t>(std::min(flops, maxFlops));
}

/// A kernel's code is compiled for its shapes, so all of it stays whole. Its price is what its author says, or that of
/// splash attention.
static std::optional<KernelCall> readMosaic(CustomCallOp op) {
  JsonValue json = readConfig(op);
  const JsonValue *config = json.find("custom_call_config");
  const JsonValue *estimate = config ? config->find("cost_estimate") : nullptr;
  KernelCall call;
  call.statedFlops = estimate ? readInteger(estimate->find("flops")) : std::nullopt;
  if (!call.statedFlops || *call.statedFlops < 0)
    call.statedFlops = countSplashFlops(op);
  if (!call.statedFlops)
    return std::nullopt;
  call.statedFlops = std::min<int64_t>(*call.statedFlops, maxFlops);
  call.whole = "everything: a kernel compiled for these shapes";
  return call;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {

struct KernelFamily {
  llvm::StringLiteral prefix;
  std::optional<KernelCall> (*read)(CustomCallOp op);
};

} // namespace

static constexpr KernelFamily families[] = {
    {"__cudnn$fmha", readCudnn},
    {"te_fused_attn_", readTransformerEngine},
    {"tpu_custom_call", readMosaic},
};

std::optional<KernelCall> findKernelCall(CustomCallOp op) {
  for (const KernelFamily &family : families)
    if (op.getCallTargetName().starts_with(family.prefix))
      return family.read(op);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rule
//===----------------------------------------------------------------------===//

namespace {

/// Puts the factors of labels on the dims of values. Query heads are groups of those that share keys: (hg).
class LabelReader {
public:
  LabelReader(Rule &rule, const KernelCall &call) : rule(rule) {
    const AttentionSizes &sizes = call.sizes;
    auto add = [&](bool splits, int64_t size) {
      return size <= 1 ? noFactor : rule.addFactor(splits ? FactorKind::Parallel : FactorKind::Replicate, size);
    };
    batch = add(call.splitsBatch, sizes.batch);
    keyHead = add(call.splitsHeads, sizes.keyHeads);
    // The gradient of keys is a sum over the queries' heads that share them.
    group = add(call.splitsHeads && !call.isBackward, sizes.heads / sizes.keyHeads);
  }

  bool put(ValueFactors &factors, Value value, StringRef labels, bool isNeededResult) {
    ArrayRef<int64_t> shape = getShape(value);
    if (labels.empty())
      return true;
    if (shape.size() != labels.size())
      return false;
    return llvm::all_of(llvm::enumerate(labels), [&](auto entry) {
      return putDim(factors[entry.index()], shape[entry.index()], entry.value(), isNeededResult);
    });
  }

private:
  static constexpr uint8_t noFactor = UINT8_MAX;

  bool putDim(DimFactors &dim, int64_t size, char label, bool isNeededResult) {
    if (label == '.')
      return true;
    DimFactors factors;
    for (uint8_t factor : label == 'b'   ? DimFactors{batch}
                          : label == 'k' ? DimFactors{keyHead}
                                         : DimFactors{keyHead, group})
      if (factor != noFactor)
        factors.push_back(factor);
    int64_t whole = 1;
    for (uint8_t factor : factors)
      whole *= rule.factors[factor].size;
    if (size == whole) {
      dim = factors;
      return true;
    }
    // The gradient of a bias that is the same along a dim is a sum over all of it.
    if (isNeededResult)
      for (uint8_t factor : factors)
        rule.factors[factor].kind = FactorKind::Replicate;
    return size == 1;
  }

  Rule &rule;
  uint8_t batch = noFactor, keyHead = noFactor, group = noFactor;
};

} // namespace

std::optional<OpRule> makeKernelRule(CustomCallOp op, const KernelCall &call) {
  OpRule result = makeRule(op);
  result.whole = call.whole.str();
  result.flops = call.countFlops();
  result.isUnknown = !call.splitsBatch && !call.splitsHeads;
  const AttentionSizes &sizes = call.sizes;
  if (call.splitsBatch || call.splitsHeads) {
    if (sizes.keyHeads < 1 || sizes.heads % sizes.keyHeads != 0)
      return std::nullopt;
    LabelReader reader(result.rule, call);
    for (auto [index, labels] : llvm::enumerate(call.operands))
      if (!reader.put(result.rule.operands[index], op->getOperand(index), labels, false))
        return std::nullopt;
    for (auto [index, labels] : llvm::enumerate(call.results))
      if (OpResult value = op->getResult(index);
          !reader.put(result.rule.results[index], value, labels, !value.use_empty()))
        return std::nullopt;
  }
  keepRestWhole(op, result);
  return result;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// The configuration with other sizes in `"dimensions": ["8", "16", "512", "512"]`: batch, heads, queries, keys.
static std::string replaceDimensions(StringRef config, int64_t batch, int64_t heads) {
  size_t key = config.find("\"dimensions\"");
  size_t begin = config.find('[', key), end = config.find(']', begin);
  SmallVector<StringRef> sizes;
  if (key == StringRef::npos || end == StringRef::npos)
    return config.str();
  config.slice(begin + 1, end).split(sizes, ',');
  if (sizes.size() != 4)
    return config.str();
  std::string local = ("\"" + Twine(batch) + "\", \"" + Twine(heads) + "\"," + sizes[2] + "," + sizes[3]).str();
  return (config.take_front(begin + 1) + local + config.drop_front(end)).str();
}

static DictionaryAttr replaceHeads(DictionaryAttr config, int64_t heads, int64_t keyHeads) {
  NamedAttrList attributes(config);
  auto set = [&](StringRef name, int64_t size) {
    if (auto old = config.getAs<IntegerAttr>(name))
      attributes.set(name, IntegerAttr::get(old.getType(), size));
  };
  set("attn_heads", heads);
  set("num_gqa_groups", keyHeads);
  return attributes.getDictionary(config.getContext());
}

void adaptKernelSizes(CustomCallOp piece, const KernelCall &whole) {
  if (whole.operands.size() < 2)
    return;
  auto sizeOf = [&](unsigned operand, char label, int64_t otherwise) {
    size_t dim = whole.operands[operand].find(label);
    return dim == StringRef::npos ? otherwise : getShape(piece->getOperand(operand))[dim];
  };
  int64_t batch = sizeOf(0, 'b', whole.sizes.batch), heads = sizeOf(0, 'n', whole.sizes.heads);
  int64_t keyHeads = sizeOf(1, 'k', whole.sizes.keyHeads);
  if (auto text = dyn_cast_or_null<StringAttr>(piece.getBackendConfigAttr())) {
    piece.setBackendConfigAttr(StringAttr::get(piece.getContext(), replaceDimensions(text.getValue(), batch, heads)));
    return;
  }
  DictionaryAttr typed = getTypedConfig(piece);
  if (!typed)
    return;
  DictionaryAttr local = replaceHeads(typed, heads, keyHeads);
  if (piece.getBackendConfigAttr())
    piece.setBackendConfigAttr(local);
  else
    piece->setAttr("mhlo.backend_config", local);
}

} // namespace partita::program::rules
