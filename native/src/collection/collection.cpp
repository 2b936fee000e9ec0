#include "graphedx/collection/collection.hpp"

#include <algorithm>
#include <stdexcept>

namespace graphedx {

namespace {

void check_ends(const Collection::Column<std::int64_t>& ends, std::size_t size) {
  std::int64_t before = 0;
  bool sorted = true;
  for (std::size_t k = 0; k < ends.size; ++k) {
    sorted &= ends.data[k] >= before;
    before = ends.data[k];
  }
  if (!sorted || before < 0 || static_cast<std::size_t>(before) != size)
    throw std::invalid_argument("the columns of a collection do not fit together");
}

}  // namespace

void Collection::check() const {
  check_ends(graph_ends, graph_bytes.size);
  check_ends(star_ends, star_bytes.size);
  check_ends(counted_ends, counted_stars.size);
  if (counted_ends.size != graph_ends.size || star_counts.size != counted_stars.size)
    throw std::invalid_argument("the columns of a collection do not fit together");
  std::uint32_t most = 0;
  for (std::size_t k = 0; k < counted_stars.size; ++k) most = std::max(most, counted_stars.data[k]);
  if (counted_stars.size > 0 && most >= stars())
    throw std::invalid_argument("the columns of a collection do not fit together");
}

GraphContent Collection::content(std::size_t graph) const {
  NumberReader reader(graph_bytes.data + (graph == 0 ? 0 : graph_ends.data[graph - 1]),
                      graph_bytes.data + graph_ends.data[graph]);
  GraphContent found;
  found.node_classes.resize(reader.count(1));
  for (int& node_class : found.node_classes) node_class = reader.next();
  found.edges.resize(reader.count(3));
  for (Edge& edge : found.edges) {
    edge.source = reader.next();
    edge.target = reader.next();
    edge.label_class = reader.next();
  }
  if (!reader.done()) throw std::invalid_argument("the bytes of a graph are damaged");
  return found;
}

Star Collection::star(std::size_t star) const {
  return read_star(star_bytes.data + (star == 0 ? 0 : star_ends.data[star - 1]), star_bytes.data + star_ends.data[star]);
}

CollectionBuilder::CollectionBuilder(bool directed, const Collection* begun) : directed_(directed) {
  if (begun == nullptr) return;
  for (std::size_t k = 0; k < begun->stars(); ++k) number_of(begun->star(k));
}

void CollectionBuilder::add(const GraphContent& graph) {
  std::vector<std::uint32_t> numbers;
  for (const Star& star : stars_of(graph.node_classes, graph.edges, directed_)) numbers.push_back(number_of(star));
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (k == 0 || numbers[k] != numbers[k - 1]) {
      counted_stars.push_back(numbers[k]);
      star_counts.push_back(0);
    }
    ++star_counts.back();
  }
  counted_ends.push_back(static_cast<std::int64_t>(counted_stars.size()));

  const auto write = [&](std::size_t number) { write_number(graph_bytes, static_cast<std::uint32_t>(number)); };
  write(graph.node_classes.size());
  for (int node_class : graph.node_classes) write(node_class);
  write(graph.edges.size());
  for (const Edge& edge : graph.edges)
    for (int number : {edge.source, edge.target, edge.label_class}) write(number);
  graph_ends.push_back(static_cast<std::int64_t>(graph_bytes.size()));
}

std::uint32_t CollectionBuilder::number_of(const Star& star) {
  Bytes bytes;
  write_star(bytes, star);
  const auto [where, fresh] =
      known_.try_emplace(std::string(bytes.begin(), bytes.end()), static_cast<std::uint32_t>(known_.size()));
  if (fresh) {
    star_bytes.insert(star_bytes.end(), bytes.begin(), bytes.end());
    star_ends.push_back(static_cast<std::int64_t>(star_bytes.size()));
  }
  return where->second;
}

}  // namespace graphedx
