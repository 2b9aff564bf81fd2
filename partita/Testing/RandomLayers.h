//===- RandomLayers.h - training steps of random layers, for tests --------===//
//
// A stack of unrolled layers between an embedding and a loss. One or several
// kinds of layers alternate; each is a random list of contractions, reshapes,
// biases, attention, sums and loops on a residual stream. Then come gradients in
// the opposite order, perhaps of recomputed layers, and updates with a moment for
// each parameter, layers in any order. The programs compute nothing sensible. The
// same seed gives the same program.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TESTING_RANDOMLAYERS_H
#define PARTITA_TESTING_RANDOMLAYERS_H

#include "partita/Testing/RandomGraph.h"
#include "partita/Testing/Rooms.h"
#include "partita/Testing/TestProgram.h"

namespace partita::fixtures {

struct RandomLayersOptions {
  /// The number of periods, the kinds of layers in a period, and whether the first and the last layer have an extra op.
  uint32_t numPeriods = 6;
  uint32_t period = 1;
  bool hasEnds = false;
  /// Layers are recomputed for their gradients (rematerialization).
  bool isRematted = false;
  /// The mask has a gradient too, to which each layer adds.
  bool hasSharedGradient = false;
};

class RandomLayers {
public:
  RandomLayers(uint64_t seed, const RandomLayersOptions &options) : options(options), random(seed), program("x=2") {}

  Graph build() {
    for (uint32_t kind = 0; kind < options.period; ++kind)
      recipes.push_back(drawRecipe());
    CellId tokens = program.argument({batch, sequence, width});
    CellId embed = program.argument({width, width});
    mask = program.elementwise({program.argument({batch, sequence, sequence})});
    x = contract(tokens, embed, {batch, sequence, width}, "([b,s,d],[d,f])->([b,s,f]) reduce(add)={d}");
    addForward();
    CellId loss = program.op({x}, {}, "([a,b,c])->([]) reduce(add)={a,b,c}");
    program.result(loss);
    setPhase(Phase::Forward);
    addBackward(loss);
    setPhase(Phase::Backward);
    addUpdates();
    setPhase(Phase::Update);
    setClasses();
    if (random.chance(50))
      program.getGraph().donated = program.getGraph().arguments;
    return program.getGraph();
  }

private:
  enum class Step : uint8_t { Contract, Bias, Attention, Heads, Loop, Elementwise, Masked };
  static constexpr int64_t batch = 4, sequence = 8, width = 16, heads = 4;

  /// The values that a layer keeps for its gradients.
  struct Parameter {
    CellId weight, moment, gradient;
    CellId input;
    Step step;
  };
  struct Layer {
    CellId input;
    uint32_t kind = 0;
    std::vector<Parameter> parameters;
    /// Of those that are used again, the next one.
    size_t next = 0;
    bool isAgain = false;
  };

  std::vector<Step> drawRecipe() {
    std::vector<Step> recipe{Step::Contract};
    for (uint32_t i = 0; i < 1 + random.below(4); ++i)
      recipe.push_back(static_cast<Step>(random.below(7)));
    random.shuffle(recipe);
    return recipe;
  }

  CellId contract(CellId a, CellId b, llvm::ArrayRef<int64_t> shape, llvm::StringRef rule) {
    CellId made = program.op({a, b}, shape, rule);
    Op &op = program.getGraph().ops[OpId(program.getGraph().ops.size() - 1)];
    op.opClass = OpClass::Contraction;
    op.flops = 1 << 20;
    return made;
  }

  void setPhase(Phase phase) {
    Graph &graph = program.getGraph();
    for (; nextOp < graph.ops.size(); ++nextOp)
      graph.ops[OpId(nextOp)].phase = phase;
  }

  /// What fuses and what does not.
  void setClasses() {
    Graph &graph = program.getGraph();
    for (OpId id : idRange<OpId>(graph.ops.size())) {
      Op &op = graph.ops[id];
      auto isReduced = [](const Factor &factor) { return factor.kind == FactorKind::Reduce; };
      if (op.opClass == OpClass::Contraction)
        continue;
      if (op.role != IdentityRole::None)
        op.opClass = OpClass::Identity;
      else if (llvm::any_of(graph.getFactors(id), isReduced))
        op.opClass = OpClass::Reduction;
      else if (op.numUses == 1 && graph.getShape(graph.getOperands(id)[0]) != graph.getShape(graph.getResults(id)[0]))
        op.opClass = OpClass::Movement;
      else
        op.opClass = OpClass::Elementwise;
    }
  }

  CellId addParameter(Layer &layer, Step step, CellId input, llvm::ArrayRef<int64_t> shape) {
    if (layer.isAgain) {
      Parameter &parameter = layer.parameters[layer.next++];
      parameter.input = input;
      return parameter.weight;
    }
    CellId weight = program.argument(shape), moment = program.argument(shape);
    layer.parameters.push_back({weight, moment, CellId(), input, step});
    return weight;
  }

  CellId addAttention(CellId h) {
    CellId scores = contract(h, h, {batch, sequence, sequence}, "([b,s,d],[b,t,d])->([b,s,t]) reduce(add)={d}");
    scores = program.elementwise({scores, mask});
    return contract(scores, h, {batch, sequence, width}, "([b,s,t],[b,t,d])->([b,s,d]) reduce(add)={t}");
  }

  CellId addStep(Layer &layer, Step step, CellId h) {
    switch (step) {
    case Step::Contract: {
      CellId weight = addParameter(layer, step, h, {width, width});
      return contract(h, weight, {batch, sequence, width}, "([b,s,d],[d,f])->([b,s,f]) reduce(add)={d}");
    }
    case Step::Bias: {
      CellId weight = addParameter(layer, step, h, {width});
      return program.elementwise({h, program.op({weight}, {batch, sequence, width}, "([d])->([b,s,d])")});
    }
    case Step::Attention:
      return addAttention(h);
    case Step::Heads: {
      CellId split = program.op({h}, {batch, sequence, heads, width / heads}, "([b,s,(hk)])->([b,s,h,k])");
      split = program.elementwise({split});
      return program.op({split}, {batch, sequence, width}, "([b,s,h,k])->([b,s,(hk)])");
    }
    case Step::Loop: {
      CellId carried = program.beginLoop(h);
      program.endLoop(carried, program.elementwise({carried, h}));
      return program.elementwise({carried});
    }
    case Step::Elementwise:
      return program.elementwise({h, program.zeros({batch, sequence, width})});
    case Step::Masked:
      return contract(mask, h, {batch, sequence, width}, "([b,s,t],[b,t,d])->([b,s,d]) reduce(add)={t}");
    }
    return h;
  }

  CellId addSteps(Layer &layer, CellId from) {
    CellId h = program.elementwise({from});
    for (Step step : recipes[layer.kind])
      h = addStep(layer, step, h);
    return h;
  }

  void addForward() {
    uint32_t numLayers = options.numPeriods * options.period;
    for (uint32_t number = 0; number < numLayers; ++number) {
      Layer layer;
      layer.input = x;
      layer.kind = number % options.period;
      CellId h = addSteps(layer, x);
      if (options.hasEnds && (number == 0 || number + 1 == numLayers))
        h = program.op({h}, {batch, sequence, width}, "([a,b,c])->([a,b,c])");
      x = program.add(x, h);
      layers.push_back(std::move(layer));
    }
  }

  void addBackward(CellId loss) {
    CellId g = program.op({loss}, {batch, sequence, width}, "([])->([b,s,d])"), sum;
    for (Layer &layer : llvm::reverse(layers)) {
      CellId dh = program.elementwise({g});
      if (options.isRematted) {
        layer.isAgain = true;
        CellId again = addSteps(layer, program.op({layer.input}, {batch, sequence, width}, "([a,b,c])->([a,b,c])"));
        dh = program.elementwise({dh, again});
      }
      if (options.hasSharedGradient) {
        CellId part = contract(dh, dh, {batch, sequence, sequence}, "([b,s,d],[b,t,d])->([b,s,t]) reduce(add)={d}");
        part = program.elementwise({part});
        sum = sum.isValid() ? program.add(sum, part) : part;
      }
      for (Parameter &parameter : llvm::reverse(layer.parameters)) {
        if (parameter.step == Step::Bias) {
          parameter.gradient = program.op({dh}, {width}, "([b,s,d])->([d]) reduce(add)={b,s}");
          continue;
        }
        parameter.gradient =
            contract(parameter.input, dh, {width, width}, "([b,s,d],[b,s,f])->([d,f]) reduce(add)={b,s}");
        dh = contract(dh, parameter.weight, {batch, sequence, width}, "([b,s,f],[d,f])->([b,s,d]) reduce(add)={f}");
      }
      g = program.add(g, dh);
    }
    if (sum.isValid())
      program.result(sum);
  }

  void addUpdates() {
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < layers.size(); ++i)
      order.push_back(i);
    random.shuffle(order);
    for (uint32_t number : order)
      for (const Parameter &parameter : layers[number].parameters) {
        CellId moment = program.add(parameter.moment, parameter.gradient);
        CellId weight = program.elementwise({parameter.weight, moment});
        program.tie(parameter.moment, program.result(moment));
        program.tie(parameter.weight, program.result(weight));
      }
  }

  RandomLayersOptions options;
  RandomNumbers random;
  TestProgram program;
  std::vector<std::vector<Step>> recipes;
  std::vector<Layer> layers;
  CellId x, mask;
  uint32_t nextOp = 0;
};

} // namespace partita::fixtures

#endif
