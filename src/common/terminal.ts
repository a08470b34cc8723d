/*
 * What the program writes to standard output and standard error passes through here, so that no text of others (names
 * of shops, keys, files, columns, messages of subgraphs) controls the operator's terminal, and no credential of a
 * platform is in it. So do lines of the log, which has its own streams.
 */

/**
 * Control characters except tab and line feed, line and paragraph separators, and bidirectional marks: all code units
 * except those listed.
 */
const controls = /[^\t\n\u0020-\u007e\u00a0-\u2027\u202f-\u2065\u206a-\uffff]/g;

/**
 * The text with its control characters as JSON escapes such as `\u001b`. JSON keeps its meaning: there are none outside
 * of strings, and inside an escape is the same character.
 */
export const toTerminalText = (text: string): string =>
  text.replaceAll(controls, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * The same for foreign text within a line: tabs and line feeds are escaped too, so that it cannot begin a line of its
 * own.
 */
export const toTerminalLine = (text: string): string =>
  toTerminalText(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');

/** Whether a name has characters that a line of text cannot show, including tabs and line feeds. */
export const hasControls = (name: string): boolean => name.search(controls) >= 0 || /[\t\n]/.test(name);

const hidden = new Set<string>();

/** Removes these credentials from all further output, in every form that JSON, headers and URLs give them. */
export function hideSecrets(...secrets: readonly string[]): void {
  for (const secret of [...secrets, secrets.join(':')]) {
    const bytes = Buffer.from(secret);
    hidden.add(secret).add(JSON.stringify(secret).slice(1, -1)).add(encodeURIComponent(secret));
    hidden.add(bytes.toString('base64')).add(bytes.toString('base64url'));
  }
}

/** The text without hidden credentials. A truncated one is recognized by its first twelve characters. */
export const withoutSecrets = (text: string): string =>
  [...hidden].reduce((rest, form) => {
    const [first, ...others] = rest.replaceAll(form, '[secret]').split(form.slice(0, 12));
    return [first, ...others.map((part) => part.replace(/^[\w%+/=~.-]*/, ''))].join('[secret]');
  }, text);

/** A stream of the process whose output is escaped and without credentials. */
const gated = (stream: NodeJS.WriteStream) => ({
  write: (text: string): boolean => stream.write(toTerminalText(withoutSecrets(text))),
  get isTTY(): boolean {
    return stream.isTTY === true;
  },
});

export const stdout = gated(process.stdout);
export const stderr = gated(process.stderr);

/** Writes over the line of standard error on which the cursor is; an empty text removes it. */
export function rewriteLine(text: string): void {
  process.stderr.write(`\r\u001b[K${toTerminalLine(text)}`);
}
