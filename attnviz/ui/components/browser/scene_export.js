// A scene on paper: the same street on white, its description above; and its road users as a table.

import { Caption } from "./caption.js";
import { frame, page } from "./export.js";
import { PAPER } from "./page.js";
import { LIGHT } from "./scene_colours.js";
import { Drawing } from "./scene_drawing.js";
import { svg as make } from "./svg.js";

const DENSITY = 2;

export function printed(scene) {
  const { width, height } = scene.view;
  const { description } = scene.header;
  const caption = new Caption(description, width);
  const root = make("svg", { y: caption.height, width, height, viewBox: `0 0 ${width} ${height}` });
  const drawing = new Drawing(root, { colours: LIGHT, font: PAPER.font, size: scene.size, alive: false });
  drawing.dress(scene.header);
  drawing.paint(scene.view, scene.held);
  const svg = () => {
    const content = new XMLSerializer().serializeToString(root);
    return frame(width, caption.height + height, description, `${caption.markup()}\n${content}`);
  };
  return {
    svg,
    html: () => page(description, [svg()]),
    png: async () => {
      const image = new Image();
      image.src = URL.createObjectURL(new Blob([svg()], { type: "image/svg+xml" }));
      try {
        await image.decode();
        const canvas = new OffscreenCanvas(width * DENSITY, (caption.height + height) * DENSITY);
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        return await canvas.convertToBlob();
      } finally {
        URL.revokeObjectURL(image.src);
      }
    },
  };
}

// [header, ...rows], one row for each road user; the columns of the heads hold weights as they are.
export function rows({ everybody, header, held }) {
  const heads = header.heads.map(({ name }, index) => name || `head ${index + 1}`);
  return [
    ["id", "name", "kind", "x", "y", "heading", ...heads.map((name) => `weight ${name}`.trim())],
    ...everybody.map((user) => {
      const { x, y, heading } = held.get(user.id) ?? user;
      const weights = header.heads.map((_head, index) => header.lines[user.id]?.[index].weight ?? "");
      return [user.id, user.label, user.kind, x, y, heading, ...weights];
    }),
  ];
}
