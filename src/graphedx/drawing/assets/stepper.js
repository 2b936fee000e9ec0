"use strict";
// Shows the working graph after any number of edits. The data says from which step to which each node and edge is
// there and what is written on it; `hold` are the places while edits go on, `end` those in the target.
const data = JSON.parse(document.getElementById("edit-path").textContent);
const last = data.totals.length - 1;
const canvas = document.getElementById("canvas");
const find = (id) => document.getElementById(id);
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

function make(name, parent, attributes = {}) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return parent.appendChild(element);
}

function tooltip(group, text) {
  make("title", group).textContent = text;
}

const edges = data.edges.map((edge) => {
  const group = make("g", canvas);
  tooltip(group, edge.title);
  const view = { ...edge, group, line: make("path", group, { class: "line" }) };
  if (data.directed) view.head = make("path", group, { class: "head" });
  view.words = make("text", group);
  return view;
});

const nodes = data.nodes.map((node) => {
  const group = make("g", canvas);
  tooltip(group, node.title);
  const body = make("rect", group, { class: "body", ...(node.fill ? { fill: node.fill } : {}) });
  const ring = make("rect", group, { class: "ring" });
  const words = make("text", group, { y: 4.7, fill: "#1b1f24" });
  const view = { ...node, group, body, ring, words, at: node.hold.slice() };
  resize(view, 0);
  return view;
});

function resize(node, span) {
  const w = node.halfWidths[span], h = node.halfHeight;
  node.half = [w, h];
  for (const [rect, extra] of [[node.body, 0], [node.ring, 3.2]]) {
    const size = { x: -w - extra, y: -h - extra, width: 2 * (w + extra), height: 2 * (h + extra), rx: h + extra };
    for (const [key, value] of Object.entries(size)) rect.setAttribute(key, value);
  }
}

// Where the line from the centre of a pill towards a point leaves it.
function rim(node, towards, gap) {
  const [w, h] = node.half;
  let dx = towards[0] - node.at[0], dy = towards[1] - node.at[1];
  const length = Math.hypot(dx, dy) || 1;
  dx /= length; dy /= length;
  const straight = w - h, along = straight * Math.abs(dx);
  const onSide = dy !== 0 && Math.abs(dx / dy) * h <= straight;
  const reach = onSide ? h / Math.abs(dy) : along + Math.sqrt(Math.max(along * along - straight * straight + h * h, 0));
  return [node.at[0] + (reach + gap) * dx, node.at[1] + (reach + gap) * dy];
}

let glide = 0; // 0 while edits go on, 1 once the target is reached

function place() {
  for (const node of nodes) node.group.setAttribute("transform", `translate(${node.at[0]},${node.at[1]})`);
  for (const edge of edges) {
    const u = nodes[edge.u], v = nodes[edge.v];
    const bend = edge.bends[0] + glide * (edge.bends[1] - edge.bends[0]);
    const control = [(u.at[0] + v.at[0]) / 2 + bend * (v.at[1] - u.at[1]), (u.at[1] + v.at[1]) / 2 - bend * (v.at[0] - u.at[0])];
    const start = rim(u, control, 1), end = rim(v, control, data.directed ? 8 : 1);
    edge.line.setAttribute("d", `M${start}Q${control} ${end}`);
    edge.words.setAttribute("x", (start[0] + 2 * control[0] + end[0]) / 4);
    edge.words.setAttribute("y", (start[1] + 2 * control[1] + end[1]) / 4 + 4);
    if (edge.head) {
      const tip = rim(v, control, 1), angle = Math.atan2(tip[1] - control[1], tip[0] - control[0]) * 180 / Math.PI;
      edge.head.setAttribute("d", "M0 0L-8 3.6L-8 -3.6Z");
      edge.head.setAttribute("transform", `translate(${tip})rotate(${angle})`);
    }
  }
}

let frame = 0;
function move(to) {
  const from = glide, starts = nodes.map((node) => node.at), begin = performance.now();
  const ends = nodes.map((node) => (to && node.end ? node.end : node.hold));
  cancelAnimationFrame(frame);
  const draw = (now) => {
    const t = still ? 1 : Math.min((now - begin) / 400, 1), eased = t * t * (3 - 2 * t);
    glide = from + eased * (to - from);
    nodes.forEach((node, k) => { node.at = starts[k].map((value, axis) => value + eased * (ends[k][axis] - value)); });
    place();
    if (t < 1) frame = requestAnimationFrame(draw);
  };
  draw(begin);
}

// Which span of a node or edge a step falls into, or -1 where it is not there.
function spanAt(spans, step) {
  return spans.findIndex(([from, to]) => from <= step && step <= to);
}

function update(views, kind, at, edit) {
  views.forEach((view, k) => {
    const isEdited = edit && edit.kind === kind && edit.index === k;
    const isThere = spanAt(view.spans, at) >= 0, isGoing = isEdited && edit.action === "delete";
    const classes = [kind];
    if (kind === "node" && !view.fill) classes.push("plain");
    if (isEdited) classes.push(edit.action);
    if (!isThere) classes.push(isGoing ? "going" : "away");
    view.group.setAttribute("class", classes.join(" "));
    const span = spanAt(view.spans, isThere ? at : at - 1);
    if (span < 0) return;
    view.words.textContent = view.spans[span][2];
    if (kind === "node") resize(view, span);
  });
}

let step = 0;
const entries = [...document.querySelectorAll("ol.edits button")];
function go(to) {
  step = Math.max(0, Math.min(last, to));
  const edit = step ? data.edits[step - 1] : null;
  update(edges, "edge", step, edit);
  update(nodes, "node", step, edit);
  move(step === last ? 1 : 0);
  find("slider").value = step;
  find("slider").setAttribute("aria-valuetext", `step ${step} of ${last}`);
  find("status").textContent = step ? `Step ${step} of ${last}: ${edit.text}` : `The source, before the first of ${last} edits`;
  find("running").textContent = data.totals[step];
  for (const id of ["first", "previous"]) find(id).disabled = step === 0;
  for (const id of ["next", "last"]) find(id).disabled = step === last;
  entries.forEach((entry, k) => {
    if (k + 1 === step) entry.setAttribute("aria-current", "step");
    else entry.removeAttribute("aria-current");
    entry.classList.toggle("later", k + 1 > step);
  });
  const entry = entries[step - 1], list = document.querySelector("ol.edits");
  if (entry) list.scrollTop = entry.parentNode.offsetTop - list.clientHeight / 2;
}

let timer = 0;
function play(on) {
  clearInterval(timer);
  timer = 0;
  if (on) {
    if (step === last) go(0);
    timer = setInterval(() => { go(step + 1); if (step === last) play(false); }, 1000);
  }
  find("play").textContent = on ? "Pause" : "Play";
}

const jump = (to) => { play(false); go(to); };
find("first").onclick = () => jump(0);
find("previous").onclick = () => jump(step - 1);
find("next").onclick = () => jump(step + 1);
find("last").onclick = () => jump(last);
find("play").onclick = () => play(!timer && last > 0);
find("slider").oninput = (event) => jump(Number(event.target.value));
entries.forEach((entry, k) => { entry.onclick = () => jump(k + 1); });
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target === find("slider")) return;
  const to = { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 0, End: last }[event.key];
  if (to !== undefined) { event.preventDefault(); jump(to); }
});
go(Number(location.hash.slice(1)) || 0);
