// Room for a legend that stands below a plot: how many lines it takes depends on the width, which only the page knows.

// Between the axis title and the legend, in CSS pixels.
const GAP = 4;

// How many pixels the margin below the plot lacks, with what stands there now; negative where it has more than it needs.
export function lacking(plot) {
  const { legend, showlegend, height, _size: size } = plot._fullLayout;
  if (!showlegend || !legend?._height || legend.yref !== "container" || legend.y !== 0) return 0;
  const bottom = plot.getBoundingClientRect().top + size.t + size.h;
  const boxes = (selector) => [...plot.querySelectorAll(selector)].map((one) => one.getBoundingClientRect());
  const labels = Math.max(0, ...boxes('[class*="xaxislayer"] text').map((box) => box.bottom - bottom));
  const titles = Math.max(0, ...boxes('[class^="g-x"][class*="title"] text').map((box) => box.height));
  return Math.ceil(labels + titles + legend._height + GAP - (height - size.t - size.h));
}
