#include "graphedx/collection/stars.hpp"

#include <algorithm>
#include <tuple>

namespace graphedx {

namespace {

std::tuple<int, int> key(const Ray& ray) { return {ray.kind.out, ray.kind.in}; }
std::tuple<int, int, int> key(const Sight& sight) { return {sight.kind.out, sight.kind.in, sight.star}; }

/// Sorts, and counts equal ones together.
template <class T>
void tidy(std::vector<T>& counted) {
  std::sort(counted.begin(), counted.end(), [](const T& x, const T& y) { return key(x) < key(y); });
  std::size_t kept = 0;
  for (const T& one : counted) {
    if (kept > 0 && key(counted[kept - 1]) == key(one)) {
      counted[kept - 1].count += one.count;
    } else {
      counted[kept++] = one;
    }
  }
  counted.resize(kept);
}

void write(Bytes& bytes, std::initializer_list<int> numbers) {
  for (int number : numbers) write_number(bytes, static_cast<std::uint32_t>(number));
}

Kind read_kind(NumberReader& reader) {
  const int out = reader.next() - 1, in = reader.next() - 1;
  return {out, in};
}

}  // namespace

int Star::degree() const {
  int total = 0;
  for (const Ray& ray : rays) total += ray.count;
  return total;
}

std::vector<Star> stars_of(const std::vector<int>& node_classes, const std::vector<Joint>& joints) {
  std::vector<Star> stars;
  stars.reserve(node_classes.size());
  for (int node_class : node_classes) stars.push_back({node_class, {}});
  for (const Joint& joint : joints) stars[joint.node].rays.push_back({joint.kind, 1});
  for (Star& star : stars) tidy(star.rays);
  return stars;
}

std::vector<View> views_of(const std::vector<int>& stars, const std::vector<Joint>& joints) {
  std::vector<View> views;
  views.reserve(stars.size());
  for (int star : stars) views.push_back({star, {}});
  for (const Joint& joint : joints) views[joint.node].sights.push_back({joint.kind, stars[joint.other], 1});
  for (View& view : views) tidy(view.sights);
  return views;
}

void write_star(Bytes& bytes, const Star& star) {
  write(bytes, {star.node_class});
  for (const Ray& ray : star.rays) write(bytes, {ray.kind.out + 1, ray.kind.in + 1, ray.count});
}

Star read_star(const std::uint8_t* begin, const std::uint8_t* end) {
  NumberReader reader(begin, end);
  Star star{reader.next(), {}};
  while (!reader.done()) {
    const Kind kind = read_kind(reader);
    star.rays.push_back({kind, reader.next()});
  }
  return star;
}

void write_view(Bytes& bytes, const View& view) {
  write(bytes, {view.star});
  for (const Sight& sight : view.sights) write(bytes, {sight.kind.out + 1, sight.kind.in + 1, sight.star, sight.count});
}

View read_view(const std::uint8_t* begin, const std::uint8_t* end) {
  NumberReader reader(begin, end);
  View view{reader.next(), {}};
  while (!reader.done()) {
    const Kind kind = read_kind(reader);
    const int star = reader.next();
    view.sights.push_back({kind, star, reader.next()});
  }
  return view;
}

Kind Labels::seen(const Kind& kind) const {
  return of_edges ? kind : Kind{std::min(kind.out, 0), std::min(kind.in, 0)};
}

Star Labels::seen(Star star) const {
  if (!of_nodes) star.node_class = 0;
  if (of_edges) return star;
  for (Ray& ray : star.rays) ray.kind = seen(ray.kind);
  tidy(star.rays);
  return star;
}

}  // namespace graphedx
