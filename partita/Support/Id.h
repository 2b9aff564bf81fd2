//===- Id.h - typed indices -----------------------------------------------===//
//
// An index that the compiler does not let you mix up with an index of another
// kind.
//
//   struct CellTag; using CellId = Id<CellTag>;
//   IdVector<CellId, int64_t> bytes;   // indexed by CellId only
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_ID_H
#define PARTITA_SUPPORT_ID_H

#include <cassert>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace partita {

/// An index into the arrays of one kind of thing. Default-constructed it is invalid.
template <typename Tag> class Id {
public:
  constexpr Id() = default;
  constexpr explicit Id(uint32_t index) : index(index) {}

  constexpr bool isValid() const { return index != none; }
  constexpr uint32_t get() const { return index; }
  constexpr auto operator<=>(const Id &) const = default;

private:
  static constexpr uint32_t none = UINT32_MAX;
  uint32_t index = none;
};

/// A vector that only one kind of id can index.
template <typename IdT, typename T> class IdVector {
public:
  IdVector() = default;
  explicit IdVector(size_t size, const T &value = T()) : values(size, value) {}

  decltype(auto) operator[](IdT id) { return values[id.get()]; }
  decltype(auto) operator[](IdT id) const { return values[id.get()]; }

  IdT push_back(T value) {
    values.push_back(std::move(value));
    return IdT(static_cast<uint32_t>(values.size() - 1));
  }
  size_t size() const { return values.size(); }
  bool empty() const { return values.empty(); }
  void reserve(size_t size) { values.reserve(size); }
  void resize(size_t size, const T &value = T()) { values.resize(size, value); }
  const std::vector<T> &raw() const { return values; }
  bool operator==(const IdVector &) const = default;

private:
  std::vector<T> values;
};

/// Half-open range of ids, for loops: `for (CellId cell : idRange<CellId>(graph.numCells()))`.
template <typename IdT> class IdRange {
public:
  class Iterator {
  public:
    explicit Iterator(uint32_t index) : index(index) {}
    IdT operator*() const { return IdT(index); }
    Iterator &operator++() {
      ++index;
      return *this;
    }
    bool operator!=(const Iterator &other) const { return index != other.index; }

  private:
    uint32_t index;
  };

  IdRange(uint32_t first, uint32_t last) : first(first), last(last) {}
  Iterator begin() const { return Iterator(first); }
  Iterator end() const { return Iterator(last); }
  uint32_t size() const { return last - first; }
  bool empty() const { return first == last; }

private:
  uint32_t first;
  uint32_t last;
};

template <typename IdT> IdRange<IdT> idRange(size_t size) { return {0, static_cast<uint32_t>(size)}; }

} // namespace partita

#endif
