/** The delimiters, with the names that people use for them. */
export const delimiters = [
  [',', 'comma'],
  [';', 'semicolon'],
  ['\t', 'tab'],
  ['|', 'pipe'],
] as const;

export const delimiterName = (delimiter: string): string =>
  delimiters.find(([sign]) => sign === delimiter)?.[1] ?? JSON.stringify(delimiter);

/** A delimiter by its name, or as itself; undefined for anything that cannot be a delimiter. */
export const delimiterNamed = (text: string): string | undefined =>
  delimiters.find(([, name]) => name === text.toLowerCase())?.[0] ?? (/^[!-~\t]$/.test(text) && !/["\w.]/.test(text) ? text : undefined); // prettier-ignore
