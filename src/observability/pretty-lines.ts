import { toOneLine } from '../common/one-line';
import { toTerminalText } from '../common/terminal';

interface Line extends Readonly<Record<string, unknown>> {
  readonly level: number;
  readonly time: number;
  readonly err?: { readonly stack?: string };
}

/** Names of pino's levels, and their ANSI colors. */
const levels: Readonly<Record<number, readonly [name: string, color: number]>> = {
  10: ['TRACE', 90],
  20: ['DEBUG', 34],
  30: ['INFO', 32],
  40: ['WARN', 33],
  50: ['ERROR', 31],
  60: ['FATAL', 35],
};

/** Converts a JSON line to a pretty one: `[12:03:11.123] INFO: GET listProducts 200 in 4.2 ms {"requestId":…}`. */
export function createPrettyLines(colorize: boolean): (line: string) => string {
  const paint = (color: number, text: string): string => (colorize ? `\u001b[${color}m${text}\u001b[39m` : text);
  const toRequestText = ({ method, operation, status, durationMs, ...rest }: Readonly<Record<string, unknown>>) => {
    const color = Number(status) >= 500 ? 31 : Number(status) >= 400 ? 33 : 32;
    const words = `${toWord(method)} ${toWord(operation)} ${paint(color, toWord(status))} in ${toWord(durationMs)} ms`;
    return [words, rest] as const;
  };
  return (json) => {
    const { level, time, msg, err, ...members } = JSON.parse(withoutControls(json)) as Line;
    const [name = '', color = 0] = levels[level] ?? [];
    const at = new Date(time);
    const clock = `${at.toTimeString().slice(0, 8)}.${at.toISOString().slice(20, 23)}`;
    const isRequest = msg === 'request' && 'operation' in members;
    const [words, rest] = isRequest ? toRequestText(members) : [toWord(msg), members];
    const { stack, ...fault } = Object(err) as { stack?: string };
    const shown = { ...rest, ...(err && { err: typeof err === 'object' ? fault : err }) };
    const end = Object.keys(shown).length === 0 ? '' : ` ${paint(90, JSON.stringify(shown))}`;
    const trace = stack === undefined ? '' : `\n${stack.replaceAll(/^/gm, '    ')}`;
    return `[${clock}] ${paint(color, name)}: ${toOneLine(words)}${end}${trace}\n`;
  };
}

const toWord = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

/**
 * Replaces escaped control characters in a log line, which parsing would restore. Line feeds and tabs are kept for
 * stack traces.
 */
const withoutControls = (json: string): string =>
  json.replace(/\\(?:u[\da-f]{4}|.)/g, (escape) =>
    toTerminalText(JSON.parse(`"${escape}"`) as string).length > 1 ? '\ufffd' : escape,
  );
