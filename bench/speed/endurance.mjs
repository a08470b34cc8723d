/* global fetch */
/** Many connections, many requests, many tokens. */
import { applyLoad } from './load.mjs';
import { residentBytes } from './process.mjs';
import { shuffled } from './statistics.mjs';

export async function measureTokens({ origin, clientId, clientSecret, seconds }) {
  const request = {
    method: 'POST',
    path: '/oauth/token',
    body: 'grant_type=client_credentials&scope=catalog%3Aread',
  };
  const basic = Buffer.from([clientId, clientSecret].map(encodeURIComponent).join(':')).toString('base64');
  const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' };
  const response = await fetch(origin + request.path, { method: 'POST', headers, body: request.body });
  const token = await response.json();
  const called = await fetch(`${origin}/v1/products?limit=1`, {
    headers: { authorization: `Bearer ${token.access_token}` },
  });
  if (response.status !== 200 || called.status !== 200)
    throw new Error('WRONG RESPONSE: the token endpoint or its token');
  return applyLoad({ origin, requests: [request], headers }, { seconds });
}

/** Half of the requests are for the first page, half for one of thousands. */
export const mixedRequests = (walk) =>
  shuffled(walk.positions)
    .slice(0, 10_000)
    .flatMap(({ cursor }) => [{ path: '/v1/products' }, { path: `/v1/products?cursor=${cursor}` }]);

/** Resident memory over a long run; it counts as settled after a quarter of the requests. */
export async function soak({ service, headers, walk, requests, log }) {
  const requestList = mixedRequests(walk);
  const readings = [];
  for (let done = 0; done < requests;) {
    const { requests: count } = await applyLoad(
      { origin: service.origin, requests: requestList, headers },
      { seconds: Math.max(2, Math.min(10, requests / 20_000)) },
    );
    done += count;
    const bytes = residentBytes(service.pid);
    if (bytes === undefined) return undefined;
    readings.push({ requests: done, megabytes: Math.round(bytes / 1048576) });
    log(`${done} requests, ${readings.at(-1).megabytes} MB`);
  }
  const settled = readings.filter((reading) => reading.requests >= requests / 4);
  const last = settled
    .slice(1)
    .slice(-3)
    .map(({ megabytes }) => megabytes);
  return { readings, growth: Math.min(...last) / settled[0].megabytes - 1 };
}
