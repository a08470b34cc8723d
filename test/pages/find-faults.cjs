// Runs inside a page and reports what anyone would see is wrong with it, by rule. It knows none of our classes and ids.

/**
 * @param {{ focuses: boolean }} options whether to move the focus over one control of each kind, after a key press, so
 * that the browser shows it
 * @returns {string[]} one sentence per fault, for each kind of place once
 */
module.exports = function findFaults({ focuses }) {
  const { document, getComputedStyle, NodeFilter, innerHeight } = globalThis;
  const faults = new Map();
  const nameOf = (node) => {
    const own = `${node.tagName.toLowerCase()}${[...node.classList].map((each) => `.${each}`).join('')}`;
    const above = node.parentElement?.closest('[id], [class]');
    return `${above ? `${above.id ? `#${above.id}` : `.${above.classList[0]}`} ` : ''}${own}`;
  };
  const add = (rule, node, more) => {
    const place = `${rule}: ${nameOf(node)}`;
    if (!faults.has(place)) faults.set(place, `${place}: ${more}`);
  };
  /** Caches what is computed for the same element again for each of its texts. */
  const once = (find) => {
    const found = new Map();
    return (node) => {
      if (!found.has(node)) found.set(node, find(node));
      return found.get(node);
    };
  };
  const main = document.querySelector('main');
  const styleOf = once((node) => ({ ...pick(getComputedStyle(node)), box: node.getBoundingClientRect() }));
  // A computed style is live, and reading it again later is slow.
  const names =
    'overflowX overflowY textOverflow webkitLineClamp position zIndex clipPath opacity backgroundImage backgroundColor';
  const pick = (style) => Object.fromEntries(names.split(' ').map((name) => [name, style[name]]));
  const isForReadersAlone = once(
    (node) => node !== null && (styleOf(node).clipPath === 'inset(50%)' || isForReadersAlone(node.parentElement)),
  );
  const isSeen = once(
    (node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !isForReadersAlone(node),
  );

  // No overflow.
  const { scrollWidth, clientWidth } = document.scrollingElement;
  if (scrollWidth > clientWidth) {
    const wide = [...document.body.querySelectorAll('*')].filter(
      (node) => node.getBoundingClientRect().right > clientWidth + 1,
    );
    add('overflow', wide.at(-1) ?? document.body, `${scrollWidth - clientWidth} pixels wider than the window`);
  }

  // The texts, each reduced to the part inside whatever clips it.
  const range = document.createRange();
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const { parentElement: holder } = node;
    if (node.data.trim() === '' || holder.closest('script, style, option, textarea') || !isSeen(holder)) continue;
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter(
      ({ width, bottom }) => width > 1 && bottom + globalThis.scrollY > 0,
    );
    const shown = rects.map((rect) => clip(rect, holder, node.data.trim().slice(0, 60))).filter(Boolean);
    if (shown.length > 0) texts.push({ node, holder, rects: shown });
  }

  /** Nothing is cut mid-word: clipped text ends with an ellipsis and leaves some words, or can be scrolled to. */
  function clip(rect, holder, text) {
    let { left, right, top, bottom } = rect;
    let hasEllipsis = false;
    let scrolls = text === undefined;
    for (let at = holder; at && at !== document.body; at = at.parentElement) {
      const { overflowX, overflowY, textOverflow, webkitLineClamp, position, box } = styleOf(at);
      hasEllipsis ||= textOverflow === 'ellipsis' || webkitLineClamp !== 'none';
      scrolls ||= ['auto', 'scroll'].includes(overflowX);
      if (overflowX !== 'visible') {
        if (right <= box.left + 1 || left >= box.right - 1) return undefined;
        const isCut = !scrolls && (right > box.right + 1 || left < box.left - 1);
        // What names a row is shown in full.
        if (isCut && (!hasEllipsis || at.closest('td'))) add('cut', at, text);
        left = Math.max(left, box.left);
        right = Math.min(right, box.right);
        if (isCut && rect.right - rect.left > 36 && right - left < 36) add('cut', at, `too little is left of ${text}`);
      }
      if (overflowY !== 'visible') {
        if (bottom <= box.top + 1 || top >= box.bottom - 1) return undefined;
        if (['hidden', 'clip'].includes(overflowY) && !scrolls && !hasEllipsis && bottom > box.bottom + 3)
          add('cut', at, text);
        top = Math.max(top, box.top);
        bottom = Math.min(bottom, box.bottom);
      }
      if (position === 'fixed') break;
    }
    return right - left > 1 && bottom - top > 1 ? { left, right, top, bottom, node: holder } : undefined;
  }

  // A selected option is shown in full: the browser cuts it without an ellipsis.
  for (const node of document.querySelectorAll('select')) {
    if (!isSeen(node)) continue;
    const { font, paddingLeft, paddingRight } = getComputedStyle(node);
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = font;
    const room = node.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - 16;
    const text = node.selectedOptions[0]?.text ?? '';
    if (pen.measureText(text).width > room) add('cut', node, text);
  }

  // No word that fits on a line is broken.
  for (const { node, holder } of texts) {
    const { overflowWrap, wordBreak } = getComputedStyle(holder);
    if (overflowWrap === 'normal' && wordBreak === 'normal') continue;
    for (const { 0: word, index } of node.data.matchAll(/(?<!\S)\p{L}{2,20}(?!\S)/gu)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = [...range.getClientRects()].filter(({ width }) => width > 1);
      if (lines.some(({ top }) => top > lines[0].top + 4)) add('broken', holder, word);
    }
  }

  // Nothing overlaps: texts, and controls and pictures that do not contain them, on the same layer.
  const layerOf = once((node) => {
    if (node === null) return document.body;
    const { position, zIndex } = styleOf(node);
    const isLayer = position === 'fixed' || position === 'sticky' || (position === 'absolute' && zIndex !== 'auto');
    return isLayer ? node : layerOf(node.parentElement);
  });
  const things = [
    ...texts.flatMap(({ rects, node }) => rects.map((rect) => ({ ...rect, text: node.data.trim().slice(0, 40) }))),
    ...[...document.querySelectorAll('button, summary, input:not([type=radio], [type=checkbox]), select, img')]
      .filter(isSeen)
      .map((node) => ({ ...clip(node.getBoundingClientRect(), node.parentElement), node, text: node.tagName }))
      .filter(({ left }) => left !== undefined),
  ].sort((one, other) => one.top - other.top); // prettier-ignore
  for (const [at, one] of things.entries())
    for (let next = at + 1; next < things.length && things[next].top < one.bottom; next += 1) {
      const other = things[next];
      const height = Math.min(one.bottom, other.bottom) - other.top;
      const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      if (width < 3 || height < 0.4 * Math.min(one.bottom - one.top, other.bottom - other.top)) continue;
      if (one.node.contains(other.node) || other.node.contains(one.node) || layerOf(one.node) !== layerOf(other.node))
        continue;
      add('overlap', one.node, `${one.text} / ${other.text} (${nameOf(other.node)})`);
    }
  // No frame crosses what it does not contain.
  const frames = [...main.querySelectorAll(':not(textarea)')].filter((node) => {
    const { borderTopWidth, borderLeftWidth } = getComputedStyle(node);
    return parseFloat(borderTopWidth) > 0 && parseFloat(borderLeftWidth) > 0 && isSeen(node);
  });
  for (const frame of frames) {
    const shown = clip(frame.getBoundingClientRect(), frame.parentElement);
    if (shown === undefined) continue;
    const { top, bottom, left, right } = shown;
    for (const thing of things) {
      const isInside =
        thing.top > top - 3 && thing.bottom < bottom + 3 && thing.left > left - 3 && thing.right < right + 3;
      if (
        isInside ||
        thing.top > bottom - 3 ||
        thing.bottom < top + 3 ||
        thing.left > right - 3 ||
        thing.right < left + 3
      )
        continue;
      if (thing.node.contains(frame) || frame.contains(thing.node) || layerOf(thing.node) !== layerOf(frame)) continue;
      add('overlap', frame, `its frame crosses ${thing.text}`);
    }
  }

  // Contrast.
  const context = globalThis.Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', {
    willReadFrequently: true,
  });
  const known = new Map();
  const toColor = (text) => {
    if (!known.has(text)) {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = text;
      context.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
      known.set(text, { channels: [red, green, blue], alpha: alpha / 255 });
    }
    return known.get(text);
  };
  const over = ({ channels, alpha }, below) => channels.map((each, at) => each * alpha + below[at] * (1 - alpha));
  const luminance = (channels) => {
    const [red, green, blue] = channels.map((each) =>
      each / 255 <= 0.04045 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  for (const { holder, node } of texts) {
    if (holder.closest(':disabled, [aria-disabled=true]')) continue;
    const layers = [];
    let opacity = 1;
    let hasPicture = false;
    for (let at = holder; at; at = at.parentElement) {
      const style = styleOf(at);
      opacity *= Number(style.opacity);
      hasPicture ||= style.backgroundImage !== 'none';
      const color = toColor(style.backgroundColor);
      if (color.alpha > 0) layers.push(color);
      if (color.alpha === 1) break;
    }
    if (hasPicture) continue;
    const below = layers.reverse().reduce((under, color) => over(color, under), [255, 255, 255]);
    const { color, fontSize, fontWeight } = getComputedStyle(holder);
    const ink = toColor(color);
    const [dark, light] = [luminance(below), luminance(over({ ...ink, alpha: ink.alpha * opacity }, below))].sort(
      (one, other) => one - other,
    );
    const ratio = (light + 0.05) / (dark + 0.05);
    const isLarge = parseFloat(fontSize) >= 24 || (parseFloat(fontSize) >= 18.66 && Number(fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) add('contrast', holder, `${ratio.toFixed(2)} of ${node.data.trim().slice(0, 40)}`);
  }

  // Texts exist and are meant for people.
  for (const { node, holder } of texts)
    if (/\bundefined\b|\bNaN\b|\[object /.test(node.data) && !holder.closest('pre, code'))
      add('text', holder, node.data.trim().slice(0, 60));
  const shown = [
    ...texts.flatMap(({ rects }) => rects),
    ...[...main.querySelectorAll('*')]
      .filter(
        (node) => isSeen(node) && (node.matches('svg, img, button, input') || styleOf(node).backgroundImage !== 'none'),
      )
      .map((each) => each.getBoundingClientRect()),
  ].sort((one, other) => one.top - other.top);
  let end = Math.max(0, main.getBoundingClientRect().top);
  for (const { top, bottom } of shown) {
    if (top > end + 380 && top < main.getBoundingClientRect().bottom)
      add('blank', main, `${Math.round(top - end)} pixels from ${Math.round(end + globalThis.scrollY)}`);
    end = Math.max(end, bottom);
  }
  const rest = main.getBoundingClientRect().bottom - Math.max(end, innerHeight);
  if (rest > 380) add('blank', main, `the last ${Math.round(rest)} pixels`);

  // The focus is visible, on one control of each kind.
  if (!focuses) return [...faults.values()];
  const kinds = new Set();
  const looks = (node) =>
    [node, node.parentElement, node.nextElementSibling, node.closest('label')].filter(Boolean).map((each) => {
      const { outline, boxShadow, borderColor, backgroundColor, textDecorationColor } = getComputedStyle(each);
      return [outline, boxShadow, borderColor, backgroundColor, textDecorationColor].join();
    }).join(';'); // prettier-ignore
  for (const node of document.querySelectorAll('a[href], button, input, select, summary, textarea, [tabindex="0"]')) {
    const kind = nameOf(node).replace(/#\S+/, node.type ?? '');
    if (
      kinds.has(kind) ||
      node.disabled ||
      clip(node.getBoundingClientRect(), node.parentElement) === undefined ||
      node.closest('[inert]') ||
      !node.checkVisibility({ visibilityProperty: true })
    )
      continue;
    kinds.add(kind);
    globalThis.document.activeElement?.blur();
    const before = looks(node);
    node.focus();
    if (document.activeElement !== node) continue;
    if (looks(node) === before) add('focus', node, `not seen on ${node.textContent.trim().slice(0, 40)}`);
    const { left, right, top, bottom } = (node.closest('label') ?? node).getBoundingClientRect();
    if (bottom <= 0 || top >= innerHeight || right <= 0 || left >= clientWidth)
      add('focus', node, 'outside of the window');
    else {
      const there = document.elementFromPoint(
        (Math.max(0, left) + Math.min(clientWidth, right)) / 2,
        Math.min(innerHeight, (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2),
      );
      if (
        there &&
        !node.contains(there) &&
        !there.contains(node) &&
        !node.closest('label')?.contains(there) &&
        layerOf(there) !== layerOf(node)
      )
        add('focus', node, `under ${nameOf(there)}`);
    }
  }
  document.activeElement?.blur();
  return [...faults.values()];
};
