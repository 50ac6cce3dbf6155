// The colours of a street seen from above: pale enough for the lines to be what is seen first.

export const LIGHT = {
  ground: "#e6e9e1", block: "#d9ddd3", pavement: "#f4f2ed", kerb: "#aeb2b0", asphalt: "#d3d7da", bay: "#c5cacd",
  marking: "#ffffff", path: "#0b6e8e", text: "#1b1b1b", paper: "#ffffff",
  ego: "#0b6e8e", vehicle: "#6b7682", parked: "#97a1aa", person: "#b3402a", hair: "#4a2018", glass: "#27313a", light: "#ffe9a8",
  outline: "#ffffff",
};

export const DARK = {
  dark: true,
  ground: "#141815", block: "#1c221d", pavement: "#33383e", kerb: "#5b6168", asphalt: "#1f2328", bay: "#181b1f",
  marking: "#7f868d", path: "#58b8d6", text: "#f0f2f4", paper: "#0e1114",
  ego: "#58b8d6", vehicle: "#8a96a3", parked: "#5e6872", person: "#f0917c", hair: "#5c2a20", glass: "#10151a", light: "#ffe9a8",
  outline: "#0e1114",
};
