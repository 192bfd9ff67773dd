// page.js - the page of a run: shows the data of the element "data", which plumb solve and plumb decompose with --html and html() of
// Python fill. Texts reach the document only as textContent, so nothing in them is markup. A table has only the rows that can be seen, and
// the picture is a canvas, so that 20,000 solutions are no more work than 20. Solutions of a family or of a decomposition belong to
// groups: targets or components, which have a table of their own, and each of whose rows ends with its solutions.
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
const names = data.unknowns, parameters = data.parameters || [], groups = data.groups || null, ROW = 28, WIDE = 40, MANY = 2000, SHADES = 5;
const all = groups ? groups.rows.flatMap(row => row[row.length - 1]) : data.solutions, count = all.length;
const groupOf = groups ? Int32Array.from(groups.rows.flatMap((row, g) => row[row.length - 1].map(() => g))) : null;
const PLACE = ["kind", "multiplicity", "real", "positive", "error", "residual", "condition", "digits", "certificate", "x"];
const at = Object.fromEntries(PLACE.map((name, k) => [name, k]));
const get = (k, what) => all[k][at[what]];
const word = groups && groups.points || "solution"; // what the second table lists
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
$("shape").textContent = plural(data.equation_count, "equation") + " in " + plural(names.length, "unknown") +
  (parameters.length ? " with " + (parameters.length === 1 ? "the parameter " : "parameters ") + parameters.join(", ") : "");
$("shape").parentElement.hidden = data.equation_count === 0; // solutions that were read from a file
function equations(list, texts) {
  for (const text of texts) {
    const line = make("li");
    line.append(mathematics(text), " = 0");
    list.append(line);
  }
  return list;
}
equations($("equations"), data.equations);
for (const [dimension, texts] of data.slices || []) {
  const part = make("details");
  part.append(make("summary", "Slice of dimension " + dimension + ": " + plural(texts.length, "random linear equation")), equations(make("ol", null, "equations"), texts));
  $("slices").append(part);
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
if (data.evidence) $("certificates").previousElementSibling.textContent = data.evidence;
for (const id of ["paths", "certificates"]) $(id).parentElement.hidden = $(id).children.length === 0;
$("footer").textContent = data.footer;

// ---- Numbers

function shorten(text, digits) { // never to more digits than the text has: those are the ones that are known
  const value = Number(text), known = text.replace(/e.*/i, "").replace(/^[-0.]+/, "").replace(".", "").length;
  if (digits === 0 || value === 0 || known <= digits) return text;
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

// ---- Tables

function gap(height, columns) {
  const row = make("tr", null, "gap"), cell = make("td");
  cell.colSpan = columns;
  cell.style.height = height + "px";
  row.append(cell);
  row.setAttribute("aria-hidden", "true");
  return row;
}

// A table in the element scroll, of those of the rows 0 ... rows - 1 for which the function that keep() returns holds. A column has a name, key(k) to sort by and perhaps a
// second one, text(k), and perhaps a style. changed is called after the rows were arranged, and picked after one was chosen.
function tableIn(scroll, columns, rows, keep, changed, picked) {
  const head = scroll.querySelector("thead tr"), body = scroll.querySelector("tbody"), t = {order: [], chosen: -1};
  let sorted = 0, backwards = false;
  t.arrange = () => {
    const c = columns[sorted], key = new Array(rows), sign = backwards ? -1 : 1;
    t.order = [];
    const isKept = keep();
    for (let k = 0; k < rows; k++) if (isKept(k)) t.order.push(k);
    for (const k of t.order) key[k] = c.key(k);
    t.order.sort((a, b) => sign * (key[a] < key[b] ? -1 : key[a] > key[b] ? 1 : c.second ? c.second(a) - c.second(b) : 0) || a - b);
    [...head.cells].forEach((cell, j) => {
      cell.setAttribute("aria-sort", j !== sorted ? "none" : backwards ? "descending" : "ascending");
      cell.firstChild.textContent = columns[j].name + (j !== sorted ? "" : backwards ? " \u25be" : " \u25b4");
    });
    t.show();
    changed();
  };
  t.show = everything => { // the rows that can be seen, with gaps in place of the others
    const first = everything ? 0 : Math.max(0, Math.floor(scroll.scrollTop / ROW) - 8);
    const last = Math.min(t.order.length, everything ? 2000 : first + Math.ceil(scroll.clientHeight / ROW) + 16), made = [];
    if (first > 0) made.push(gap(first * ROW, columns.length));
    for (let n = first; n < last; n++) {
      const k = t.order[n], row = make("tr", null, (n % 2 ? "odd" : "") + (k === t.chosen ? " chosen" : ""));
      row.dataset.row = k;
      for (const c of columns) row.append(make("td", c.text(k), (c.number ? "number" : "") + (c.right ? " right" : "") + (c.style && c.text(k) ? " " + c.style : "")));
      made.push(row);
    }
    if (last < t.order.length && !everything) made.push(gap((t.order.length - last) * ROW, columns.length));
    body.replaceChildren(...made);
  };
  t.choose = (k, place) => { // place: also move the table there
    if (k === t.chosen) return;
    t.chosen = k;
    const n = t.order.indexOf(k), above = n * ROW, room = scroll.clientHeight - 2 * ROW;
    if (place && n >= 0 && (above < scroll.scrollTop || above > scroll.scrollTop + room)) scroll.scrollTop = Math.max(0, above - room / 2);
    t.show();
    picked();
  };
  columns.forEach((c, j) => {
    const cell = make("th", null, c.right ? "right" : ""), button = make("button", c.name);
    button.type = "button";
    button.addEventListener("click", () => { backwards = sorted === j && !backwards; sorted = j; t.arrange(); });
    cell.scope = "col";
    cell.append(button);
    head.append(cell);
  });
  scroll.addEventListener("scroll", () => t.show());
  body.addEventListener("click", e => { const row = e.target.closest("tr[data-row]"); if (row) t.choose(Number(row.dataset.row)); });
  scroll.addEventListener("keydown", e => {
    const page = Math.max(1, Math.floor(scroll.clientHeight / ROW) - 2);
    const step = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -rows, End: rows}[e.key];
    if (step === undefined || e.target !== scroll || !t.order.length) return;
    e.preventDefault();
    t.choose(t.order[Math.min(t.order.length - 1, Math.max(0, t.order.indexOf(t.chosen) + step))], true);
  });
  return t;
}

// ---- Targets or components

const cellOf = (g, j) => groups.rows[g][j];
const groupColumns = groups ? [{name: "#", key: g => g, text: g => String(g + 1), right: true}] : [];
(groups ? groups.columns : []).forEach(([name, kind], j) => {
  if (kind === "number" && j >= WIDE) return;
  groupColumns.push(kind === "number" ? {name, number: true, key: g => Number(cellOf(g, j)[0]), second: g => Number(cellOf(g, j)[1]), text: g => number(cellOf(g, j), digits)}
    : kind === "error" ? {name, right: true, key: g => cellOf(g, j), text: g => small(cellOf(g, j))}
    : {name, right: kind === "count", key: g => cellOf(g, j) === null ? -1 : cellOf(g, j), text: g => cellOf(g, j) === null ? "" : String(cellOf(g, j))});
});
const groupName = g => groups.one + " " + (g + 1);
let digits = 8;
const groupTable = tableIn($("groups-scroll"), groupColumns, groups ? groups.rows.length : 0, () => () => true, () => draw(), () => {
  $("every").hidden = groupTable.chosen < 0;
  table.choose(-1);
  table.arrange();
  if (scene.ofGroups) draw();
  else plane();
});
$("groups").hidden = groups === null || groups.rows.length === 0;
if (groups) {
  $("groups").firstElementChild.textContent = groups.heading;
  $("groups-scroll").setAttribute("aria-label", "Table of " + groups.heading.toLowerCase() + "; arrow keys move the selection");
  $("groups-hint").textContent = count ? groups.hint : "";
  $("every").textContent = "Show all " + groups.one + "s";
  $("found").firstElementChild.textContent = word[0].toUpperCase() + word.slice(1) + "s";
}
$("every").addEventListener("click", () => { groupTable.choose(-1); $("groups-scroll").focus(); });

// ---- Solutions

const hasResiduals = all.some(s => s[at.residual] !== 0); // those of witness points are not kept
const columns = [{name: "#", key: k => k, text: k => String(k + 1), right: true}];
if (groups) columns.push({name: groups.one, key: k => groupOf[k], text: k => String(groupOf[k] + 1), right: true});
names.slice(0, WIDE).forEach((name, i) => columns.push({name, number: true,
  key: k => values[k * names.length * 2 + 2 * i], second: k => values[k * names.length * 2 + 2 * i + 1],
  text: k => number(get(k, "x")[i], digits)}));
columns.push({name: "real", key: k => -get(k, "real"), text: k => get(k, "real") ? "real" : "", style: "real"},
  {name: "kind", key: k => get(k, "kind"), text: k => get(k, "kind") + (get(k, "multiplicity") > 1 ? " \u00d7" + get(k, "multiplicity") : "")},
  {name: "error", key: k => get(k, "error"), text: k => small(get(k, "error")), right: true},
  ...(hasResiduals ? [{name: "residual", key: k => get(k, "residual"), text: k => small(get(k, "residual")), right: true}] : []),
  {name: "condition", key: k => get(k, "condition") === null ? Infinity : get(k, "condition"), text: k => small(get(k, "condition")), right: true});
if (count && get(0, "certificate") !== null) columns.push({name: "certificate", key: k => get(k, "certificate"), text: k => get(k, "certificate")});

const values = new Float64Array(count * names.length * 2);
all.forEach((s, k) => s[at.x].forEach((pair, i) => {
  values[(k * names.length + i) * 2] = Number(pair[0]);
  values[(k * names.length + i) * 2 + 1] = Number(pair[1]);
}));

function isWanted() {
  const real = $("only-real").checked, positive = $("only-positive").checked, regular = $("only-regular").checked, group = groups ? groupTable.chosen : -1;
  return k => (group < 0 || groupOf[k] === group) && (!real || get(k, "real")) && (!positive || get(k, "positive")) && (!regular || get(k, "kind") === "regular");
}
const table = tableIn($("scroll"), columns, count, isWanted, () => {
  $("shown").textContent = (table.order.length === count ? "" : table.order.length + " of ") + plural(count, word) +
    (groups && groupTable.chosen >= 0 ? ": " + groupName(groupTable.chosen) : "");
  legend();
  draw();
}, () => { detail(); draw(); });

function detail() {
  const list = make("dl"), put = (term, text, style) => list.append(make("dt", term), make("dd", text, style)), k = table.chosen;
  $("detail").replaceChildren(k < 0 ? make("p", "Point at a " + word + " in the picture, or choose a row, to see all its digits here.", "hint")
    : make("h3", word[0].toUpperCase() + word.slice(1) + " " + (k + 1) + (groups ? ", " + groupName(groupOf[k]) : "")));
  if (k < 0) return;
  names.forEach((name, i) => put(name, number(get(k, "x")[i], 0).trim(), "number"));
  if (groups) parameters.forEach((name, j) => put(name + " (parameter)", number(cellOf(groupOf[k], j), 0).trim(), "number"));
  put("kind", (get(k, "real") ? "real, " : "") + get(k, "kind") + ", multiplicity " + get(k, "multiplicity"));
  const sizes = ["error", "residual", "condition"].filter(name => name !== "residual" || hasResiduals);
  put(sizes.join(", "), sizes.map(name => small(get(k, name))).join(", "));
  if (get(k, "certificate") !== null) put("certificate", get(k, "certificate"));
  $("detail").append(list);
}
for (const id of ["only-real", "only-positive", "only-regular"]) $(id).addEventListener("change", table.arrange);
$("digits").addEventListener("change", e => { digits = Number(e.target.value); table.show(); groupTable.show(); });

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
const csv = () => [(groups ? groups.one + "," : "") + names.flatMap(n => [quote("re(" + n + ")"), quote("im(" + n + ")")]).join(",") + ",real,kind,multiplicity,error"]
  .concat(table.order.map(k => (groups ? groupOf[k] + 1 + "," : "") + get(k, "x").flat().join(",") + "," +
    [get(k, "real"), get(k, "kind"), get(k, "multiplicity"), get(k, "error")].join(","))).join("\n") + "\n";
const python = () => "unknowns = " + JSON.stringify(names) + "\nsolutions = [\n" +
  table.order.map(k => "    [" + get(k, "x").map(p => "complex(" + p[0] + ", " + p[1] + ")").join(", ") + "],\n").join("") + "]\n";
$("csv").addEventListener("click", e => copy(csv(), e.target));
$("python").addEventListener("click", e => copy(python(), e.target));

// ---- The picture

// A scene says what is drawn: the solutions or the groups, where each stands, what the axes are called, and whether their scales are equal.
const canvas = $("picture"), pen = canvas.getContext("2d"), part = (k, i, p) => values[(k * names.length + i) * 2 + p];
const isReal = k => get(k, "real"), target = (g, j) => Number(cellOf(g, j)[0]), isRealTarget = (g, ...list) => list.every(j => cellOf(g, j)[1] === "0");
const scenes = [], MOST_SCENES = 200;
const add = (title, one) => { scenes.push(one); $("plane").append(new Option(title, scenes.length - 1)); };
const drawnNames = count ? names.slice(0, MOST_SCENES) : []; // without solutions only targets can be drawn
drawnNames.forEach((name, i) => add("complex plane of " + name, {isIn: () => true, both: true, x: k => part(k, i, 0), y: k => part(k, i, 1), equal: true,
  right: "Re " + name, up: "Im " + name, about: "Real part of " + name + " to the right, imaginary part upwards. "}));
drawnNames.slice(1).forEach((name, i) => add(name + " against " + names[i] + ", real solutions", {isIn: isReal, x: k => part(k, i, 0), y: k => part(k, i + 1, 0),
  equal: true, right: names[i], up: name, about: names[i] + " to the right, " + name + " upwards; real solutions only. "}));
const counted = groups && parameters.length ? groups.columns.findIndex(c => c[0] === "real" && c[1] === "count") : -1;
const firstOfParameters = scenes.length;
if (parameters.length && counted >= 0) {
  for (let j = 1; j < Math.min(parameters.length, 12); j++)
    for (let i = 0; i < j; i++) add("real solutions by " + parameters[i] + " and " + parameters[j], {ofGroups: true, isIn: g => isRealTarget(g, i, j), x: g => target(g, i),
      y: g => target(g, j), right: parameters[i], up: parameters[j], about: parameters[i] + " to the right, " + parameters[j] + " upwards. "});
  if (parameters.length === 1 && !count) add("real solutions by " + parameters[0], {ofGroups: true, isIn: g => isRealTarget(g, 0), x: g => target(g, 0),
    y: g => cellOf(g, counted), right: parameters[0], up: "real solutions", about: parameters[0] + " to the right, the number of real solutions upwards. "});
  parameters.slice(0, 12).forEach((parameter, j) => drawnNames.slice(0, 12).forEach((name, i) => add(name + " against " + parameter + ", real solutions",
    {isIn: k => get(k, "real") && isRealTarget(groupOf[k], j), x: k => target(groupOf[k], j), y: k => part(k, i, 0), right: parameter, up: name,
      about: parameter + " to the right, " + name + " upwards; real solutions of real targets only. "})));
}
let ready = false; // to be drawn: all tables are arranged
let scene = scenes[0] || {isIn: () => true, equal: true}, view = {x: 0, y: 0, sx: 1, sy: 1}, wide = 1, tall = 1;
const measure = () => { wide = canvas.clientWidth || 1; tall = canvas.clientHeight || 1; }; // once per drawing: it may lay out the page
const drawn = () => scene.ofGroups ? groupTable : table; // whose rows the scene shows
const screen = (x, y) => [wide / 2 + (x - view.x) * view.sx, tall / 2 - (y - view.y) * view.sy];

function fit() {
  measure();
  const span = f => {
    const v = Float64Array.from(drawn().order.filter(scene.isIn).map(f).filter(Number.isFinite)).sort(), n = v.length;
    if (!n) return [-1, 1];
    const low = v[Math.floor(n / 20)], high = v[n - 1 - Math.floor(n / 20)], usual = high - low;
    return n >= 20 && usual > 0 && v[n - 1] - v[0] > 4 * usual ? [Math.max(v[0], low - usual), Math.min(v[n - 1], high + usual)] : [v[0], v[n - 1]];
  };
  const [x0, x1] = span(scene.x), [y0, y1] = span(scene.y), scale = size => size > 0 ? 0.86 / size : 100;
  const most = Math.max((x1 - x0) / wide, (y1 - y0) / tall);
  view = {x: (x0 + x1) / 2, y: (y0 + y1) / 2, sx: scale(scene.equal ? most : (x1 - x0) / wide), sy: scale(scene.equal ? most : (y1 - y0) / tall)};
}
function marks(least) {
  const power = 10 ** Math.floor(Math.log10(least)), times = least / power;
  return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}
function axes(ink, line) {
  pen.font = "12px system-ui, sans-serif";
  pen.fillStyle = ink;
  pen.strokeStyle = line;
  const each = (centre, length, scale, put) => {
    const step = marks(70 / scale);
    for (let n = Math.ceil((centre - length / 2 / scale) / step); n * step <= centre + length / 2 / scale; n++) {
      pen.lineWidth = n === 0 ? 2 : 1;
      pen.beginPath();
      put(n * step, String(Number((n * step).toPrecision(6))).replace("-", "\u2212"));
      pen.stroke();
    }
  };
  each(view.x, wide, view.sx, (v, text) => { const x = screen(v, 0)[0]; pen.moveTo(x, 0); pen.lineTo(x, tall); pen.fillText(text, x + 3, tall - 5); });
  each(view.y, tall, view.sy, (v, text) => { const y = screen(0, v)[1]; pen.moveTo(0, y); pen.lineTo(wide, y); if (y > 32) pen.fillText(text, 4, y - 4); }); // the name of the axis is above
  pen.font = "italic 13px system-ui, sans-serif";
  pen.textAlign = "right";
  pen.fillText(scene.right || "", wide - 6, tall - 20);
  pen.textAlign = "left";
  pen.fillText(scene.up || "", 4, 15);
}
function shades(real) { // of regular solutions, where there are many: how many lie in each cell of 3 pixels, on a logarithmic scale
  const across = Math.ceil(wide / 3), cell = new Uint32Array(across * Math.ceil(tall / 3));
  let most = 1;
  for (const k of table.order) {
    if (get(k, "real") !== real || get(k, "kind") !== "regular" || !scene.isIn(k)) continue;
    const [x, y] = screen(scene.x(k), scene.y(k));
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
function drawSolutions(colour) {
  const many = table.order.length > MANY;
  for (const real of [0, 1]) {
    pen.fillStyle = pen.strokeStyle = colour(real ? "real" : "other");
    pen.lineWidth = 1.2;
    if (many) shades(real);
    for (const k of table.order) {
      if (get(k, "real") !== real || !scene.isIn(k) || (many && get(k, "kind") === "regular")) continue;
      const [x, y] = screen(scene.x(k), scene.y(k));
      if (!(x > -9 && y > -9 && x < wide + 9 && y < tall + 9)) continue;
      symbol(x, y, get(k, "kind"), table.order.length > 300 ? 3 : 4.5);
      pen.globalAlpha = real ? 1 : 0.2;
      pen.fill();
      pen.globalAlpha = 1;
      pen.stroke();
    }
  }
}
function drawGroups(colour) { // how many real solutions each has, by a shade, and by a number where there is room
  const most = groupTable.order.reduce((m, g) => Math.max(m, cellOf(g, counted)), 1), few = groupTable.order.length <= 150;
  pen.textAlign = "center";
  pen.font = "10px system-ui, sans-serif";
  for (const g of groupTable.order) {
    if (!scene.isIn(g)) continue;
    const n = cellOf(g, counted), [x, y] = screen(scene.x(g), scene.y(g)), r = few ? 7 : groupTable.order.length > 2000 ? 2.5 : 4;
    pen.strokeStyle = pen.fillStyle = colour(n ? "real" : "other");
    pen.lineWidth = 1;
    pen.beginPath();
    pen.arc(x, y, r, 0, 2 * Math.PI);
    pen.globalAlpha = n ? 0.15 + 0.85 * n / most : 0.15;
    pen.fill();
    pen.globalAlpha = 1;
    if (few || !n) pen.stroke();
    pen.fillStyle = colour(n > 0.6 * most ? "paper" : "ink");
    if (few) pen.fillText(String(n), x, y + 3.5);
  }
  pen.textAlign = "left";
}
function draw() {
  if (!ready) return;
  const style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue("--" + name).trim();
  const ratio = window.devicePixelRatio || 1, chosen = drawn().chosen;
  measure();
  canvas.width = wide * ratio;
  canvas.height = tall * ratio;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  axes(colour("soft"), colour("line"));
  (scene.ofGroups ? drawGroups : drawSolutions)(colour);
  if (chosen >= 0 && scene.isIn(chosen)) {
    pen.strokeStyle = colour("ink");
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(...screen(scene.x(chosen), scene.y(chosen)), 9, 0, 2 * Math.PI);
    pen.stroke();
  }
}
function nearest(x, y) {
  let best = -1, least = 12 * 12;
  for (const k of drawn().order) {
    if (!scene.isIn(k)) continue;
    const [u, v] = screen(scene.x(k), scene.y(k)), d = (u - x) ** 2 + (v - y) ** 2;
    if (d < least) { least = d; best = k; }
  }
  return best;
}
function zoom(times, x, y) { // about a point of the canvas
  const w = canvas.clientWidth / 2, h = canvas.clientHeight / 2, dx = (x === undefined ? 0 : x - w), dy = (y === undefined ? 0 : h - y);
  view.x += dx / view.sx * (1 - 1 / times);
  view.y += dy / view.sy * (1 - 1 / times);
  view.sx *= times;
  view.sy *= times;
  draw();
}
let drag = null;
canvas.addEventListener("pointerdown", e => { drag = {x: e.offsetX, y: e.offsetY}; canvas.setPointerCapture(e.pointerId); });
canvas.addEventListener("pointerup", () => { drag = null; });
canvas.addEventListener("pointermove", e => {
  if (drag) {
    view.x -= (e.offsetX - drag.x) / view.sx;
    view.y += (e.offsetY - drag.y) / view.sy;
    drag = {x: e.offsetX, y: e.offsetY};
    draw();
    return;
  }
  const k = nearest(e.offsetX, e.offsetY);
  if (k >= 0) drawn().choose(k, true);
});
canvas.addEventListener("wheel", e => { // without focus the page scrolls
  if (document.activeElement !== canvas && !e.ctrlKey) return;
  e.preventDefault();
  zoom(e.deltaY < 0 ? 1.2 : 1 / 1.2, e.offsetX, e.offsetY);
}, {passive: false});
canvas.addEventListener("keydown", e => {
  const act = {ArrowLeft: () => { view.x -= 40 / view.sx; }, ArrowRight: () => { view.x += 40 / view.sx; }, ArrowUp: () => { view.y += 40 / view.sy; },
    ArrowDown: () => { view.y -= 40 / view.sy; }, "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), "0": fit}[e.key];
  if (!act) return;
  e.preventDefault();
  act();
  draw();
});
$("in").addEventListener("click", () => zoom(1.25));
$("out").addEventListener("click", () => zoom(0.8));
$("reset").addEventListener("click", () => { fit(); draw(); });
function plane() {
  scene = scenes[$("plane").value] || scene;
  fit();
  draw();
  legend();
}
function legend() { // agrees with what is drawn
  if (!ready || scenes.length === 0) return;
  if (scene.ofGroups) {
    const most = groups.rows.reduce((m, row) => Math.max(m, row[counted]), 0);
    $("legend").textContent = scene.about + "Numbers of real solutions: blue, none; orange, the stronger, the more (at most " + most + "). Complex values of parameters are not shown.";
    return;
  }
  const shown = table.order.filter(scene.isIn), real = shown.filter(isReal).length;
  const kinds = [["regular", "circles"], ["singular", "diamonds"], ["cluster", "squares"]].map(([kind, shape]) => [kind, shape, shown.filter(k => get(k, "kind") === kind).length]);
  const symbols = kinds.filter(e => e[2]).map(([kind, shape, n]) => shape + ": " + kind + " (" + n + ")").join("; ");
  $("legend").textContent = scene.about + "Orange: real (" + real + ")" + (scene.both ? "; blue: not real (" + (shown.length - real) + "). " : ". ") +
    symbols.slice(0, 1).toUpperCase() + symbols.slice(1) + (shown.length > MANY ? "; the stronger the colour, the more regular solutions." : ".");
}
$("plane").addEventListener("change", plane);
new ResizeObserver(() => draw()).observe(canvas);
for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", draw);
addEventListener("beforeprint", () => { table.show(true); groupTable.show(true); });
addEventListener("afterprint", () => { table.show(); groupTable.show(); });

if (scenes.length > firstOfParameters) $("plane").value = String(firstOfParameters); // how the solutions depend on the parameters
else if (!groups && names.length > 1 && all.every(s => s[at.real])) $("plane").value = String(Math.min(names.length, MOST_SCENES)); // complex planes would show a line
$("found").hidden = scenes.length === 0;
if (count === 0) {
  $("found").className = "picture";
  $("found").firstElementChild.textContent = "Picture";
}
groupTable.arrange();
table.arrange();
ready = true;
plane();
detail();
})();
