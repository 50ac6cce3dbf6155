// The description above an exported picture: on a canvas and in an SVG.

import { PAPER } from "./page.js";

const EDGE = 12;
const LINE = 18;
const SIZE = 13;

export class Caption {
  // width: CSS pixels of the picture below
  constructor(description, width) {
    this.lines = wrap(description, width - 2 * EDGE);
    this.height = EDGE + this.lines.length * LINE + 4;
  }

  draw(pencil) {
    pencil.fillStyle = PAPER.text;
    pencil.font = font();
    pencil.textAlign = "left";
    pencil.textBaseline = "alphabetic";
    this.lines.forEach((line, index) => pencil.fillText(line, EDGE, EDGE + SIZE + index * LINE));
  }

  markup() {
    const style = `font-family="${escape(PAPER.font)}" font-size="${SIZE}" fill="${PAPER.text}"`;
    return this.lines.map((line, index) => `<text x="${EDGE}" y="${EDGE + SIZE + index * LINE}" ${style}>${escape(line)}</text>`).join("\n");
  }
}

export const escape = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const font = () => `${SIZE}px ${PAPER.font}`;

let pencil;

// Between words; where a language writes none, or a word is longer than the line, between letters.
function wrap(description, room) {
  pencil ??= new OffscreenCanvas(1, 1).getContext("2d");
  pencil.font = font();
  const fits = (line) => pencil.measureText(line).width <= room;
  const lines = [""];
  for (const word of description.split(/(?<=\s)/u)) {
    if (fits(lines.at(-1) + word.trimEnd())) lines[lines.length - 1] += word;
    else if (fits(word)) lines.push(word);
    else for (const letter of word) {
      if (fits(lines.at(-1) + letter)) lines[lines.length - 1] += letter;
      else lines.push(letter);
    }
  }
  return lines.map((line) => line.trim());
}
