// page.js - the page of a run: shows the data of the element "data", which plumb solve --html and solutions.html() of Python fill.
// Texts reach the document only as textContent, so nothing in them is markup. The table has only the rows that can be seen, and
// the picture is a canvas, so that 20,000 solutions are no more work than 20.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const make = (tag, text, name) => {
  const e = document.createElement(tag);
  if (text !== undefined && text !== null) e.textContent = text;
  if (name) e.className = name;
  return e;
};
const names = data.unknowns, all = data.solutions, count = all.length, ROW = 28, WIDE = 40, MANY = 2000, SHADES = 5;
const PLACE = ["kind", "multiplicity", "real", "positive", "error", "residual", "condition", "digits", "certificate", "x"];
const at = Object.fromEntries(PLACE.map((name, k) => [name, k]));
const get = (k, what) => all[k][at[what]];
const plural = (n, word) => n + " " + word + (n === 1 ? "" : "s");

// ---- Words and mathematics

function mathematics(text) { // a polynomial as text with italic names, subscripts and superscripts
  const line = document.createDocumentFragment(), tokens = text.match(/[A-Za-z_][A-Za-z_0-9]*|[0-9.]+(?:[eE][-+]?[0-9]+)?|\s+|./g) || [];
  for (let k = 0; k < tokens.length; k++) {
    const t = tokens[k];
    if (/^[A-Za-z_]/.test(t)) {
      const parts = t.match(/^([A-Za-z]+)_?([0-9]+)$/);
      line.append(make("i", parts ? parts[1] : t));
      if (parts) line.append(make("sub", parts[2]));
    } else if (t === "^" && k + 1 < tokens.length) line.append(make("sup", tokens[++k]));
    else if (t === "*") line.append("\u2009");
    else line.append(t === "-" ? "\u2212" : t);
  }
  return line;
}

$("command").textContent = data.title;
document.title = data.title + " \u2013 plumb";
$("sentence").textContent = data.sentence;
for (const line of data.warnings) $("warnings").firstElementChild.append(make("li", line));
$("warnings").hidden = data.warnings.length === 0;
$("shape").textContent = plural(data.equation_count, "equation") + " in " + plural(names.length, "unknown");
$("shape").parentElement.hidden = data.equation_count === 0; // solutions that were read from a file
for (const text of data.equations) {
  const line = make("li");
  line.append(mathematics(text), " = 0");
  $("equations").append(line);
}
if (data.equations.length < data.equation_count) $("equations").after(make("p", "and " + (data.equation_count - data.equations.length) + " more, which are too long for this page", "hint"));

function plainTable(rows) {
  const table = make("table", null, "plain"), body = make("tbody");
  for (const row of rows) {
    const line = make("tr");
    for (const cell of row) line.append(make("td", cell));
    body.append(line);
  }
  table.append(body);
  return table;
}
for (const line of data.work) $("paths").append(make("p", line));
if (data.account.length) $("paths").append(plainTable(data.account.filter(e => e[1] > 0)));
if (data.costs.length) $("paths").append(plainTable(data.costs));
for (const line of data.certificates) $("certificates").append(make("p", line));
for (const id of ["paths", "certificates"]) $(id).parentElement.hidden = $(id).children.length === 0;
$("footer").textContent = data.footer;

// ---- Numbers

function shorten(text, digits) {
  const value = Number(text);
  if (digits === 0 || value === 0) return text;
  const size = Math.abs(value);
  return size >= 1e7 || size < 1e-4 ? value.toExponential(digits - 1) : value.toPrecision(digits);
}
function number(pair, digits) {
  const re = shorten(pair[0], digits).replace("-", "\u2212");
  if (pair[1] === "0") return (re[0] === "\u2212" ? "" : " ") + re;
  const im = shorten(pair[1], digits), minus = im[0] === "-";
  return (re[0] === "\u2212" ? "" : " ") + re + (minus ? " \u2212 " : " + ") + im.slice(minus ? 1 : 0) + "i";
}
const small = v => v === null ? "\u221e" : v === 0 ? "0" : v.toExponential(1).replace("-", "\u2212");

// ---- The table

const columns = [{name: "#", key: k => k, text: k => String(k + 1), right: true}];
names.slice(0, WIDE).forEach((name, i) => columns.push({name, number: true,
  key: k => values[k * names.length * 2 + 2 * i], second: k => values[k * names.length * 2 + 2 * i + 1],
  text: k => number(get(k, "x")[i], digits)}));
columns.push({name: "real", key: k => -get(k, "real"), text: k => get(k, "real") ? "real" : "", style: "real"},
  {name: "kind", key: k => get(k, "kind"), text: k => get(k, "kind") + (get(k, "multiplicity") > 1 ? " \u00d7" + get(k, "multiplicity") : "")},
  {name: "error", key: k => get(k, "error"), text: k => small(get(k, "error")), right: true},
  {name: "residual", key: k => get(k, "residual"), text: k => small(get(k, "residual")), right: true},
  {name: "condition", key: k => get(k, "condition") === null ? Infinity : get(k, "condition"), text: k => small(get(k, "condition")), right: true});
if (count && get(0, "certificate") !== null) columns.push({name: "certificate", key: k => get(k, "certificate"), text: k => get(k, "certificate")});

const values = new Float64Array(count * names.length * 2);
all.forEach((s, k) => s[at.x].forEach((pair, i) => {
  values[(k * names.length + i) * 2] = Number(pair[0]);
  values[(k * names.length + i) * 2 + 1] = Number(pair[1]);
}));
let digits = 8, order = [], chosen = -1, sorted = 0, backwards = false;
const head = $("table").tHead.rows[0], body = $("table").tBodies[0], scroll = $("scroll");

columns.forEach((c, j) => {
  const cell = make("th", null, c.right ? "right" : ""), button = make("button", c.name);
  button.type = "button";
  button.addEventListener("click", () => { backwards = sorted === j && !backwards; sorted = j; arrange(); });
  cell.scope = "col";
  cell.append(button);
  head.append(cell);
});

function arrange() {
  const real = $("only-real").checked, positive = $("only-positive").checked, regular = $("only-regular").checked, c = columns[sorted];
  order = [];
  for (let k = 0; k < count; k++)
    if ((!real || get(k, "real")) && (!positive || get(k, "positive")) && (!regular || get(k, "kind") === "regular")) order.push(k);
  const key = new Array(count), sign = backwards ? -1 : 1;
  for (const k of order) key[k] = c.key(k);
  order.sort((a, b) => sign * (key[a] < key[b] ? -1 : key[a] > key[b] ? 1 : c.second ? c.second(a) - c.second(b) : 0) || a - b);
  [...head.cells].forEach((cell, j) => {
    cell.setAttribute("aria-sort", j !== sorted ? "none" : backwards ? "descending" : "ascending");
    cell.firstChild.textContent = columns[j].name + (j !== sorted ? "" : backwards ? " \u25be" : " \u25b4");
  });
  $("shown").textContent = order.length === count ? plural(count, "solution") : order.length + " of " + plural(count, "solution");
  show();
  draw();
}

function gap(height) {
  const row = make("tr", null, "gap"), cell = make("td");
  cell.colSpan = columns.length;
  cell.style.height = height + "px";
  row.append(cell);
  row.setAttribute("aria-hidden", "true");
  return row;
}
function show(everything) { // the rows that can be seen, with gaps in place of the others
  const first = everything ? 0 : Math.max(0, Math.floor(scroll.scrollTop / ROW) - 8);
  const last = Math.min(order.length, everything ? 2000 : first + Math.ceil(scroll.clientHeight / ROW) + 16), rows = [];
  if (first > 0) rows.push(gap(first * ROW));
  for (let n = first; n < last; n++) {
    const k = order[n], row = make("tr", null, (n % 2 ? "odd" : "") + (k === chosen ? " chosen" : ""));
    row.dataset.solution = k;
    for (const c of columns) row.append(make("td", c.text(k), (c.number ? "number" : "") + (c.right ? " right" : "") + (c.style && c.text(k) ? " " + c.style : "")));
    rows.push(row);
  }
  if (last < order.length && !everything) rows.push(gap((order.length - last) * ROW));
  body.replaceChildren(...rows);
}
function choose(k, place) { // place: also move the table there
  if (k === chosen) return;
  chosen = k;
  const n = order.indexOf(k), above = n * ROW, room = scroll.clientHeight - 2 * ROW;
  if (place && n >= 0 && (above < scroll.scrollTop || above > scroll.scrollTop + room)) scroll.scrollTop = Math.max(0, above - room / 2);
  show();
  detail();
  draw();
}
function detail() {
  const list = make("dl"), put = (term, text, style) => list.append(make("dt", term), make("dd", text, style));
  $("detail").replaceChildren(chosen < 0 ? make("p", "Point at a solution in the picture, or choose a row, to see all its digits here.", "hint")
    : make("h3", "Solution " + (chosen + 1)));
  if (chosen < 0) return;
  names.forEach((name, i) => put(name, number(get(chosen, "x")[i], 0).trim(), "number"));
  put("kind", (get(chosen, "real") ? "real, " : "") + get(chosen, "kind") + ", multiplicity " + get(chosen, "multiplicity"));
  put("error, residual, condition", [get(chosen, "error"), get(chosen, "residual"), get(chosen, "condition")].map(small).join(", "));
  if (get(chosen, "certificate") !== null) put("certificate", get(chosen, "certificate"));
  $("detail").append(list);
}
scroll.addEventListener("scroll", () => show());
body.addEventListener("click", e => { const row = e.target.closest("tr[data-solution]"); if (row) choose(Number(row.dataset.solution)); });
scroll.addEventListener("keydown", e => {
  const page = Math.max(1, Math.floor(scroll.clientHeight / ROW) - 2);
  const step = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -count, End: count}[e.key];
  if (step === undefined || e.target !== scroll || !order.length) return;
  e.preventDefault();
  choose(order[Math.min(order.length - 1, Math.max(0, order.indexOf(chosen) + step))], true);
});
for (const id of ["only-real", "only-positive", "only-regular"]) $(id).addEventListener("change", arrange);
$("digits").addEventListener("change", e => { digits = Number(e.target.value); show(); });

function copy(text, button) {
  const done = () => { const old = button.textContent; button.textContent = "Copied"; setTimeout(() => { button.textContent = old; }, 1200); };
  const area = make("textarea", text);
  document.body.append(area);
  area.select();
  const good = document.execCommand("copy");
  area.remove();
  if (good) done();
  else navigator.clipboard.writeText(text).then(done);
  button.focus();
}
const quote = s => /[",\n]/.test(s) ? '"' + s.replace(/"/g, '""') + '"' : s;
const csv = () => [names.flatMap(n => [quote("re(" + n + ")"), quote("im(" + n + ")")]).join(",") + ",real,kind,multiplicity,error"]
  .concat(order.map(k => get(k, "x").flat().join(",") + "," + [get(k, "real"), get(k, "kind"), get(k, "multiplicity"), get(k, "error")].join(","))).join("\n") + "\n";
const python = () => "unknowns = " + JSON.stringify(names) + "\nsolutions = [\n" +
  order.map(k => "    [" + get(k, "x").map(p => "complex(" + p[0] + ", " + p[1] + ")").join(", ") + "],\n").join("") + "]\n";
$("csv").addEventListener("click", e => copy(csv(), e.target));
$("python").addEventListener("click", e => copy(python(), e.target));

// ---- The picture

const canvas = $("picture"), pen = canvas.getContext("2d");
names.slice(0, 200).forEach((name, i) => $("plane").append(new Option("complex plane of " + name, i + ",-1")));
for (let i = 1; i < Math.min(names.length, 200); i++) $("plane").append(new Option(names[i] + " against " + names[i - 1] + ", real solutions", i - 1 + "," + i));
let a = 0, b = -1, view = {x: 0, y: 0, scale: 1}, wide = 1, tall = 1;
const measure = () => { wide = canvas.clientWidth || 1; tall = canvas.clientHeight || 1; }; // once per drawing: it may lay out the page
const isIn = k => b < 0 || get(k, "real");
const px = k => values[(k * names.length + a) * 2], py = k => b < 0 ? values[(k * names.length + a) * 2 + 1] : values[(k * names.length + b) * 2];
const screen = (x, y) => [wide / 2 + (x - view.x) * view.scale, tall / 2 - (y - view.y) * view.scale];

function fit() {
  measure();
  const span = f => {
    const v = order.filter(isIn).map(f).filter(Number.isFinite).sort((p, q) => p - q), n = v.length;
    if (!n) return [-1, 1];
    const low = v[Math.floor(n / 20)], high = v[n - 1 - Math.floor(n / 20)], usual = high - low;
    return n >= 20 && usual > 0 && v[n - 1] - v[0] > 4 * usual ? [Math.max(v[0], low - usual), Math.min(v[n - 1], high + usual)] : [v[0], v[n - 1]];
  };
  const [x0, x1] = span(px), [y0, y1] = span(py), most = Math.max((x1 - x0) / wide, (y1 - y0) / tall);
  view = {x: (x0 + x1) / 2, y: (y0 + y1) / 2, scale: most > 0 ? 0.86 / most : 100};
}
function marks(least) {
  const power = 10 ** Math.floor(Math.log10(least)), times = least / power;
  return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}
function axes(ink, line) {
  const step = marks(70 / view.scale);
  pen.font = "12px system-ui, sans-serif";
  pen.fillStyle = ink;
  pen.strokeStyle = line;
  const each = (centre, length, put) => {
    for (let n = Math.ceil((centre - length / 2 / view.scale) / step); n * step <= centre + length / 2 / view.scale; n++) {
      pen.lineWidth = n === 0 ? 2 : 1;
      pen.beginPath();
      put(n * step, String(Number((n * step).toPrecision(6))).replace("-", "\u2212"));
      pen.stroke();
    }
  };
  each(view.x, wide, (v, text) => { const x = screen(v, 0)[0]; pen.moveTo(x, 0); pen.lineTo(x, tall); pen.fillText(text, x + 3, tall - 5); });
  each(view.y, tall, (v, text) => { const y = screen(0, v)[1]; pen.moveTo(0, y); pen.lineTo(wide, y); if (y > 32) pen.fillText(text, 4, y - 4); }); // the name of the axis is above
  pen.font = "italic 13px system-ui, sans-serif";
  pen.textAlign = "right";
  pen.fillText(b < 0 ? "Re " + names[a] : names[a], wide - 6, tall - 20);
  pen.textAlign = "left";
  pen.fillText(b < 0 ? "Im " + names[a] : names[b], 4, 15);
}
function shades(real) { // of regular solutions, where there are many: how many lie in each cell of 3 pixels, on a logarithmic scale
  const across = Math.ceil(wide / 3), cell = new Uint32Array(across * Math.ceil(tall / 3));
  let most = 1;
  for (const k of order) {
    if (get(k, "real") !== real || get(k, "kind") !== "regular" || !isIn(k)) continue;
    const [x, y] = screen(px(k), py(k));
    if (x >= 0 && y >= 0 && x < wide && y < tall) most = Math.max(most, ++cell[Math.floor(y / 3) * across + Math.floor(x / 3)]);
  }
  const squares = Array.from({length: SHADES}, () => new Path2D());
  cell.forEach((n, i) => { if (n) squares[Math.min(SHADES - 1, Math.floor(SHADES * Math.log(n) / Math.log(most + 1)))].rect(i % across * 3, Math.floor(i / across) * 3, 3, 3); });
  squares.forEach((path, shade) => { pen.globalAlpha = 0.3 + 0.7 * shade / (SHADES - 1); pen.fill(path); });
  pen.globalAlpha = 1;
}
function symbol(x, y, kind, r) {
  pen.beginPath();
  if (kind === "regular") pen.arc(x, y, r, 0, 2 * Math.PI);
  else if (kind === "singular") { pen.moveTo(x - 1.5 * r, y); pen.lineTo(x, y + 1.5 * r); pen.lineTo(x + 1.5 * r, y); pen.lineTo(x, y - 1.5 * r); pen.closePath(); }
  else pen.rect(x - r, y - r, 2 * r, 2 * r);
}
function draw() {
  const style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue("--" + name).trim();
  const ratio = window.devicePixelRatio || 1, many = order.length > MANY;
  measure();
  canvas.width = wide * ratio;
  canvas.height = tall * ratio;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  axes(colour("soft"), colour("line"));
  for (const real of [0, 1]) {
    pen.fillStyle = pen.strokeStyle = colour(real ? "real" : "other");
    pen.lineWidth = 1.2;
    if (many) shades(real);
    for (const k of order) {
      if (get(k, "real") !== real || !isIn(k) || (many && get(k, "kind") === "regular")) continue;
      const [x, y] = screen(px(k), py(k));
      if (!(x > -9 && y > -9 && x < wide + 9 && y < tall + 9)) continue;
      symbol(x, y, get(k, "kind"), order.length > 300 ? 3 : 4.5);
      pen.globalAlpha = real ? 1 : 0.2;
      pen.fill();
      pen.globalAlpha = 1;
      pen.stroke();
    }
  }
  if (chosen >= 0 && isIn(chosen)) {
    pen.strokeStyle = colour("ink");
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(...screen(px(chosen), py(chosen)), 9, 0, 2 * Math.PI);
    pen.stroke();
  }
}
function nearest(x, y) {
  let best = -1, least = 12 * 12;
  for (const k of order) {
    if (!isIn(k)) continue;
    const [u, v] = screen(px(k), py(k)), d = (u - x) ** 2 + (v - y) ** 2;
    if (d < least) { least = d; best = k; }
  }
  return best;
}
function zoom(times, x, y) { // about a point of the canvas
  const w = canvas.clientWidth / 2, h = canvas.clientHeight / 2, dx = (x === undefined ? 0 : x - w), dy = (y === undefined ? 0 : h - y);
  view.x += dx / view.scale * (1 - 1 / times);
  view.y += dy / view.scale * (1 - 1 / times);
  view.scale *= times;
  draw();
}
let drag = null;
canvas.addEventListener("pointerdown", e => { drag = {x: e.offsetX, y: e.offsetY}; canvas.setPointerCapture(e.pointerId); });
canvas.addEventListener("pointerup", () => { drag = null; });
canvas.addEventListener("pointermove", e => {
  if (drag) {
    view.x -= (e.offsetX - drag.x) / view.scale;
    view.y += (e.offsetY - drag.y) / view.scale;
    drag = {x: e.offsetX, y: e.offsetY};
    draw();
    return;
  }
  const k = nearest(e.offsetX, e.offsetY);
  if (k >= 0) choose(k, true);
});
canvas.addEventListener("wheel", e => { // without focus the page scrolls
  if (document.activeElement !== canvas && !e.ctrlKey) return;
  e.preventDefault();
  zoom(e.deltaY < 0 ? 1.2 : 1 / 1.2, e.offsetX, e.offsetY);
}, {passive: false});
canvas.addEventListener("keydown", e => {
  const step = 40 / view.scale, act = {ArrowLeft: () => { view.x -= step; }, ArrowRight: () => { view.x += step; }, ArrowUp: () => { view.y += step; },
    ArrowDown: () => { view.y -= step; }, "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), "0": fit}[e.key];
  if (!act) return;
  e.preventDefault();
  act();
  draw();
});
$("in").addEventListener("click", () => zoom(1.25));
$("out").addEventListener("click", () => zoom(0.8));
$("reset").addEventListener("click", () => { fit(); draw(); });
function plane() {
  if ($("plane").value) [a, b] = $("plane").value.split(",").map(Number);
  fit();
  draw();
  if (names.length === 0) return;
  const real = all.reduce((n, s) => n + s[at.real], 0);
  const kinds = [["regular", "circles"], ["singular", "diamonds"], ["cluster", "squares"]].map(([kind, shape]) => [kind, shape, all.filter(s => s[at.kind] === kind).length]);
  $("legend").textContent = (b < 0 ? "Real part of " + names[a] + " to the right, imaginary part upwards. " : names[a] + " to the right, " + names[b] + " upwards; real solutions only. ") +
    "Orange: real (" + real + ")" + (b < 0 ? "; blue: not real (" + (count - real) + "). " : ". ") +
    kinds.filter(e => e[2]).map(([kind, shape, n]) => (shape[0].toUpperCase() + shape.slice(1)) + ": " + kind + " (" + n + ")").join("; ") +
    (count > MANY ? "; the darker, the more regular solutions." : ".");
}
$("plane").addEventListener("change", plane);
new ResizeObserver(() => draw()).observe(canvas);
for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", draw);
addEventListener("beforeprint", () => show(true));
addEventListener("afterprint", () => show());

if (names.length > 1 && all.every(s => s[at.real])) $("plane").value = "0,1"; // complex planes would show a line
$("found").hidden = count === 0;
arrange();
plane();
detail();
})();
