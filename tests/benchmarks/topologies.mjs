// Graphs from stdin, as dot, ELK and d2 lay them out, to stdout: sizes in pt; boxes are [left, top, right, bottom], y down.
// A graph has `nodes` [{id, wide, tall}], `groups` [{id, members, wide, tall}] from the inside out (the size is that of
// the label) and `flows` [{source, target, wide, tall, text}].
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(process.argv[2] + "/node_modules/");
const ELK = require("elkjs");
const { D2 } = await import(`file://${process.argv[2]}/node_modules/@terrastruct/d2/dist/node-esm/index.js`);
const viz = await require("@viz-js/viz").instance();

function box(x, y, wide, tall) {
  return [x, y, x + wide, y + tall];
}

function dot(graph, direction) {
  const room = (wide, tall) =>
    `<<TABLE BORDER="0" CELLPADDING="0" CELLSPACING="0"><TR><TD FIXEDSIZE="TRUE" WIDTH="${Math.ceil(wide)}" HEIGHT="${Math.ceil(tall)}"></TD></TR></TABLE>>`;
  const groups = new Map(graph.groups.map((group) => [group.id, group]));
  const held = new Set(graph.groups.flatMap((group) => group.members));
  const cluster = (group) => {
    const inside = group.members.map((one) => (groups.has(one) ? cluster(groups.get(one)) : `"${one}";`));
    return `subgraph "cluster_${group.id}" { labeljust=l label=${group.wide ? room(group.wide, group.tall) : '""'} ${inside.join(" ")} }`;
  };
  const text = [
    `digraph { rankdir=${direction === "right" ? "LR" : "TB"} node [shape=box fixedsize=true label=""]`,
    ...graph.nodes.map((node) => `"${node.id}" [width=${node.wide / 72} height=${node.tall / 72}]`),
    ...graph.groups.filter((group) => !held.has(group.id)).map(cluster),
    ...graph.flows.map((flow) => `"${flow.source}" -> "${flow.target}" [label=${flow.wide ? room(flow.wide, flow.tall) : '""'}]`),
    "}",
  ];
  const found = viz.renderJSON(text.join("\n"));
  const [, , wide, tall] = found.bb.split(",").map(Number);
  const at = (pair) => [pair[0], tall - pair[1]];
  const made = { nodes: {}, groups: {}, flows: [], texts: [], wide, tall };
  for (const one of found.objects) {
    const [first, second, third, fourth] = (one.bb ?? one.pos).split(",").map(Number);
    if (one.bb) {
      made.groups[one.name.slice("cluster_".length)] = [first, tall - fourth, third, tall - second];
      if (one.lp) text_at(made, one.lp, groups.get(one.name.slice("cluster_".length)), at);
    } else {
      const half = [(Number(one.width) * 72) / 2, (Number(one.height) * 72) / 2];
      made.nodes[one.name] = [first - half[0], tall - second - half[1], first + half[0], tall - second + half[1]];
    }
  }
  graph.flows.forEach((flow, index) => {
    const edge = found.edges[index];
    made.flows.push({ curved: true, points: edge._draw_.find((each) => each.op === "b").points.map(at) });
    if (flow.wide && edge.lp) text_at(made, edge.lp, flow, at);
  });
  return made;
}

function text_at(made, place, { wide, tall }, at) {
  const [x, y] = at(place.split(",").map(Number));
  if (wide) made.texts.push(box(x - wide / 2, y - tall / 2, wide, tall));
}

async function elk(graph, direction) {
  const nodes = new Map(graph.nodes.map((node) => [node.id, { id: node.id, width: node.wide, height: node.tall }]));
  const held = new Set();
  for (const group of graph.groups) {
    const top = 7 + group.tall;
    nodes.set(group.id, {
      id: group.id,
      children: group.members.map((one) => nodes.get(one)),
      layoutOptions: { "elk.padding": `[top=${top},left=7,bottom=7,right=7]` },
    });
    group.members.forEach((one) => held.add(one));
  }
  const edges = graph.flows.map((flow, index) => ({
    id: `e${index}`,
    sources: [flow.source],
    targets: [flow.target],
    labels: flow.wide ? [{ text: "x", width: flow.wide, height: flow.tall }] : [],
  }));
  const options = {
    "elk.algorithm": "layered",
    "elk.direction": direction === "right" ? "RIGHT" : "DOWN",
    "elk.hierarchyHandling": "INCLUDE_CHILDREN",
    "elk.json.edgeCoords": "ROOT",
    "elk.json.shapeCoords": "ROOT",
  };
  const children = [...nodes.values()].filter((node) => !held.has(node.id));
  const found = await new ELK().layout({ id: "root", layoutOptions: options, children, edges });
  const made = { nodes: {}, groups: {}, flows: [], texts: [], wide: found.width, tall: found.height };
  const sizes = new Map(graph.groups.map((group) => [group.id, group]));
  const walk = (parent) => {
    for (const node of parent.children ?? []) {
      const place = box(node.x, node.y, node.width, node.height);
      (node.children ? made.groups : made.nodes)[node.id] = place;
      const title = sizes.get(node.id);
      if (title?.wide) made.texts.push(box(node.x + 3, node.y + 3, title.wide, title.tall));
      walk(node);
    }
  };
  walk(found);
  for (const edge of found.edges) {
    const [way] = edge.sections;
    made.flows.push({ points: [way.startPoint, ...(way.bendPoints ?? []), way.endPoint].map((at) => [at.x, at.y]) });
    for (const text of edge.labels ?? []) made.texts.push(box(text.x, text.y, text.width, text.height));
  }
  return made;
}

// d2 measures texts itself: of the same words, in type of about the same size. Labels mask their own line.
async function d2(graph, direction, layout) {
  const groups = new Map(graph.groups.map((group) => [group.id, group]));
  const sizes = new Map(graph.nodes.map((node) => [node.id, node]));
  const held = new Map(graph.groups.flatMap((group) => group.members.map((one) => [one, group.id])));
  const path = (name) => (held.has(name) ? `${path(held.get(name))}.${name}` : name);
  const small = "style.font-size: 8";
  const draw = (name) => {
    if (!groups.has(name)) return `${name}: "" {width: ${Math.ceil(sizes.get(name).wide)}; height: ${Math.ceil(sizes.get(name).tall)}}`;
    const group = groups.get(name);
    return `${name}: ${JSON.stringify(group.text ?? "")} {${small}\n${group.members.map(draw).join("\n")}\n}`;
  };
  const names = [...graph.nodes, ...graph.groups].map((one) => one.id).filter((name) => !held.has(name));
  const arrows = graph.flows.map(
    (flow) => `${path(flow.source)} -> ${path(flow.target)}: ${JSON.stringify(flow.text ?? "")} {${small}}`,
  );
  const { diagram } = await engineOfD2.compile([`direction: ${direction}`, ...names.map(draw), ...arrows].join("\n"), { layout });
  const made = { nodes: {}, groups: {}, flows: [], texts: [], masks: [], wide: 0, tall: 0 };
  for (const one of diagram.shapes) {
    const name = one.id.split(".").at(-1);
    const place = box(one.pos.x, one.pos.y, one.width, one.height);
    (groups.has(name) ? made.groups : made.nodes)[name] = place;
    if (groups.has(name) && one.label) {
      const top = one.labelPosition.startsWith("OUTSIDE") ? one.pos.y - one.labelHeight - 5 : one.pos.y + 5;
      made.texts.push(box(one.pos.x + (one.width - one.labelWidth) / 2, top, one.labelWidth, one.labelHeight));
    }
  }
  for (const one of diagram.connections) {
    const points = one.route.map((at) => [at.x, at.y]);
    made.flows.push({ curved: one.isCurve, points });
    made.masks.push(one.label ? middle(one) : null);
  }
  const places = [...Object.values(made.nodes), ...Object.values(made.groups), ...made.texts, ...made.masks.filter(Boolean)];
  const corners = [...places, ...made.flows.flatMap((flow) => flow.points.map(([x, y]) => [x, y, x, y]))];
  const [left, top] = [0, 1].map((side) => Math.min(...corners.map((each) => each[side])));
  made.wide = Math.max(...corners.map((each) => each[2])) - left;
  made.tall = Math.max(...corners.map((each) => each[3])) - top;
  return made;
}

// Where the label of a connection of d2 stands: around the middle of its length.
function middle({ route, labelWidth, labelHeight }) {
  const legs = route.slice(1).map((at, index) => Math.hypot(at.x - route[index].x, at.y - route[index].y));
  let rest = legs.reduce((sum, leg) => sum + leg, 0) / 2;
  for (const [index, leg] of legs.entries()) {
    if (rest <= leg && leg) {
      const [one, other] = [route[index], route[index + 1]];
      const [x, y] = [one.x + ((other.x - one.x) * rest) / leg, one.y + ((other.y - one.y) * rest) / leg];
      return box(x - labelWidth / 2, y - labelHeight / 2, labelWidth, labelHeight);
    }
    rest -= leg;
  }
  return null;
}

const engineOfD2 = new D2();
const engines = {
  dot,
  elk,
  "d2-elk": (graph, direction) => d2(graph, direction, "elk"),
  "d2-dagre": (graph, direction) => d2(graph, direction, "dagre"),
};
const answers = [];
for (const graph of JSON.parse(readFileSync(0, "utf8"))) {
  const one = {};
  for (const [name, engine] of Object.entries(engines)) {
    one[name] = [await engine(graph, "right"), await engine(graph, "down")];
  }
  answers.push(one);
}
process.stdout.write(JSON.stringify(answers), () => process.exit(0)); // the worker of d2 goes on
