// Small things about the page: elements, style sheets, the colours of the theme, saving a file.

// Text goes in as text, never as markup.
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const sheets = new Map();

// Resolves when the style sheet beside this module applies, so that nothing is drawn unstyled.
export function styles(name) {
  if (!sheets.has(name)) {
    const href = new URL(name, import.meta.url).href;
    sheets.set(name, new Promise((done) => {
      document.head.append(element("link", { rel: "stylesheet", href, onload: done, onerror: done }));
    }));
  }
  return sheets.get(name);
}

// The theme as Streamlit hands it to components, in CSS variables on an element around them.
export function theme(near) {
  const style = getComputedStyle(near);
  const read = (name) => style.getPropertyValue(`--st-${name}`).trim();
  const background = read("background-color") || "#ffffff";
  return {
    text: read("text-color") || "#222222",
    background,
    secondary: read("secondary-background-color") || "#f0f0f0",
    border: read("border-color") || "#cccccc",
    primary: read("primary-color") || "#0b6e8e",
    font: read("font") || "sans-serif",
    dark: luminance(background) < 0.5,
  };
}

// What exports look like, whatever the theme of the page.
export const PAPER = {
  text: "#1b1b1b",
  background: "#ffffff",
  secondary: "#f2f2f2",
  border: "#cfcfcf",
  primary: "#0b6e8e",
  font: "Arial, Helvetica, sans-serif",
  dark: false,
};

let pencil;

// Any CSS colour as [red, green, blue, alpha], each 0…255.
export function rgba(colour) {
  pencil ??= new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  pencil.clearRect(0, 0, 1, 1);
  pencil.fillStyle = colour;
  pencil.fillRect(0, 0, 1, 1);
  return pencil.getImageData(0, 0, 1, 1).data;
}

function luminance(colour) {
  const [red, green, blue] = rgba(colour);
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

// How large type is: the size of the root's type against the usual 16 pixels. What is measured in pixels follows it.
export const typeScale = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

const readers = new Set();
let probe;

// Calls `changed` whenever the type becomes larger or smaller; returns what ends that.
export function onTypeScale(changed) {
  if (!probe) {
    probe = element("div", { "aria-hidden": "true" });
    probe.style.cssText = "position:fixed;width:1rem;height:0;visibility:hidden;pointer-events:none";
    document.body.append(probe);
    let last = typeScale();
    new ResizeObserver(() => {
      if (last === (last = typeScale())) return;
      for (const reader of readers) reader();
    }).observe(probe);
  }
  readers.add(changed);
  return () => readers.delete(changed);
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Saves text or a Blob under a name that every file system takes.
export function save(content, name, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const url = URL.createObjectURL(blob);
  element("a", { href: url, download: name.replace(/[^\p{L}\p{N}._-]+/gu, "-") || "figure" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
