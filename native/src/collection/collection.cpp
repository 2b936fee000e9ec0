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
  check_ends(view_ends, view_bytes.size);
  check_ends(counted_ends, counted_views.size);
  std::uint32_t most = 0;
  for (std::size_t k = 0; k < counted_views.size; ++k) most = std::max(most, counted_views.data[k]);
  if (counted_ends.size != graph_ends.size || counts.size != counted_views.size ||
      (counted_views.size > 0 && most >= views()))
    throw std::invalid_argument("the columns of a collection do not fit together");
}

void Collection::verify(std::size_t graph) const {
  if (graph_blocks == nullptr) return;
  graph_blocks->require(graph == 0 ? 0 : static_cast<std::size_t>(graph_ends.data[graph - 1]),
                        static_cast<std::size_t>(graph_ends.data[graph]));
}

GraphContent Collection::content(std::size_t graph) const {
  verify(graph);
  NumberReader reader(graph_bytes.data + (graph == 0 ? 0 : graph_ends.data[graph - 1]),
                      graph_bytes.data + graph_ends.data[graph]);
  GraphContent found;
  found.node_classes.resize(reader.count(1));
  for (int& node_class : found.node_classes) node_class = reader.next();
  found.edges.resize(reader.count(3));
  int last = -1;
  for (Edge& edge : found.edges) {
    edge.source = reader.next();
    edge.target = reader.next();
    edge.label_class = reader.next();
    last = std::max({last, edge.source, edge.target});
  }
  if (!reader.done() || last >= static_cast<int>(found.node_classes.size()))
    throw std::invalid_argument("the bytes of a graph are damaged");
  return found;
}

Star Collection::star(std::size_t number) const {
  return read_star(star_bytes.data + (number == 0 ? 0 : star_ends.data[number - 1]),
                   star_bytes.data + star_ends.data[number]);
}

View Collection::view(std::size_t number) const {
  View found = read_view(view_bytes.data + (number == 0 ? 0 : view_ends.data[number - 1]),
                         view_bytes.data + view_ends.data[number]);
  bool known = static_cast<std::size_t>(found.star) < stars();
  for (const Sight& sight : found.sights) known &= static_cast<std::size_t>(sight.star) < stars();
  if (!known) throw std::invalid_argument("the columns of a collection do not fit together");
  return found;
}

CollectionBuilder::CollectionBuilder(bool directed, const Collection* begun) : directed_(directed) {
  if (begun == nullptr) return;
  Bytes bytes;
  for (std::size_t k = 0; k < begun->stars(); ++k) {
    bytes.clear();
    write_star(bytes, begun->star(k));
    stars_.number_of(bytes);
  }
  for (std::size_t k = 0; k < begun->views(); ++k) {
    bytes.clear();
    write_view(bytes, begun->view(k));
    views_.number_of(bytes);
  }
}

void CollectionBuilder::add(const GraphContent& graph) {
  const std::vector<Joint> joints = joints_of(graph.node_classes, graph.edges, directed_);
  Bytes bytes;
  std::vector<int> numbers;
  for (const Star& star : stars_of(graph.node_classes, joints)) {
    bytes.clear();
    write_star(bytes, star);
    numbers.push_back(stars_.number_of(bytes));
  }
  const std::vector<View> views = views_of(numbers, joints);
  for (std::size_t i = 0; i < views.size(); ++i) {
    bytes.clear();
    write_view(bytes, views[i]);
    numbers[i] = views_.number_of(bytes);
  }
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (k == 0 || numbers[k] != numbers[k - 1]) {
      counted_views.push_back(static_cast<std::uint32_t>(numbers[k]));
      counts.push_back(0);
    }
    ++counts.back();
  }
  counted_ends.push_back(static_cast<std::int64_t>(counted_views.size()));

  const auto write = [&](std::size_t number) { write_number(graph_bytes, static_cast<std::uint32_t>(number)); };
  write(graph.node_classes.size());
  for (int node_class : graph.node_classes) write(node_class);
  write(graph.edges.size());
  for (const Edge& edge : graph.edges)
    for (int number : {edge.source, edge.target, edge.label_class}) write(number);
  graph_ends.push_back(static_cast<std::int64_t>(graph_bytes.size()));
}

int CollectionBuilder::Numbered::number_of(const Bytes& string) {
  const auto [where, fresh] = known.try_emplace(std::string(string.begin(), string.end()), static_cast<int>(known.size()));
  if (fresh) {
    bytes.insert(bytes.end(), string.begin(), string.end());
    ends.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  return where->second;
}

}  // namespace graphedx
