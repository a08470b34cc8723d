/* global performance */
/**
 * Puts load on one origin: with `wrk` if it is installed (it leaves the cores to the servers), otherwise with
 * autocannon. All peers of a run are measured with the same tool.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { percentile } from './statistics.mjs';

const run = promisify(execFile);
const scratch = mkdtempSync(join(tmpdir(), 'catalog-bench-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

export const tool = spawnSync('wrk', ['-v']).error ? 'autocannon' : 'wrk';

// Requests are cycled through in the order given; the bytes for the socket are built once, before the clock runs.
const script = `
local requests, count, index = {}, 0, 0
init = function(arguments)
  for line in io.lines(arguments[1]) do
    local method, path, body, key = line:match("^(%u+)\\t([^\\t]*)\\t([^\\t]*)\\t?(.*)$")
    count = count + 1
    requests[count] = wrk.format(method, path, key ~= "" and { authorization = key } or nil, body ~= "" and body or nil)
  end
end
request = function() index = index % count + 1; return requests[index] end
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT %d %d %f %f %f %d\\n", summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), latency.max, e.connect + e.read + e.write + e.status + e.timeout))
end`;
// Node.js accepts one connection per turn of its event loop. If all sent at once, those accepted last would have waited
// for all others, so each waits half a second before its first request.
const openFirst = `
local opened = 0
delay = function()
  opened = opened + 1
  return opened <= CONNECTIONS and 500 or 0
end`;

/**
 * @param {{ origin: string, requests: object[], headers?: object }} target each request: method, path, body, headers
 * @returns requests per second and latencies in milliseconds
 */
export async function applyLoad(target, { connections = 8, seconds = 3 } = {}) {
  const result = await (tool === 'wrk' ? withWrk : withAutocannon)(target, connections, seconds);
  if (result.errors > 0)
    throw new Error(`failed requests at ${target.origin}${target.requests[0].path}: ${result.errors}`);
  return result;
}

let files = 0;

async function withWrk({ origin, requests, headers = {} }, connections, seconds) {
  const file = join(scratch, `requests-${files++}`);
  const scriptFile = `${file}.lua`;
  const isCrowd = connections > 100;
  writeFileSync(scriptFile, script + (isCrowd ? openFirst.replace('CONNECTIONS', String(connections)) : ''));
  writeFileSync(
    file,
    requests
      .map(
        ({ method = 'GET', path, body = '', headers: own }) =>
          `${method}\t${path}\t${body}\t${own?.authorization ?? ''}\n`,
      )
      .join(''),
  );
  const { stdout } = await run('wrk', [
    ...['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '20s', '-s', scriptFile],
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ...[origin, '--', file],
  ]);
  rmSync(file);
  rmSync(scriptFile);
  const [count, microseconds, p50, p99, max, errors] = /RESULT (.*)/.exec(stdout)[1].split(' ').map(Number);
  return {
    requests: count,
    rate: count / (microseconds / 1e6),
    p50: p50 / 1000,
    p99: p99 / 1000,
    max: max / 1000,
    errors,
  };
}

async function withAutocannon({ origin, requests, headers = {} }, connections, seconds) {
  const { default: autocannon } = await import('autocannon');
  const result = await autocannon({
    url: origin,
    connections,
    duration: seconds,
    headers,
    requests: requests.map(({ method = 'GET', path, body, headers: own }) => ({
      method,
      path,
      body,
      headers: { ...headers, ...own },
    })),
  });
  return {
    requests: result.requests.total,
    rate: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    max: result.latency.max,
    errors: result.errors + result.timeouts + result['4xx'] + result['5xx'],
  };
}

/**
 * Sends requests at the same intervals, whether or not earlier ones have been answered, over at most eight connections.
 * @param rate requests a second
 * @returns the 99th percentile of the time from when a request was due to the end of its response, in milliseconds
 */
export async function latencyAtRate({ origin, requests, headers }, { seconds, rate }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const started = performance.now();
  const ask = (number) =>
    new Promise((resolve, reject) => {
      const { path } = requests[number % requests.length];
      const request = get(`${origin}${path}`, { agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${origin}${path}: ${response.statusCode}`));
        response.resume().once('end', () => resolve(performance.now() - started - (1000 * number) / rate));
      });
      request.once('error', reject);
    });
  const latencies = [];
  while (latencies.length < rate * seconds) {
    await delay(1);
    const due = Math.min(rate * seconds, ((performance.now() - started) * rate) / 1000);
    while (latencies.length < due) latencies.push(ask(latencies.length));
  }
  const p99 = percentile(await Promise.all(latencies), 0.99);
  agent.destroy();
  return p99;
}
