// Stacked bars over time. The table below them has the same numbers.
import { element } from '../../reference/assets/shell.js';
import { drawn, picture, rectangle } from './elements.js';

/** Round steps of an axis: 1, 2, 5, 10 and so on. */
function scaleOf(highest, isCount) {
  const rough = highest / 4;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-9)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough) ?? 1;
  const whole = isCount ? Math.max(1, step) : step;
  return { step: whole, steps: Math.max(1, Math.ceil(highest / whole)) };
}

/**
 * @param chart.buckets `{ name, label, parts: [{ className, label, value, text }], sum, sumLabel }`, the lowest part
 * first; `name` is shown on the axis unless it is empty
 * @param chart.write formats a value of the axis for people, with the digits of its steps
 * @param chart.label a description of the picture for screen readers
 */
export function stackedBars({ buckets, write, label, isCount }) {
  const sums = buckets.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
  // Free orders have no bars, but an axis.
  const { step, steps } = scaleOf(Math.max(0, ...sums) || 1, isCount);
  const top = step * steps;
  const width = buckets.length * 10;
  const hot = rectangle(0, 0, 10, 100, 'hot');
  const bars = buckets.flatMap(({ parts }, at) => {
    let y = 100;
    return parts.filter(({ value }) => value > 0).map(({ className, value }) => {
      const height = (100 * value) / top;
      y -= height;
      return rectangle(at * 10 + 1.2, y.toFixed(2), 7.6, height.toFixed(2), className);
    });
  }); // prettier-ignore
  const lines = Array.from({ length: steps + 1 }, (_, at) => drawn('path', { class: 'gridline', d: `M0 ${100 - (100 * at) / steps}H${width}` })); // prettier-ignore
  const svg = picture('', width, 100, [...lines, hot, ...bars]);
  const card = element('div', { className: 'hover', role: 'status', hidden: true });
  const field = element('div', { className: 'field-of' }, [svg, card]);
  const ys = element('div', { className: 'ys num', ariaHidden: 'true' }, Array.from({ length: steps + 1 }, (_, at) => {
    const mark = element('span', { textContent: write(at * step, step) });
    mark.style.bottom = `${(100 * at) / steps}%`;
    return mark;
  })); // prettier-ignore
  // Estimated, because it cannot be measured before it is laid out.
  const length = Math.max(...[...ys.children].map(({ textContent }) => textContent.length));
  const xs = element('div', { className: 'xs', ariaHidden: 'true' }, buckets.flatMap(({ name }, at) => {
    if (name === '') return [];
    const mark = element('span', { textContent: name });
    mark.style.left = `${(100 * at) / buckets.length}%`;
    return [mark];
  })); // prettier-ignore
  const plot = element('div', { className: 'plot', tabIndex: 0, role: 'application', ariaLabel: `${label} Use the arrow keys to read each bar.` }, [ys, field, xs]); // prettier-ignore
  plot.style.setProperty('--length', length);
  addHover(plot, field, svg, { card, hot, buckets });
  return plot;
}

/** Shows the numbers of one bar: on hover, by arrow keys, on tap. */
function addHover(plot, field, svg, { card, hot, buckets }) {
  let shown = -1;
  const show = (at) => {
    shown = at;
    card.hidden = at < 0;
    hot.classList.toggle('on', at >= 0);
    const bucket = buckets[at];
    if (bucket === undefined) return;
    hot.setAttribute('x', at * 10);
    const rows = bucket.parts.filter(({ value }) => value > 0).map(({ className, label, text }) =>
      element('div', {}, [
        element('dt', {}, [element('i', { className }), label]),
        element('dd', { className: 'num', textContent: text }),
      ]),
    ); // prettier-ignore
    const sum = element('div', { className: 'sum' }, [
      element('dt', { textContent: bucket.sumLabel }),
      element('dd', { className: 'num', textContent: bucket.sum }),
    ]);
    card.replaceChildren(element('b', { textContent: bucket.label }), element('dl', {}, [...rows, sum]));
    const share = (at + 0.5) / buckets.length;
    card.style.setProperty('--x', share);
    card.classList.toggle('flip', share > 2 / 3);
  };
  const under = ({ clientX }) => {
    const { left, width } = svg.getBoundingClientRect();
    return Math.min(buckets.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * buckets.length)));
  };
  field.addEventListener('pointermove', (event) => show(under(event)));
  field.addEventListener('pointerdown', (event) => show(under(event)));
  field.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && show(-1));
  plot.addEventListener('blur', () => show(-1));
  plot.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') show(-1);
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    const next = shown < 0 ? buckets.length - 1 : shown + (event.key === 'ArrowRight' ? 1 : -1);
    show(Math.min(buckets.length - 1, Math.max(0, next)));
  });
}

/** Plain bars of one kind, without an axis. */
export function smallBars(values) {
  const highest = Math.max(1e-9, ...values);
  return picture('mini', Math.max(1, values.length * 4), 32, values.map((value, at) => {
    const height = value <= 0 ? 0 : Math.max(1, (31 * value) / highest);
    return rectangle(at * 4 + 0.5, 32 - height, 3, height);
  })); // prettier-ignore
}

/** The picture of a chart as a file: title, legend, bars and their axis on the color of its card. */
export async function toPng(plot, title) {
  const svg = plot.querySelector('.field-of svg').cloneNode(true);
  const originals = [...plot.querySelectorAll('.field-of svg *')];
  for (const [at, node] of [...svg.querySelectorAll('*')].entries()) {
    const { fill, stroke, display } = getComputedStyle(originals[at]);
    node.setAttribute('fill', display === 'none' ? 'none' : fill);
    if (node.tagName === 'path') node.setAttribute('stroke', stroke);
  }
  const left = 30 + 10 * plot.style.getPropertyValue('--length');
  const [width, height, top, bottom] = [1200, 400, 100, 40];
  for (const [name, value] of [['width', width], ['height', height], ['xmlns', 'http://www.w3.org/2000/svg']]) svg.setAttribute(name, value);
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  const canvas = element('canvas', { width: width + left + 20, height: top + height + bottom });
  const context = canvas.getContext('2d');
  const styles = getComputedStyle(plot.closest('.card'));
  context.fillStyle = styles.backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, left, top);
  context.fillStyle = getComputedStyle(plot).color;
  context.font = `16px ${styles.fontFamily}`;
  context.textAlign = 'right';
  for (const mark of plot.querySelectorAll('.ys span'))
    context.fillText(mark.textContent, left - 12, top + 6 + height * (1 - parseFloat(mark.style.bottom) / 100));
  context.textAlign = 'left';
  for (const mark of plot.querySelectorAll('.xs span'))
    context.fillText(mark.textContent, left + (width * parseFloat(mark.style.left)) / 100, top + height + 26);
  context.font = `20px ${styles.fontFamily}`;
  context.fillText(title, left, 38, width);
  context.font = `16px ${styles.fontFamily}`;
  let x = left;
  for (const item of plot.parentElement.querySelectorAll('.legend li')) {
    const words = [...item.childNodes].map(({ textContent }) => textContent).filter(Boolean).join(' ');
    context.fillStyle = getComputedStyle(item.querySelector('i')).backgroundColor;
    context.fillRect(x, 60, 14, 14);
    context.fillStyle = getComputedStyle(plot).color;
    context.fillText(words, x + 20, 73);
    x += context.measureText(words).width + 44;
  }
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
} // prettier-ignore
