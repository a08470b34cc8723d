const strokes = 'fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"';
const drawn = (size: number, width: number, path: string): string =>
  `<svg width="${size}" height="${size}" viewBox="0 0 ${size} ${size}" stroke-width="${width}" ${strokes}>${path}</svg>`;

/** The signs of the pages. Each is beside a word or has a name for screen readers. */
export const icons = {
  mark: '<svg viewBox="0 0 28 28" aria-hidden="true"><rect width="28" height="28" rx="7" fill="#0b6a66"/><path fill="#fff" d="M6.500 7h3.200v14H6.500zM11 9.500h3.200V21H11z"/><path fill="#f3b34c" d="m15.600 9.300 3-.9L22.400 20.300l-3 .9z"/></svg>',
  search: drawn(16, 1.6, '<circle cx="7" cy="7" r="4.600"/><path d="m10.600 10.600 3.200 3.200"/>'),
  theme:
    '<svg width="17" height="17" viewBox="0 0 17 17" aria-hidden="true"><circle cx="8.500" cy="8.500" r="6" fill="none" stroke="currentColor" stroke-width="1.500"/><path d="M8.500 2.500a6 6 0 0 1 0 12z" fill="currentColor"/></svg>',
  copy: drawn(16, 1.5, '<rect x="5.500" y="5.500" width="8" height="8" rx="1.800"/><path d="M10.500 5.500V4a1.500 1.500 0 0 0-1.500-1.500H4A1.500 1.500 0 0 0 2.500 4v5A1.500 1.500 0 0 0 4 10.500h1.500"/>'),
  down: drawn(12, 1.6, '<path d="m2.500 4.500 3.500 3.500 3.500-3.500"/>'),
  right: drawn(12, 1.6, '<path d="m4.500 2.500 3.500 3.500-3.500 3.500"/>'),
  arrow: drawn(14, 1.6, '<path d="M2.500 7h9M8 3.500 11.500 7 8 10.500"/>'),
  equal: drawn(14, 1.6, '<path d="M3 5.200h8M3 8.800h8"/>'),
  play: '<svg width="10" height="10" viewBox="0 0 10 10" fill="currentColor" aria-hidden="true"><path d="M2 1v8l6.500-4z"/></svg>',
  query: drawn(16, 1.5, '<path d="M5.500 4 1.500 8l4 4m5-8 4 4-4 4"/>'),
  save: drawn(16, 1.5, '<path d="M8 2.500v7.500m-3-3 3 3 3-3M3 13.500h10"/>'),
  close: drawn(16, 1.6, '<path d="m4 4 8 8m0-8-8 8"/>'),
} as const; // prettier-ignore
