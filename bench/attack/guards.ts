/**
 * The test that guards the defence against each attack, by the attack's name: it fails for one instance immediately,
 * where `npm run attack` searches for others. In the form used in SECURITY.md: a file, then names of tests in it.
 */
export const guards: Readonly<Record<string, string>> = {
  'repeated-names': '`test/graph-limits/validation-cost.slow.test.ts`: "refuses %s before anything else processes it"',
  fragments: hostileDocuments(),
  'deep-documents': '`test/graph-limits/hostile-documents.test.ts`: "a depth that the parser can hold is measured"',
  'crowded-documents': hostileDocuments(),
  'misspelled-names': '`test/graph/errors.test.ts`',
  'bulky-texts': '`test/graph/http-requests.slow.test.ts`: "a body beyond the limit"',
  introspection: hostileDocuments(),
  'request-bodies': '`test/graph/http-requests.slow.test.ts`: "a body beyond the limit"',
  'request-targets': '`test/http/fuzz.slow.test.ts`: "no 500, and the documented shape of every answer"',
  'random-operations':
    '`test/graph/hostile-inputs.slow.test.ts`: "is never INTERNAL_SERVER_ERROR, and the same the first time, the second and the third"',
  'distinct-documents':
    '`test/graph/documents.slow.test.ts`: "never take more than their bound, and other shops keep theirs"',
  'distinct-introspection':
    '`test/graph/documents.slow.test.ts`: "never take more than their bound, and other shops keep theirs"',
  'distinct-statements':
    '`test/database/statement-names.test.ts`: "are left for the service and for other shops, however many statements one shop sends"',
  'persisted-queries': '`test/graph-limits/trusted-documents.test.ts`: "a request that names no trusted document"',
  'heavy-operations':
    '`test/http/noisy-shop.slow.test.ts`: "by %s, it has its share of the connections, and another shop is served"',
  'abandoned-operations':
    '`test/database/fair-queue.test.ts`: "a waiting entry is started after at most one start of each other queue for each entry of its own queue up to it"',
  'noise-credentials':
    '`test/http/refused-calls.test.ts`: "read nothing from the database, and get the same response as before"',
  'token-guesses':
    '`test/auth/token-endpoint.test.ts`: "limits failures to 120 a minute and address, and neither successes nor other addresses"',
  'token-spellings': '`test/auth/access-token.test.ts`: "have one spelling, whatever was verified before"',
  'dead-secrets': '`test/http/dead-secrets.slow.test.ts`: "a quiet stream ends, and a long poll is refused"',
  'uncharged-operations':
    '`test/http/charges.slow.test.ts`: "%s runs at most what it charges and counts, in a bounded answer"',
  'never-reading': '`test/http/connections.slow.test.ts`: "%s lose their connection"',
  'slow-readers':
    '`test/http/slow-readers.slow.test.ts`: "keeps no slot while its client reads: as many as a shop has may wait for clients that read nothing"',
  'slow-exports':
    '`test/http/reader-slots.test.ts`: "are never refused to a caller that reads fast, whatever others there are"',
  'slow-streams':
    '`test/changes/changes.slow.test.ts`: "a stream that is not read keeps one page in bytes, and no objects of it"',
  'slow-tools': '`test/mcp/mcp.slow.test.ts`: "lists in pages of 25,000 characters, each object once"',
  'slow-requests':
    '`test/http/server.test.ts`: "have ten seconds for their headers, which take 16 kB at most, and thirty for all of a request"',
  'many-connections': '`test/http/connections.slow.test.ts`: "makes room by closing connections that %s"',
  'many-headers':
    '`test/http/every-route.slow.test.ts`: "accepts no credential from trailers, nor one behind 3,000 headers"',
  'malformed-requests':
    '`test/http/malformed.test.ts`: "malformed HTTP gets the envelope and the rate-limit headers (D1, D2, D19)"',
  pipelining: '`test/http/connections.slow.test.ts`: "are not read any further while one of them waits: %s"',
  'large-answers':
    '`test/graph/answer-size.slow.test.ts`: "nothing larger than the bound comes from PostgreSQL, whatever was asked for"',
  'expensive-texts':
    '`test/privacy/expensive-texts.test.ts`: "no text takes more CPU time than its bound, whatever climbing found"',
  'hostile-imports': '`test/ingest/hostile-files.slow.test.ts`: "reports the problem of %s, and writes nothing"',
  'address-spellings': '`test/privacy/addresses.test.ts`: "is removed: the naive detector finds none in the remainder"',
  representations:
    '`test/graph/hostile-inputs.slow.test.ts`: "is never INTERNAL_SERVER_ERROR, and the same the first time, the second and the third"',
  'subgraph-answers':
    '`test/federation/wrong-answers.test.ts`: "are reported a hundred per response, and the rest is counted"',
  'subgraph-transport':
    '`test/federation/hostile-responses.slow.test.ts`: "a body that arrives too slowly is abandoned after the time limit"',
  'subgraph-sdl':
    '`test/federation-product/hostile-sdl.slow.test.ts`: "it is refused with a reason, or leaves the catalog as it is"',
};

function hostileDocuments(): string {
  return '`test/graph-limits/hostile-documents.test.ts`: "a malicious document of 100 kB is refused"';
}
