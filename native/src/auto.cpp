#include <algorithm>
#include <chrono>
#include <utility>

#include "graphedx/methods.hpp"
#include "graphedx/search.hpp"

namespace graphedx {

namespace {

template <class W>
class Portfolio {
 public:
  Portfolio(const Task& task, const Problem& problem, Deadline& deadline)
      : task_(task), problem_(problem), deadline_(deadline) {}

  Answer run() {
    static const int N0=getenv("N0")?atoi(getenv("N0")):1000; static const double F=getenv("F")?atof(getenv("F")):2;
    std::int64_t budget = N0;
    std::int64_t reach = 1;
    search(-1, budget);
    while (bound_ > best_ && !deadline_.expired()) {
      while (bound_ > best_ + 1 && search(std::max(best_, bound_ - reach), budget)) reach *= 2;
      reach=std::max<std::int64_t>(1, reach / 2);
      if (bound_ > best_ && !deadline_.expired()) search(best_, budget);
      budget *= F;
    }
    Answer answer = certified(task_, problem_, columns_, best_, bound_, deadline_);
    answer.nodes = nodes_;
    return answer;
  }

 private:
  bool search(std::int64_t threshold, std::int64_t most_nodes) {
    Search<W> search(problem_, deadline_);
    if (!columns_.empty()) search.start_from(columns_);
    search.run(threshold, most_nodes);
    nodes_ += search.nodes();
    best_ = search.best_savings();
    columns_ = search.best_columns();
    const std::int64_t before=bound_;
    if (search.finished()) bound_ = std::max(best_, std::min(bound_, threshold));
    else bound_ = std::min(bound_, std::max({best_, threshold, search.savings_bound()}));
    if (getenv("V")) fprintf(stderr,"thr %ld (bound %ld -> %ld) best %ld fin %d nodes %ld left %.3f\n",(long)threshold,(long)before,(long)bound_,(long)best_,search.finished(),(long)search.nodes(),deadline_.seconds_left());
    return search.finished();
  }

  const Task& task_;
  const Problem& problem_;
  Deadline& deadline_;
  std::int64_t best_ = -1, bound_ = INT64_MAX, nodes_ = 0;
  std::vector<int> columns_;
};

}  // namespace

Answer solve_auto(const Task& task, Deadline& deadline) {
  const Problem problem(task.source, task.target, task.costs);
  return Weights<std::int32_t>::fits(problem) ? Portfolio<std::int32_t>(task, problem, deadline).run()
                                              : Portfolio<std::int64_t>(task, problem, deadline).run();
}

}  // namespace graphedx
