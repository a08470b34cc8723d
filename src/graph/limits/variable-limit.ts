import type { LimitOptions } from './limit-options';

/**
 * Variables reach coercion and resolvers as a whole: a deep or long one costs time there before anything refuses it.
 * @returns what there is too much of, and how much is allowed; undefined within the limits
 */
export function explainVariables(
  variables: Readonly<Record<string, unknown>>,
  allowed: LimitOptions,
): string | undefined {
  const names = Object.keys(variables);
  if (names.length > allowed.maxVariables) {
    return `The request has ${names.length} variables; at most ${allowed.maxVariables} are allowed.`;
  }
  let bytes = 2;
  for (const name of names) {
    bytes += keyBytes(name);
    const measured = measure(name, variables[name], allowed, bytes);
    if (typeof measured === 'string') return measured;
    bytes = measured;
  }
  return undefined;
}

/**
 * Traverses one variable with an explicit stack and stops at the first excess. Returns the bytes so far, or the
 * problem.
 */
function measure(name: string, value: unknown, allowed: LimitOptions, bytesBefore: number): number | string {
  let bytes = bytesBefore;
  const open: { value: unknown; depth: number }[] = [{ value, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: current, depth } = next;
    if (Array.isArray(current)) {
      if (current.length > allowed.maxVariableListLength) {
        return `The variable "$${name}" has a list of ${current.length} values; at most ${allowed.maxVariableListLength} are allowed.`;
      }
      bytes += 2 + current.length;
      for (const item of current as unknown[]) open.push({ value: item, depth: depth + 1 });
    } else if (typeof current === 'object' && current !== null) {
      bytes += 2;
      for (const [key, item] of Object.entries(current)) {
        bytes += keyBytes(key);
        open.push({ value: item, depth: depth + 1 });
      }
    } else {
      bytes += typeof current === 'string' ? Buffer.byteLength(current) + 2 : String(current).length;
      continue;
    }
    if (depth > allowed.maxVariableDepth) {
      return `The variable "$${name}" is nested more than ${allowed.maxVariableDepth} levels deep.`;
    }
    if (bytes > allowed.maxVariableBytes) break;
  }
  return bytes > allowed.maxVariableBytes
    ? `The variables take more than ${allowed.maxVariableBytes} bytes, counted up to "$${name}".`
    : bytes;
}

/** Quotes, colon and comma included. */
const keyBytes = (key: string): number => Buffer.byteLength(key) + 4;
