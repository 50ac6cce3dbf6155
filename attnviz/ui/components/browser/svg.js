// Elements of SVG. Text goes in as text, never as markup.

export const NS = "http://www.w3.org/2000/svg";

export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(NS, tag);
  put(made, attributes);
  made.append(...children);
  return made;
}

export function put(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) node.removeAttribute(name);
    else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
  }
}

// Short enough for an attribute, finer than a pixel can show.
export const short = (value) => Math.round(value * 1000) / 1000;
