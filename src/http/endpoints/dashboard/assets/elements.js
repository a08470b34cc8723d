// Elements of the views. Everything that comes from a shop is text, never markup.

/** @param children Elements and texts */
export function element(name, properties = {}, children = []) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** A table in a frame of its own that scrolls; the columns in `numeric` are aligned to the right. */
export function table(caption, head, rows, numeric = []) {
  const toCell = (content, index) => {
    const cell = element('td', { className: numeric.includes(index) ? 'number' : '' });
    cell.append(content ?? '–');
    return cell;
  };
  const whole = element('table', {}, [
    element('caption', { textContent: caption }),
    element('thead', {}, [
      element(
        'tr',
        {},
        head.map((textContent) => element('th', { scope: 'col', textContent })),
      ),
    ]),
    element(
      'tbody',
      {},
      rows.map((cells) => element('tr', {}, cells.map(toCell))),
    ),
  ]);
  const group = element('div', { className: 'wide', tabIndex: 0 }, [whole]);
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', `Table: ${caption}`);
  return group;
}

/** Counts with a bar each, relative to the largest of them. */
export function bars(caption, head, counts) {
  const largest = Math.max(1, ...counts.map(([, count]) => count));
  return table(
    caption,
    [head, 'Products'],
    counts.map(([name, count]) => {
      const bar = element('span', { className: 'bar', textContent: String(count) });
      bar.style.setProperty('--share', `${(100 * count) / largest}%`);
      return [name, bar];
    }),
  );
}

/** A button that opens the detail of an object. */
export const opener = (id, textContent) => {
  const button = element('button', { type: 'button', className: 'link', textContent });
  button.dataset.open = id;
  return button;
};

export const paragraph = (textContent) => element('p', { textContent });

export const fact = (name, value) => [
  element('dt', { textContent: name }),
  element('dd', { textContent: value ?? '–' }),
];

export const facts = (pairs) =>
  element(
    'dl',
    {},
    pairs.flatMap(([name, value]) => fact(name, value)),
  );

/** `2026-11-20T04:15:07.412Z` for people. */
export const moment = (text) => (text === null ? '–' : `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`);
