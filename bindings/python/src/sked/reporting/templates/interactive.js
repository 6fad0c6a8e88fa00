"use strict";
(() => {
const FACTS = JSON.parse(document.getElementById("facts").textContent);
const MOST = 200;  // rows that are shown at once
const LAST = FACTS.time.edges.length - 1;
const state = {words: "", from: 0, to: LAST, sort: {}};
const $ = id => document.getElementById(id);

// ---- words ----

const number = value => {
  if (value === null || Number.isNaN(value)) return "\u2013";
  if (Number.isInteger(value)) return value.toLocaleString("en");
  return value.toLocaleString("en", Math.abs(value) >= 100
    ? {maximumFractionDigits: 0} : {maximumSignificantDigits: 3});
};
const spanned = seconds => {
  if (seconds >= 3 * 86400) return number(seconds / 86400) + " d";
  if (seconds >= 7200) return number(seconds / 3600) + " h";
  if (seconds >= 120) return number(seconds / 60) + " min";
  return number(seconds) + " s";
};
const matches = texts => !state.words ||
  texts.some(text => text.toLowerCase().includes(state.words));

// ---- tables ----

function cell(row, head, value) {
  const made = row.insertCell();
  if (!head.text) made.className = "n";
  const shown = head.text ? value : / s$/.test(head.name) ? spanned(value)
    : head.percent ? number(value) + " %" : number(value);
  if (head.text) {
    made.appendChild(document.createElement("bdi")).textContent = shown;
  } else {
    made.textContent = shown;
    made.title = String(value);
  }
}

function sorted(id, heads, rows) {
  const by = state.sort[id];
  if (by === undefined) return rows;
  const at = by.at, way = by.down ? -1 : 1;
  return [...rows].sort((a, b) => way * (heads[at].text
    ? a[at].localeCompare(b[at]) : a[at] - b[at]));
}

function table(box, id, heads, rows, whole) {
  const focus = document.activeElement && box.contains(document.activeElement)
    ? document.activeElement.dataset.at : undefined;
  const texts = heads.map((head, i) => head.text ? i : -1).filter(i => i >= 0);
  const kept = sorted(id, heads, rows.filter(
    row => !texts.length || matches(texts.map(i => row[i]))));
  const scroll = document.createElement("div");
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  const made = scroll.appendChild(document.createElement("table"));
  const top = made.createTHead().insertRow();
  heads.forEach((head, at) => {
    const th = top.appendChild(document.createElement("th"));
    th.scope = "col";
    if (!head.text) th.className = "n";
    const by = state.sort[id];
    th.setAttribute("aria-sort", by && by.at === at
      ? by.down ? "descending" : "ascending" : "none");
    const button = th.appendChild(document.createElement("button"));
    button.type = "button";
    button.dataset.at = at;
    button.textContent = head.name.replace(/ s$/, "");
    button.onclick = () => {
      const old = state.sort[id];
      state.sort[id] = {at, down: old && old.at === at ? !old.down
        : !head.text};
      draw();
    };
  });
  const body = made.createTBody();
  for (const values of kept.slice(0, MOST)) {
    const row = body.insertRow();
    heads.forEach((head, at) => cell(row, head, values[at]));
  }
  const foot = document.createElement("p");
  foot.className = "mut";
  const shown = Math.min(MOST, kept.length);
  foot.textContent = `${number(shown)} of ${number(whole)} rows` +
    (kept.length < rows.length ? `, ${number(kept.length)} match` : "") + ".";
  box.replaceChildren(scroll, foot);
  if (focus !== undefined) {
    const again = box.querySelector(`button[data-at="${focus}"]`);
    if (again) again.focus();
  }
}

function fixed() {
  for (const said of FACTS.tables) {
    let box = $("table-" + said.id);
    if (!box) {
      const section = $("tables").appendChild(
        document.createElement("section"));
      section.appendChild(document.createElement("h2")).textContent =
        said.title;
      const lead = section.appendChild(document.createElement("p"));
      lead.className = "lead";
      lead.textContent = said.lead.charAt(0).toUpperCase() +
        said.lead.slice(1) + ". All of the time.";
      box = section.appendChild(document.createElement("div"));
      box.id = "table-" + said.id;
    }
    const count = said.columns[0].values.length;
    const rows = Array.from({length: count}, (_, i) =>
      said.columns.map(column => column.values[i]));
    table(box, said.id, said.columns, rows, said.rows);
  }
}

const sum = (row, from, to) => row.slice(from, to).reduce((a, b) => a + b, 0);

function queues() {
  const waits = FACTS.waits;
  if (!waits) return;
  const {from, to} = state;
  const rows = waits.queues.map((queue, k) => {
    const jobs = sum(waits.jobs[k], from, to);
    const late = sum(waits.late[k], from, to);
    return [queue, jobs, late, jobs ? 100 * late / jobs : 0,
            jobs ? sum(waits.waited_s[k], from, to) / jobs : 0];
  }).filter(row => row[1] > 0);
  if (!state.sort.queues) state.sort.queues = {at: 2, down: true};
  const heads = [{name: "queue", text: true}, {name: "jobs"}, {name: "late"},
                 {name: "late, of its jobs", percent: true},
                 {name: "mean wait s"}];
  const jobs = rows.reduce((a, row) => a + row[1], 0);
  const late = rows.reduce((a, row) => a + row[2], 0);
  $("queues-lead").textContent = `${FACTS.how.charAt(0).toUpperCase()}` +
    `${FACTS.how.slice(1)}: ${number(late)} of ${number(jobs)} jobs ` +
    `submitted in the selected time waited over ${spanned(FACTS.target)}.`;
  table($("queues"), "queues", heads, rows, rows.length);
  const all = from === 0 && to === LAST;
  $("selected").textContent = all ? "All of the time is selected."
    : `Selected: ${when(from)} to ${when(to)}.`;
}

const when = at => FACTS.time.dates
  ? String(FACTS.time.edges[at]).slice(0, 16).replace("T", " ")
  : number(FACTS.time.edges[at]) + " h";

// ---- pictures ----

const colour = called => getComputedStyle(document.documentElement)
  .getPropertyValue("--" + called).trim();
const SERIES = ["blue", "amber", "purple", "teal", "red", "mut", "sky"];
const DASH = ["", "/", "x", "."];

function layout(title) {
  const axis = {gridcolor: colour("line"), zerolinecolor: colour("line"),
                linecolor: colour("line")};
  return {paper_bgcolor: colour("card"), plot_bgcolor: colour("card"),
    font: {color: colour("fg"), family: "inherit", size: 13},
    margin: {l: 56, r: 12, t: 10, b: 40}, dragmode: "zoom",
    hovermode: "x unified", hoverlabel: {bgcolor: colour("card"),
                                         namelength: 40},
    showlegend: true, legend: {orientation: "h", y: -0.18},
    xaxis: {...axis, range: [FACTS.time.edges[state.from],
                             FACTS.time.edges[state.to]],
            title: FACTS.time.dates ? "" : "hours from the first submission"},
    yaxis: {...axis, fixedrange: true, rangemode: "tozero", title}};
}
const CONFIG = {displaylogo: false, responsive: true,
                modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"]};

// A queue has one look in all pictures.
const KNOWN = new Map();
for (const queue of [...FACTS.usage ? FACTS.usage.lines.map(one => one.queue)
  : [], ...FACTS.waits ? FACTS.waits.queues : []]) {
  if (!KNOWN.has(queue)) KNOWN.set(queue, KNOWN.size);
}
const look = queue => {
  const i = KNOWN.get(queue);
  return {color: colour(SERIES[i % SERIES.length]),
          pattern: DASH[Math.floor(i / SERIES.length) % DASH.length]};
};

function usage() {
  const said = FACTS.usage;
  if (!said) return;
  $("usage-card").hidden = false;
  const lines = said.lines.filter(line => matches([line.queue]));
  const made = lines.map(line => ({
    type: "scatter", mode: "lines", stackgroup: "all", name: line.queue,
    x: said.times, y: line.used, hovertemplate: "%{y:.4~g} " + said.unit,
    line: {shape: "hv", width: 0.5, color: look(line.queue).color},
    fillcolor: look(line.queue).color,
    fillpattern: {shape: look(line.queue).pattern}}));
  const shape = {...layout(said.unit)};
  shape.shapes = [{type: "line", xref: "paper", x0: 0, x1: 1,
    y0: said.capacity, y1: said.capacity,
    line: {color: colour("red"), dash: "dash", width: 1.2}}];
  shape.annotations = [{xref: "paper", x: 1, y: said.capacity, showarrow: false,
    xanchor: "right", yanchor: "bottom", text: "capacity " +
      number(said.capacity) + " " + said.unit}];
  Plotly.react("usage", made, shape, CONFIG);
}

function late() {
  const waits = FACTS.waits;
  if (!waits) return;
  const order = waits.queues.map((queue, k) => ({queue, k,
    all: sum(waits.late[k], 0, LAST)})).filter(one => one.all > 0)
    .sort((a, b) => b.all - a.all);
  const made = order.filter(one => matches([one.queue])).slice(0, 28)
    .map(one => ({
    type: "bar", name: one.queue, x: FACTS.time.edges.slice(0, -1),
    y: waits.late[one.k], customdata: waits.jobs[one.k],
    hovertemplate: "%{y:,} of %{customdata:,} jobs",
    marker: {color: look(one.queue).color,
             pattern: {shape: look(one.queue).pattern}}}));
  Plotly.react("late", made, {...layout("late jobs"), barmode: "stack",
    bargap: 0}, CONFIG);
}

// ---- brush ----

const value = at => FACTS.time.dates ? Date.parse(String(at).replace(" ", "T"))
  : Number(at);

// The stretches that lie in a range of an axis, whole ones: at least one.
function select(from, to) {
  const edges = FACTS.time.edges.map(value);
  let a = edges.findIndex(edge => edge > value(from)) - 1;
  let b = edges.findIndex(edge => edge >= value(to));
  if (a < 0) a = 0;
  if (b < 0) b = LAST;
  state.from = Math.min(a, LAST - 1);
  state.to = Math.max(b, state.from + 1);
}

function brushed(change) {
  if (change["xaxis.range[0]"] !== undefined) {
    select(change["xaxis.range[0]"], change["xaxis.range[1]"]);
  } else if (change["xaxis.autorange"]) {
    state.from = 0;
    state.to = LAST;
  } else {
    return;
  }
  draw();
}

function draw() {
  usage();
  late();
  queues();
  fixed();
}

draw();
for (const id of ["usage", "late"]) {
  if ($(id) && $(id).on) $(id).on("plotly_relayout", brushed);
}
$("controls").onsubmit = event => event.preventDefault();
$("filter").oninput = event => {
  state.words = event.target.value.trim().toLowerCase();
  draw();
};
if ($("reset")) {
  $("reset").onclick = () => {
    state.from = 0;
    state.to = LAST;
    draw();
  };
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
window.sked = {state, select, draw};
})();
