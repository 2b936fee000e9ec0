#include "graphedx/collection/stars.hpp"

#include <algorithm>
#include <utility>

namespace graphedx {

namespace {

bool before(const Kind& x, const Kind& y) { return x.out != y.out ? x.out < y.out : x.in < y.in; }
bool same(const Kind& x, const Kind& y) { return x.out == y.out && x.in == y.in; }

/// Sorts, and counts each kind once.
void tidy(std::vector<Ray>& rays) {
  std::sort(rays.begin(), rays.end(), [](const Ray& x, const Ray& y) { return before(x.kind, y.kind); });
  std::size_t kept = 0;
  for (const Ray& ray : rays) {
    if (kept > 0 && same(rays[kept - 1].kind, ray.kind)) {
      rays[kept - 1].count += ray.count;
    } else {
      rays[kept++] = ray;
    }
  }
  rays.resize(kept);
}

}  // namespace

std::vector<Star> stars_of(const std::vector<int>& node_classes, const std::vector<Edge>& edges, bool directed) {
  std::vector<Star> stars;
  stars.reserve(node_classes.size());
  for (int node_class : node_classes) stars.push_back({node_class, {}});
  for (const Joint& joint : joints_of(node_classes, edges, directed)) stars[joint.node].rays.push_back({joint.kind, 1});
  for (Star& star : stars) tidy(star.rays);
  return stars;
}

void write_star(Bytes& bytes, const Star& star) {
  write_number(bytes, static_cast<std::uint32_t>(star.node_class));
  for (const Ray& ray : star.rays)
    for (int number : {ray.kind.out + 1, ray.kind.in + 1, ray.count}) write_number(bytes, static_cast<std::uint32_t>(number));
}

Star read_star(const std::uint8_t* begin, const std::uint8_t* end) {
  NumberReader reader(begin, end);
  Star star{reader.next(), {}};
  while (!reader.done()) {
    const int out = reader.next() - 1, in = reader.next() - 1;
    star.rays.push_back({{out, in}, reader.next()});
  }
  return star;
}

Star without_labels(Star star, bool of_nodes, bool of_edges) {
  if (of_nodes) star.node_class = 0;
  if (of_edges) {
    for (Ray& ray : star.rays) ray.kind = {std::min(ray.kind.out, 0), std::min(ray.kind.in, 0)};
    tidy(star.rays);
  }
  return star;
}

}  // namespace graphedx
