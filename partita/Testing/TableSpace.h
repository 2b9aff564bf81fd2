//===- TableSpace.h - a search space without a program, for tests ---------===//
//
// Moves compete for a few slots: a move sets those of its slots that are still
// free, each to a value; pairs of slots with certain values have costs or
// savings. So the order of moves matters, moves may do nothing, several lists may
// lead to the same state, and moves that are best alone need not be best
// together.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TESTING_TABLESPACE_H
#define PARTITA_TESTING_TABLESPACE_H

#include "partita/Search/Space.h"
#include "partita/Support/Hash.h"
#include "partita/Testing/Rooms.h"

#include <cmath>
#include <vector>

namespace partita::fixtures {

class TableSpace : public Space {
public:
  TableSpace(uint64_t seed, uint32_t numMoves, uint32_t numSlots) : seed(seed), numSlots(numSlots) {
    for (uint32_t move = 0; move < numMoves; ++move) {
      std::vector<uint8_t> takes(numSlots, 0);
      for (uint32_t slot = 0; slot < numSlots; ++slot)
        if (draw(move, slot, 1) % 3 == 0)
          takes[slot] = 1 + draw(move, slot, 2) % 3;
      moves.push_back(takes);
    }
  }

  uint32_t getNumMoves() const override { return static_cast<uint32_t>(moves.size()); }
  size_t getNumOps() const override { return moves.size(); }
  double getReward(const Rating &rating) const override { return -std::log(double(rating.parts[0])); }
  double getBlend(const Rating &rating, double) const override { return double(rating.parts[0]); }
  std::unique_ptr<Walker> makeWalker() const override { return std::make_unique<TableWalker>(*this); }

  Evaluated evaluate(llvm::ArrayRef<MoveId> list) const {
    std::vector<uint8_t> state(numSlots, 0);
    Evaluated result;
    for (size_t i = 0; i < list.size(); ++i)
      for (uint32_t slot = 0; slot < numSlots; ++slot)
        if (uint8_t value = moves[list[i].get()][slot]; value != 0 && state[slot] == 0) {
          state[slot] = value;
          result.effective |= uint64_t(1) << i;
        }
    int64_t cost = 1'000'000;
    uint64_t key = 1;
    for (uint32_t slot = 0; slot < numSlots; ++slot) {
      key = mixHash(key * 31 + state[slot]);
      cost += int64_t(draw(slot, state[slot], 3) % 100'000);
      for (uint32_t other = 0; other < slot; ++other)
        cost += int64_t(draw(slot * 64 + other, state[slot] * 8 + state[other], 4) % 60'000);
    }
    result.rating.parts = {cost, 0, 0, 0};
    result.state = key;
    return result;
  }

private:
  class TableWalker : public Walker {
  public:
    explicit TableWalker(const TableSpace &space) : space(space) {}
    Evaluated evaluate(llvm::ArrayRef<MoveId> list) override { return space.evaluate(list); }
    /// Proposes every third move, good or bad: searches must find the others too.
    std::vector<MoveId> propose() override {
      std::vector<MoveId> list;
      for (uint32_t move = 0; move < space.getNumMoves(); move += 3)
        list.push_back(MoveId(move));
      return list;
    }

  private:
    const TableSpace &space;
  };

  uint64_t draw(uint64_t a, uint64_t b, uint64_t c) const { return mixHash(mixHash(mixHash(seed + a) + b) + c); }

  uint64_t seed;
  uint32_t numSlots;
  std::vector<std::vector<uint8_t>> moves;
};

} // namespace partita::fixtures

#endif
