import type { FormattedExecutionResult } from 'graphql';

const texts = new WeakMap<object, string>();

/** Data that is JSON text already. It passes through Apollo Server as an empty object and comes out as its text. */
export function toFinishedData(text: string): Record<string, never> {
  const data = {};
  texts.set(data, text);
  return data;
}

/** Writes a response as JSON.stringify would, and finished data as what it is: for Apollo Server's `stringifyResult`. */
export function stringifyResult({ data, ...others }: FormattedExecutionResult): string {
  const text = data ? texts.get(data) : undefined;
  if (text === undefined) return `${JSON.stringify({ ...others, data })}\n`;
  const members = JSON.stringify(others);
  return members === '{}' ? `{"data":${text}}\n` : `${members.slice(0, -1)},"data":${text}}\n`;
}
