"""The Ray engine on a real cluster of two machines' worth of processes, where workers and machines die.

The machines have one CPU each. Work that sleeps instead of computing makes the order of events a matter of events, not
of how busy the computer is.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
from pathlib import Path

import pytest

import graphedx as gx
from datasets.labels.samples import contents
from engine.samples import assert_same, dots, solved, work_of
from graphedx.costs import UNIFORM
from graphedx.engine import LocalEngine, ray_cluster, schedule
from graphedx.engine.ray_cluster import RayEngine
from graphedx.errors import CostError, EngineError, MethodError, MissingExtraError
from matrix.samples import hard_graphs, some_graphs

ray = pytest.importorskip("ray")
cluster_utils = pytest.importorskip("ray.cluster_utils")

pytestmark = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="workers are found through /proc")

TESTS = Path(__file__).parents[1]
PYTHONPATH = os.pathsep.join([str(TESTS), *(str(Path(part).resolve()) for part in sys.path if part)])
MACHINE = {"num_cpus": 1, "object_store_memory": 80_000_000, "include_log_monitor": False}  # Ray's least is 75 MB

KILLED = """
import os, signal, sys
import graphedx as gx
from graphedx.engine import ray_cluster
from matrix.samples import some_graphs
ray_cluster._SECONDS_A_TASK = 0.005
def kill_at_100(news):
    if news.done >= 100:
        os.kill(os.getpid(), signal.SIGKILL)
engine = ray_cluster.RayEngine(sys.argv[2])
gx.distance_matrix(some_graphs(30, most_nodes=7), resume=sys.argv[1], progress=kill_at_100, engine=engine)
"""

INTERRUPTED = """
import sys
import graphedx as gx
from graphedx.engine.ray_cluster import RayEngine
from matrix.samples import hard_graphs, some_graphs
graphs = some_graphs(6, most_nodes=4) + hard_graphs(2)
tell = lambda news: print(news.done, flush=True)
gx.distance_matrix(graphs, engine=RayEngine(sys.argv[1]), progress=tell, cutoff=60.0)
"""

ALONE = """
import os, pathlib, signal, sys
import ray
from datasets.labels.samples import contents
from engine.samples import dots, solved
from graphedx.engine.ray_cluster import RayEngine
mark = pathlib.Path(sys.argv[1])
def deadly_once(a, b):
    if (a, b) == (3, 7) and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 0.5
answers = solved(RayEngine(workers=1), dots(deadly_once))
print(answers.upper.sum(), ray.is_initialized())
"""


@pytest.fixture(scope="module")
def cluster():
    folder = tempfile.mkdtemp(prefix="gx", dir="/tmp")  # sockets lie in it, and their paths must be short
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", PYTHONPATH)
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        patch.delenv("RAY_ADDRESS", raising=False)
        head = MACHINE | {"include_dashboard": False, "temp_dir": folder}
        machines = cluster_utils.Cluster(initialize_head=True, head_node_args=head)
        try:
            machines.add_node(**MACHINE)
            ray.init(machines.address, log_to_driver=False, logging_level="CRITICAL")
            yield machines
        finally:
            ray.shutdown()
            machines.shutdown()
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def engine(cluster, monkeypatch):
    monkeypatch.setattr(ray_cluster, "_SECONDS_A_TASK", 0.05)  # many tasks, so that there is a middle of the run
    monkeypatch.setattr(ray_cluster, "_SECONDS_BETWEEN_LOOKS", 0.2)
    return RayEngine()


@pytest.fixture
def losses(monkeypatch):
    """What was told of lost errands."""
    told = []
    lost = schedule.Schedule.lost

    def lost_and_told(self, errand, why):
        told.append(why)
        lost(self, errand, why)

    monkeypatch.setattr(schedule.Schedule, "lost", lost_and_told)
    return told


def busy_workers(*machines):
    """The processes that are at a task right now; Ray writes it into their title."""
    raylets = {machine.all_processes["raylet"][0].process.pid for machine in machines}
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            title = (folder / "cmdline").read_bytes()
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has ended
        if parent in raylets and title.startswith(b"ray::solve"):
            found.append(int(folder.name))
    return found


def sleeping(rounds):
    """Costs of a module of the tests would have to be installed on the workers; those of a function travel."""

    def substitution(a, b):
        time.sleep(0.005)
        return 0.5

    return dots(substitution, rounds=rounds)


def truth(rounds):
    return solved(LocalEngine(2), dots(lambda a, b: 0.5, rounds=rounds))


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("method", ["exact", "brute_force"])
@pytest.mark.parametrize(
    "costs",
    [gx.EditCosts(), gx.EditCosts(3, 1, 2, 1, 0.5, 1.5), gx.EditCosts(node_sub=lambda a, b: abs(ord(a) - ord(b)))],
    ids=["unit", "numbers", "callable"],
)
def test_answers_are_those_of_the_local_engine(engine, costs, method, directed):
    work = work_of(some_graphs(12, most_nodes=5, directed=directed), costs, method=method)
    assert_same(solved(engine, work), solved(LocalEngine(2), work))


def test_pairs_that_resist_at_first_are_solved(engine):
    work = work_of(some_graphs(6) + hard_graphs(2, nodes=14), gx.EditCosts(), time_limit=120.0)
    assert_same(solved(engine, work), solved(LocalEngine(2), work))


def test_nothing_to_do(engine):
    assert len(solved(engine, work_of([], gx.EditCosts()))) == 0


def test_a_killed_worker_loses_nothing(engine, cluster, losses):
    def kill_one(block):
        if not losses and (workers := busy_workers(*cluster.list_all_nodes())):
            os.kill(workers[0], signal.SIGKILL)

    assert_same(solved(engine, sleeping(2), kill_one), truth(2))
    assert losses and "died" in losses[0]


def test_a_machine_that_joins_is_used_and_its_death_loses_nothing(engine, cluster, losses, tmp_path):
    machines, missed = [], tmp_path / "missed"

    def substitution(a, b):
        if not missed.exists():  # until then there is always more to do
            time.sleep(0.05)
        return 0.5

    def come_and_go(block):
        if not machines:
            machines.append(cluster.add_node(**MACHINE))
        elif len(machines) == 1 and (workers := busy_workers(machines[0])):
            cluster.remove_node(machines[0], allow_graceful=False)
            for worker in workers:  # as if the power failed; by itself it would end its task first
                os.kill(worker, signal.SIGKILL)
            machines.append(None)
        elif losses:
            missed.touch()

    assert_same(solved(engine, dots(substitution, rounds=8), come_and_go), truth(8))
    assert missed.exists(), "the new machine was never used or never missed"


def test_labels_are_the_same_bytes_though_a_worker_and_a_machine_die(engine, cluster, losses, tmp_path):
    rng = random.Random(5)
    ends = [(i, j) for i in range(13) for j in range(i)]
    graphs = [gx.Graph(13, rng.sample(ends, 26)) for _ in range(24)]
    here, there = (gx.datasets.from_graphs(graphs, "dense").save(tmp_path / name) for name in ("here", "there"))
    machine = cluster.add_node(**MACHINE)
    dead = []

    def kill(news):
        if not dead and (workers := busy_workers(*cluster.list_all_nodes())):
            os.kill(workers[0], signal.SIGKILL)
            dead.append("worker")
        elif dead == ["worker"] and losses:
            cluster.remove_node(machine, allow_graceful=False)
            dead.append("machine")

    gx.datasets.label(here, UNIFORM, progress=False)
    gx.datasets.label(there, UNIFORM, engine=engine, progress=kill)
    assert dead == ["worker", "machine"] and losses
    assert contents(there) == contents(here)


def test_a_pair_that_kills_its_workers_is_named_when_all_others_are_solved(engine, losses):
    def deadly(a, b):
        if (a, b) == (3, 7):
            os.kill(os.getpid(), signal.SIGKILL)
        return 0.5

    work, solved_ids = dots(deadly), []
    with pytest.raises(EngineError, match=r"5 workers in a row died over the pair 3, 7 .*all others are solved"):
        solved(engine, work, lambda block: solved_ids.extend(block.ids.tolist()))
    assert len(losses) == 5
    assert len(solved_ids) == len(work) - 1


def test_an_error_of_the_work_arrives_as_it_is(engine):
    def wrong(a, b):
        return -1.0 if (a, b) == (3, 7) else 0.5

    with pytest.raises(CostError) as local:
        solved(LocalEngine(1), dots(wrong))
    with pytest.raises(CostError) as remote:
        solved(engine, dots(wrong))
    assert type(remote.value) is CostError
    assert str(remote.value) == str(local.value)


def test_ctrl_c_ends_workers_in_the_middle_of_native_code(engine, cluster):
    work, arrived = work_of(some_graphs(6, most_nodes=4) + hard_graphs(2), gx.EditCosts(), time_limit=300.0), []

    def watch(block):
        arrived.extend(block.ids.tolist())
        if len(arrived) == len(work) - 1:  # all but the two hard ones, which are a pair of their own
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        solved(engine, work, watch)
    while busy_workers(*cluster.list_all_nodes()):
        assert time.monotonic() - start < 60
        time.sleep(0.05)
    assert len(arrived) == len(work) - 1


def test_ctrl_c_ends_workers_of_a_connection_of_its_own(cluster):
    child = start(INTERRUPTED, cluster.address)
    for line in child.stdout:
        if int(line) == 15 + 12:  # all but the hard pair
            break
    deadline = time.monotonic() + 60
    while not busy_workers(*cluster.list_all_nodes()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == -signal.SIGINT and errors.rstrip().endswith("KeyboardInterrupt")
    while busy_workers(*cluster.list_all_nodes()):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_no_more_workers_than_asked_for(engine, cluster):
    most = []
    solved(RayEngine(workers=1), sleeping(1), lambda _: most.append(len(busy_workers(*cluster.list_all_nodes()))))
    assert max(most) <= 1


def test_without_any_cpu_it_waits_and_says_so(engine, monkeypatch):
    monkeypatch.setattr(ray, "cluster_resources", dict)
    monkeypatch.setattr(ray_cluster, "_PATIENCE", 0.1)
    with pytest.warns(RuntimeWarning, match="waiting for one to join"):
        assert_same(solved(engine, sleeping(1)), truth(1))


def test_a_killed_run_is_continued_on_the_cluster(engine, cluster, tmp_path):
    path = tmp_path / "run.checkpoint"
    killed = run(KILLED, str(path), cluster.address)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    news = []
    graphs = some_graphs(30, most_nodes=7)
    matrix = gx.distance_matrix(graphs, resume=path, progress=news.append, engine="ray")
    assert 100 <= news[0].done < news[-1].done == 30 * 29 // 2
    assert (matrix.upper == gx.distance_matrix(graphs).upper).all()
    assert ray.is_initialized()  # the connection was not ours to end


def test_a_ray_of_its_own_is_started_and_ended_and_prints_nothing(tmp_path):
    done = run(ALONE, str(tmp_path / "killed"))
    assert done.stdout.split() == [str(truth(1).upper.sum()), "False"], done.stderr
    assert (tmp_path / "killed").exists()


def start(script, *arguments):
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        env=environment | {"PYTHONPATH": PYTHONPATH},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(script, *arguments):
    process = start(script, *arguments)
    output, errors = process.communicate(timeout=100)
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


# -- what cannot work is refused --------------------------------------------------------------------------------------


def test_another_version_on_the_workers_is_refused(engine, monkeypatch):
    monkeypatch.setattr(gx, "__version__", "9.9.9")
    with pytest.raises(EngineError, match=r"has graphedx .*, but this is 9\.9\.9; install the same"):
        solved(engine, work_of(some_graphs(3), gx.EditCosts()))


def test_a_worker_without_graphedx_is_refused(monkeypatch):
    task = ray_cluster._task(types.SimpleNamespace(remote=lambda **_: lambda function: function))
    monkeypatch.setitem(sys.modules, "graphedx", None)
    assert "graphedx cannot be used on" in task((gx.__version__, "", None), b"", None)


def test_costs_that_cannot_travel_are_refused(engine):
    lock = threading.Lock()
    with pytest.raises(EngineError, match=r"cannot be sent to other processes: .*lock"):
        solved(engine, dots(lambda a, b: float(lock.locked())))


def test_costs_that_workers_do_not_have_are_refused(engine, monkeypatch):
    module = types.ModuleType("only_here")
    exec("def cost(a, b): return 0.5", module.__dict__)
    monkeypatch.setitem(sys.modules, "only_here", module)
    with pytest.raises(EngineError, match="a worker cannot read the costs or labels: No module named 'only_here'"):
        solved(engine, work_of(some_graphs(3), gx.EditCosts(node_sub=module.cost)))


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:1", "no Ray cluster answers at 127.0.0.1:1: connection refused; start one with `ray start --head`"),
        ("ray://127.0.0.1:10001", "address is HOST:PORT of its head or 'auto', got 'ray://127"),
        ("head", "address is HOST:PORT"),
    ],
)
def test_a_cluster_that_is_not_there_is_an_error_at_once(monkeypatch, address, message):
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    start = time.monotonic()
    with pytest.raises(EngineError, match=message):
        solved(RayEngine(address), dots(lambda a, b: 0.5))
    assert time.monotonic() - start < 5


def test_a_port_that_is_not_rays_is_an_error_at_once(monkeypatch):
    import http.server

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        with pytest.raises(EngineError, match="is no Ray cluster; the head's own port is 6379"):
            solved(RayEngine(f"127.0.0.1:{server.server_port}"), dots(lambda a, b: 0.5))


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"graphedx\[cluster\]"):
        solved(RayEngine(), dots(lambda a, b: 0.5))


def test_bad_workers_are_refused():
    with pytest.raises(MethodError, match="workers must be a whole number"):
        RayEngine(workers=0)
