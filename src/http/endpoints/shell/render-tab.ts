/**
 * A tab of a list of tabs, which shell.js moves between.
 * @param panel the id of what it shows
 * @param at its place in the list: the first is chosen at first
 * @param attributes further ones, each with a space before it
 */
export const renderTab = (panel: string, name: string, at: number, attributes = ''): string =>
  `<button type="button" role="tab" aria-controls="${panel}" aria-selected="${at === 0}" tabindex="${at === 0 ? 0 : -1}"${attributes}>${name}</button>`;
