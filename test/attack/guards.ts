/**
 * The test that guards the defence against each attack, by the attack's name: it fails for one instance at once, where `npm run attack`
 * looks for others. Of the form that SECURITY.md has: a file, then names of tests in it.
 */
export const guards: Readonly<Record<string, string>> = {
  'repeated-names': hostileDocuments(),
  fragments: hostileDocuments(),
  'deep-documents':
    '`test/graph-limits/hostile-documents.test.ts`: "a depth that no stack could hold is measured all the same"',
  'crowded-documents': hostileDocuments(),
  'misspelled-names': '`test/graph/errors.test.ts`',
  'bulky-texts': '`test/graph/http-requests.test.ts`: "a body beyond the limit"',
  introspection: hostileDocuments(),
  'request-bodies': '`test/graph/http-requests.test.ts`: "a body beyond the limit"',
  'request-targets': '`test/http/fuzz.test.ts`: "no 500, and the documented shape of every answer"',
  'random-operations': '`test/http/fuzz.test.ts`: "no 500, JSON with data or errors, and no prototype is touched"',
  'distinct-documents': '`test/graph/answer-cache.test.ts`',
  'distinct-introspection': '`test/graph/answer-cache.test.ts`',
  'distinct-statements': '`test/graph/statements.test.ts`',
  'persisted-queries': '`test/graph-limits/trusted-documents.test.ts`: "a request that names no trusted document"',
  'heavy-operations': loadShedding(),
  'abandoned-operations': loadShedding(),
  'noise-credentials': '`test/http/order-of-checks.test.ts`',
  'token-guesses':
    '`test/auth/token-endpoint.test.ts`: "limits failures to 120 a minute and address, and neither successes nor other addresses"',
  'token-spellings': '`test/auth/access-token.test.ts`',
  'never-reading': '`test/http/server.test.ts`: "cannot keep a connection open after an answer that ends it: %s"',
  'slow-requests':
    '`test/http/server.test.ts`: "have ten seconds for their headers, which take 16 kB at most, and thirty for all of a request"',
  'many-connections': '`test/http/server.test.ts`: "before or after they are answered end no process: %s"',
  'many-headers': '`test/http/malformed.test.ts`: "refuses two credentials although one of them is right (D16)"',
  'malformed-requests':
    '`test/http/malformed.test.ts`: "malformed HTTP gets the envelope and the rate-limit headers (D1, D2, D19)"',
  pipelining:
    '`test/http/server.test.ts`: "get one answer and draw once on their address, however much more of it comes meanwhile"',
  'large-answers': '`test/http/content-encoding.test.ts`',
  'hostile-imports':
    '`test/ingest/snapshot.test.ts`: "a line that is wrong stops the import, names file, line and member, and nothing is written"',
  'address-spellings': '`test/ingest/customer-privacy.test.ts`',
  representations:
    '`test/federation-product/subgraph-endpoint.test.ts`: "asks for a client as /graphql does: %s is 401 without a credential"',
  'subgraph-answers': '`test/federation/remote-executor.test.ts`: "is longer than allowed, and is not read to its end"',
  'subgraph-transport': '`test/federation/remote-executor.test.ts`: "is given up while it is still sending"',
  'subgraph-sdl': '`test/federation/composition.test.ts`',
};

function hostileDocuments(): string {
  return '`test/graph-limits/hostile-documents.test.ts`: "a hostile document of 100 kB is refused after work in proportion to its length"';
}

function loadShedding(): string {
  return '`test/faults/load-shedding.test.ts`: "are refused at once with 503 and Retry-After, and those before them are answered"';
}
