/*
 * What the program writes to standard output and standard error passes through here, so that no text of others (names
 * of shops, keys, files, columns, messages of subgraphs) controls the operator's terminal. The log has its own streams.
 */

/** Control characters but tab and line feed, line and paragraph separators, and marks that reverse what is read. */
const controls = /(?![\t\n])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * The text with its control characters spelled as escapes of JSON, `\u001b`. In JSON the escaped text is the same
 * document: outside of strings there are none, and inside they mean the same character.
 */
export const toTerminalText = (text: string): string =>
  text.replaceAll(controls, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Whether a name has characters that no line of text can show: tabs and line feeds, too. */
export const hasControls = (name: string): boolean => name.search(controls) >= 0 || /[\t\n]/.test(name);

/** A stream of the process, through the gate. */
const gated = (stream: NodeJS.WriteStream) => ({
  write: (text: string): boolean => stream.write(toTerminalText(text)),
  get isTTY(): boolean {
    return stream.isTTY === true;
  },
});

export const stdout = gated(process.stdout);
export const stderr = gated(process.stderr);
