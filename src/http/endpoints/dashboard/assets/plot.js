// Stacked bars over time, by uPlot, which its own script has put into the window.
/* global uPlot */

/** Colours in the order of the series: dashboard.css has them for both schemes. */
const colourCount = 6;
export const colourClass = (index) => `series-${index % colourCount}`;

const dark = matchMedia('(prefers-color-scheme: dark)');

/** What has to change with the window and its colours, of the plots that are shown. */
const redraws = new Map();
const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) redraws.get(target)?.();
});
dark.addEventListener('change', () => {
  for (const redraw of redraws.values()) redraw(true);
});

/**
 * @param picture.times Starts of the bars, in seconds
 * @param picture.series `{ label, values }`, the lowest of the stack first
 * @param picture.timeZone Whose days the axis shows
 * @param picture.isCount Whether there is nothing between two whole numbers
 * @param picture.label What the picture shows, for people who do not see it
 */
export function plotStack(target, picture) {
  const { times, series, label } = picture;
  target.setAttribute('role', 'img');
  target.setAttribute('aria-label', label);
  let plot;
  const draw = (isNew = false) => {
    if (!target.isConnected) return forget(target);
    const width = Math.floor(target.clientWidth);
    if (width === 0) return undefined;
    if (plot !== undefined && !isNew) return plot.width === width ? undefined : plot.setSize({ width, height });
    plot?.destroy();
    plot = new uPlot(toOptions(target, width, picture), [times, ...stack(series).reverse()], target);
    return undefined;
  };
  redraws.set(target, draw);
  observer.observe(target);
  draw();
}

const height = 220;

function forget(target) {
  observer.unobserve(target);
  redraws.delete(target);
}

/** Sums from the bottom up. The highest is drawn first, so that each lower one covers its part. */
function stack(series) {
  let below = series[0]?.values.map(() => 0) ?? [];
  return series.map(({ values }) => (below = values.map((value, index) => value + below[index])));
}

/** Steps of an axis of counts: 1, 2, 5, 10 and so on. */
const wholeSteps = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

function toOptions(target, width, { times, series, timeZone, isCount }) {
  const styles = getComputedStyle(target);
  const text = styles.getPropertyValue('--quiet');
  const line = styles.getPropertyValue('--line');
  const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const half = times.length > 1 ? (times[1] - times[0]) / 2 : 43_200;
  return {
    width,
    height,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), timeZone),
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: (_plot, from, to) => [from - half, to + half] },
      y: { range: (_plot, _from, to) => [0, Math.max(1, to * 1.05)] },
    },
    axes: [axis, { ...axis, size: 64, ...(isCount && { incrs: wholeSteps }) }],
    series: [
      {},
      ...series
        .map(({ label }, index) => {
          const fill = styles.getPropertyValue(`--series-${index % colourCount}`);
          return {
            label,
            fill,
            stroke: fill,
            width: 0,
            paths: uPlot.paths.bars({ size: [0.8, 60] }),
            points: { show: false },
          };
        })
        .reverse(),
    ],
  };
}
