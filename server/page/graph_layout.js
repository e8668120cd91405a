// SPDX-License-Identifier: MIT
// graph_layout.js - a graph's definition -> places of nodes and courses of edges, from top to bottom.
//
// Happy path: edges that lead back are set aside; each node goes below those before it; an edge over
// several rows gets a place in each of them, so that it runs beside the nodes; rows are ordered by
// the middle of their neighbours; edges that lead back run along the right side.

const SWEEPS = 6;
export const NODE = { width: 96, height: 38, small: 56, smallHeight: 24, gapX: 14, gapY: 26, lane: 14, character: 7.1, room: 24 };

const listBack = (names, out) => {
  const state = new Map(), back = new Set();
  const visit = name => {
    state.set(name, 'open');
    for (const edge of out.get(name)) {
      if (state.get(edge.to) === 'open')
        back.add(edge);
      else if (!state.has(edge.to))
        visit(edge.to);
    }
    state.set(name, 'done');
  };
  for (const name of names)
    if (!state.has(name))
      visit(name);
  return back;
};

const rankNodes = (names, forward) => {
  const rank = new Map(names.map(name => [name, 0]));
  for (let changed = true, rounds = 0; changed && rounds <= names.length; rounds++) {
    changed = false;
    for (const { from, to } of forward)
      if (rank.get(to) < rank.get(from) + 1) {
        rank.set(to, rank.get(from) + 1);
        changed = true;
      }
  }
  return rank;
};

// Rows of cells; an edge over several rows has a cell of its own in those between.
const makeRows = (names, rank, forward) => {
  const rows = [], cells = new Map();
  const put = (row, cell) => (rows[row] ??= []).push(cell);
  for (const name of names) {
    cells.set(name, { name, above: [], below: [] });
    put(rank.get(name), cells.get(name));
  }
  for (const edge of forward) {
    edge.cells = [cells.get(edge.from)];
    for (let row = rank.get(edge.from) + 1; row < rank.get(edge.to); row++) {
      const cell = { name: null, above: [], below: [] };
      put(row, cell);
      edge.cells.push(cell);
    }
    edge.cells.push(cells.get(edge.to));
    for (let i = 1; i < edge.cells.length; i++) {
      edge.cells[i - 1].below.push(edge.cells[i]);
      edge.cells[i].above.push(edge.cells[i - 1]);
    }
  }
  return { rows, cells };
};

const orderRows = rows => {
  const number = () => rows.forEach(row => row.forEach((cell, i) => { cell.order = i - (row.length - 1) / 2; }));
  number();
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const side = sweep % 2 ? 'below' : 'above';
    for (const row of sweep % 2 ? [...rows].reverse() : rows) {
      const weight = new Map(row.map(cell =>
        [cell, cell[side].length ? cell[side].reduce((sum, one) => sum + one.order, 0) / cell[side].length : cell.order]));
      row.sort((a, b) => weight.get(a) - weight.get(b));
      row.forEach((cell, i) => { cell.order = i - (row.length - 1) / 2; });
    }
  }
};

export const isEnd = name => name === 'START' || name === 'END';
const heightOf = cell => isEnd(cell.name) ? NODE.smallHeight : NODE.height;

// Nodes of a graph are all as wide as the longest title needs.
const placeRows = (rows, names, titleOf) => {
  const wide = Math.max(NODE.width, Math.max(...names.map(name => titleOf(name).length)) * NODE.character + NODE.room);
  const widthOf = cell => cell.name === null ? NODE.lane : isEnd(cell.name) ? NODE.small : wide;
  const widths = rows.map(row => row.reduce((sum, cell) => sum + widthOf(cell), 0) + NODE.gapX * (row.length - 1));
  const width = Math.max(...widths);
  rows.forEach((row, r) => {
    let x = (width - widths[r]) / 2;
    for (const cell of row) {
      Object.assign(cell, { x: x + widthOf(cell) / 2, y: r * (NODE.height + NODE.gapY) + NODE.height / 2, width: widthOf(cell) });
      x += widthOf(cell) + NODE.gapX;
    }
  });
  return width;
};

const curve = points => points.slice(1).reduce((path, [x, y], i) => {
  const [px, py] = points[i], middle = (py + y) / 2;
  return `${path}C${px} ${middle} ${x} ${middle} ${x} ${y}`;
}, `M${points[0].join(' ')}`);

const forwardPath = cells => {
  const points = [];
  cells.forEach((cell, i) => {
    if (i > 0)
      points.push([cell.x, cell.y - heightOf(cell) / 2]);
    if (i < cells.length - 1)
      points.push([cell.x, cell.y + heightOf(cell) / 2]);
  });
  const [[x, y], [toX, toY]] = points;
  return { path: curve(points), middle: [x + (toX - x) * 0.75, (y + toY) / 2] };
};

const backPath = (from, to, x) => {
  const [sx, tx] = [from.x + from.width / 2, to.x + to.width / 2], turn = 10;
  const path = `M${sx} ${from.y}H${x - turn}Q${x} ${from.y} ${x} ${from.y - turn}V${to.y + turn}Q${x} ${to.y} ${x - turn} ${to.y}H${tx}`;
  return { path, middle: [x, (from.y + to.y) / 2] };
};

// Edges between the same two nodes are one, with all their labels.
const mergeEdges = given => {
  const merged = new Map();
  for (const { from, to, label } of given) {
    const edge = merged.get(`${from} ${to}`) ?? { from, to, labels: [] };
    if (label)
      edge.labels.push(label);
    merged.set(`${from} ${to}`, edge);
  }
  return [...merged.values()];
};

// { width, height, nodes: [{ name, x, y, width }], edges: [{ from, to, label, path, middle, isBack }] }
export const layOutGraph = ({ nodes, edges: given }, titleOf = name => name) => {
  const names = ['START', ...nodes.map(node => node.name), 'END'];
  const edges = mergeEdges(given);
  const out = new Map(names.map(name => [name, edges.filter(edge => edge.from === name)]));
  const back = listBack(names, out), forward = edges.filter(edge => !back.has(edge));
  const { rows, cells } = makeRows(names, rankNodes(names, forward), forward);
  orderRows(rows);
  const width = placeRows(rows, names, titleOf);
  const lanes = [...back].sort((a, b) => (cells.get(a.from).y - cells.get(a.to).y) - (cells.get(b.from).y - cells.get(b.to).y));
  return {
    width: width + (lanes.length ? NODE.gapX + lanes.length * NODE.lane : 0),
    height: rows.length * (NODE.height + NODE.gapY) - NODE.gapY,
    nodes: names.map(name => cells.get(name)),
    edges: edges.map(edge => ({
      from: edge.from, to: edge.to, label: edge.labels.join(', '), isBack: back.has(edge),
      ...(back.has(edge) ? backPath(cells.get(edge.from), cells.get(edge.to), width + NODE.gapX + lanes.indexOf(edge) * NODE.lane) : forwardPath(edge.cells)),
    })),
  };
};
