import { readFileSync } from 'node:fs';
import { accessTokenLifetimeSeconds } from '../../src/auth/access-token';
import { clockSkewSeconds } from '../../src/auth/access-token-verifier';
import { maximumBodyBytes } from '../../src/auth/oauth/token-request';
import { maximumAnswerBytes } from '../../src/catalog/answer-size';
import { maximumOrders } from '../../src/catalog/rows/figure-statement';
import { scanLength } from '../../src/catalog/rows/page-statement';
import { settings } from '../../src/config/settings';
import { longestLockWaitMilliseconds } from '../../src/database/lock-waits';
import { patienceAtStartMilliseconds } from '../../src/database/provide-database';
import { keptCharacters, usageDays } from '../../src/database/sql-constants';
import { defaultLimits, maxTokens } from '../../src/graph/limits/limit-options';
import { operationsPerShop } from '../../src/http/endpoints/graphql/graphql-handler';
import { mostCharacters } from '../../src/http/endpoints/mcp/fit-answer';
import { maximumBufferedBytes } from '../../src/http/request/buffered-bytes';
import { maximumTargetLength } from '../../src/http/request/request';
import { longestWaitSeconds } from '../../src/http/routes';
import { drainMilliseconds } from '../../src/process/shutdown-handlers';
import { windowSeconds } from '../../src/rate-limit/rate-limiter';
import { defaultPageSize } from '../../src/relay/connection';

/** Numbers that people plan with. Other tests may compute with a constant, because it is pinned here. */
const numbers: readonly (readonly [name: string, constant: number, literal: number, file?: string, text?: string])[] = [
  ['requests in a window', Number(settings.RATE_LIMIT_REQUESTS.default), 120, 'README.md', '120 requests per 60 seconds'],
  ['seconds of a window', windowSeconds, 60, 'README.md', '120 requests per 60 seconds'],
  ['bytes of an answer', maximumAnswerBytes, 8_388_608, 'docs/operations.md', '8 MiB of JSON'],
  ['bytes held for clients', maximumBufferedBytes, 134_217_728, 'docs/operations.md', '| 128 MiB;'],
  ['characters of a URL', maximumTargetLength, 8_192, 'rest/openapi.yaml', '8,192 characters'],
  ['seconds of a long poll', longestWaitSeconds, 55, 'docs/integrators.md', 'for a change (maximum: 55)'],
  ['seconds of a token', accessTokenLifetimeSeconds, 3_600, 'docs/api-rules.md', 'expires_in 3600'],
  ['seconds by which clocks may differ', clockSkewSeconds, 10, 'docs/api-rules.md', 'no more than 10 s ahead'],
  ['milliseconds that a start waits', patienceAtStartMilliseconds, 30_000, 'docs/operations.md', 'the process waits 30 s'],
  ['items of a page', defaultPageSize, 50, 'schema.graphql', 'Default 50 if `last` is not set'],
  ['bytes of a call for a token', maximumBodyBytes, 16_384],
  ['orders that a figure reads one by one', maximumOrders, 100_000],
  ['rows that a page scans', scanLength, 5_000],
  ['characters of a text in an index', keptCharacters, 500],
  ['days of usage', usageDays, 400],
  ['milliseconds of a wait for locks', longestLockWaitMilliseconds, 300_000],
  ['milliseconds of a drain', drainMilliseconds, 10_000],
  ['operations of a shop at a time', operationsPerShop, 8],
  ['characters of a tool’s answer', mostCharacters, 650_000],
  ['tokens of a document', maxTokens, 4_000],
]; // prettier-ignore

it.each(numbers.map((each) => [each[0], each] as const))('%s', (_name, [, constant, literal, file, text]) => {
  expect(constant).toBe(literal);
  const words = file === undefined ? '' : readFileSync(file, 'utf8').replaceAll(/\s+/g, ' ');
  expect(words).toContain(text ?? '');
});

it('limits of operations', () => {
  expect(defaultLimits).toEqual({
    maxDepth: 16,
    maxAliases: 50,
    maxRootFields: 20,
    maxFields: 1_000,
    maxDirectives: 50,
    maxFragmentUses: 500,
    maxOperations: 20,
    maxFragments: 100,
    maxSelections: 2_000,
    maxValueDepth: 16,
    maxComparisons: 7_500,
    maxRecursion: 2,
    maxCost: 10_000,
    maxVariables: 50,
    maxVariableBytes: 32_768,
    maxVariableDepth: 6,
    maxVariableListLength: 200,
  });
});
