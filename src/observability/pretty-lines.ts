import type { PrettyOptions } from 'pino-pretty';
import { prettyFactory } from 'pino-pretty';
import { toOneLine } from '../common/one-line';
import { toTerminalText } from '../common/terminal';

type Line = Readonly<Record<string, unknown>>;

const options: PrettyOptions = { singleLine: true, translateTime: 'SYS:HH:MM:ss.l', levelFirst: false };

/** Members that are shown in the text of a request's line. */
const requestMembers = ['method', 'operation', 'status', 'durationMs'];

/** Converts a JSON line to a pretty one: `12:03:11.123 INFO: GET listProducts 200 in 4.2 ms {"requestId":…}`. */
export function createPrettyLines(colorize: boolean): (line: string) => string {
  const toText = prettyFactory({
    ...options,
    colorize,
    messageFormat: (line, key) => toOneLine(toWord(line[key])),
  });
  const toRequestText = prettyFactory({
    ...options,
    colorize,
    ignore: requestMembers.join(','),
    messageFormat(line, _key, _level, { colors }) {
      const { method, operation, status, durationMs } = line;
      const color = Number(status) >= 500 ? colors.red : Number(status) >= 400 ? colors.yellow : colors.green;
      return `${toWord(method)} ${toWord(operation)} ${color(toWord(status))} in ${toWord(durationMs)} ms`;
    },
  });
  return (json) => {
    const line = JSON.parse(withoutControls(json)) as Line;
    return line['msg'] === 'request' && 'operation' in line ? toRequestText(line) : toText(line);
  };
}

const toWord = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

/**
 * Replaces control characters in a line of the log, where they are escapes: parsed, they would be themselves again.
 * Line feeds and tabs are kept for the stacks of errors.
 */
const withoutControls = (json: string): string =>
  json.replace(/\\(?:u[\da-f]{4}|.)/g, (escape) =>
    toTerminalText(JSON.parse(`"${escape}"`) as string).length > 1 ? '\ufffd' : escape,
  );
