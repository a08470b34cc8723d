import type { Question, Recorded } from './load';

/** The parsed JSON; undefined if it is not JSON. */
export const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

const limitHeaders = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy', 'ratelimit'];

/** Every response has the request id that the log uses. */
export const findRequestIdProblems = ({ headers }: Recorded): string[] =>
  headers['x-request-id'] === undefined ? ['X-Request-Id is missing'] : [];

/** Every response under /v1 and of /graphql reports the limit (D19), in consistent numbers. */
export const findHeaderProblems = (record: Recorded): string[] => {
  const { headers, status } = record;
  const [limit, remaining, reset] = limitHeaders.slice(0, 3).map((name) => Number(headers[name] ?? NaN)) as [
    number,
    number,
    number,
  ];
  const problems = findRequestIdProblems(record);
  if (!(limit > 0 && remaining >= 0 && remaining <= limit && reset >= 0 && reset <= 60)) {
    problems.push(`limit ${limit}, remaining ${remaining}, reset ${reset}`);
  }
  const [, policy] = /^"(key|address)";q=/.exec(String(headers['ratelimit-policy'])) ?? [];
  const expected = [`"${policy}";q=${limit};w=60`, `"${policy}";r=${remaining};t=${reset}`];
  const found = [headers['ratelimit-policy'], headers['ratelimit']];
  if (String(found) !== String(expected)) problems.push(`policy ${String(found)}`);
  if (status !== 304 && !headers['content-type']?.startsWith('application/'))
    problems.push(`content type ${headers['content-type']}`);
  return problems;
};

interface Refusal {
  readonly error?: string | { readonly code?: string };
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[];
}

/** 503 says when to retry, has the surface's envelope, and reveals nothing about its cause. */
export function findRefusalProblems(record: Recorded): string[] {
  const { headers, text, question } = record;
  const problems = question.credentials === undefined ? findHeaderProblems(record) : findRequestIdProblems(record);
  if (headers['retry-after'] !== '1') problems.push(`Retry-After is ${headers['retry-after']}`);
  if (question.method === 'HEAD') return problems;
  if (!hasEnvelope(question, parse(text) ?? {})) problems.push(`no envelope: ${text}`);
  if (/select|postgres|prisma|ECONN|\/src\//i.test(text)) problems.push(`tells too much: ${text}`);
  return problems;
}

function hasEnvelope({ document, credentials }: Question, { error, errors }: Refusal): boolean {
  if (credentials !== undefined) return error === 'temporarily_unavailable';
  if (document !== undefined) return errors?.[0]?.extensions?.code === 'SERVICE_UNAVAILABLE';
  return typeof error === 'object' && error.code === 'SERVICE_UNAVAILABLE';
}
