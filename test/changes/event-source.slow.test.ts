import { once } from 'node:events';
import type { ClientRequest } from 'node:http';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { describeInChromium, launchChromium, withoutInternet } from '../support/chromium';
import { seedApiKey, seedProduct, seedShop } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

/** What a page collects: the ids of objects and events, in order. */
interface Collected {
  readonly objects: readonly string[];
  readonly cursors: readonly string[];
  readonly current: number;
  readonly opened: number;
}

describeInChromium("a browser's own EventSource, behind a server that adds the credential", () => {
  let service: Service;
  let browser: Browser;
  beforeAll(async () => {
    service = await startService({ rateLimit: 100_000 });
    browser = await launchChromium(withoutInternet);
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  it('has everything, then changes as they happen, and continues by Last-Event-ID after its connection was cut', async () => {
    const shopId = await seedShop(service.sql);
    const { apiKey } = await seedApiKey(service.sql, shopId);
    const first = [await seedProduct(service.sql, shopId), await seedProduct(service.sql, shopId)];
    const passed: ClientRequest[] = [];
    const positions: (string | undefined)[] = [];
    const server = createServer((incoming, outgoing) => {
      if (incoming.url === '/')
        return outgoing.setHeader('Content-Type', 'text/html').end('<!doctype html><title>A</title>');
      if (incoming.url?.startsWith('/changes') !== true) return outgoing.writeHead(404).end();
      positions.push(incoming.headers['last-event-id'] as string | undefined);
      const headers = { ...incoming.headers, authorization: `Bearer ${apiKey}` };
      const passing = request(`${service.origin}${incoming.url ?? ''}`, { headers, agent: false }, (response) => {
        outgoing.writeHead(response.statusCode ?? 0, response.headers);
        response.pipe(outgoing);
        response.on('error', () => outgoing.destroy());
      });
      passing.on('error', () => outgoing.destroy());
      passing.end();
      passed.push(passing);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.evaluate(`
      window.collected = { objects: [], cursors: [], current: 0, opened: 0 };
      const source = new EventSource('/changes?types=products');
      source.onopen = () => collected.opened++;
      source.onmessage = ({ data, lastEventId }) => {
        collected.objects.push(JSON.parse(data).id);
        collected.cursors.push(lastEventId);
      };
      source.addEventListener('current', () => collected.current++);
    `);
    const until = (condition: string) => page.waitForFunction(condition, undefined, { timeout: 30_000 });
    const collected = () => page.evaluate<Collected>('collected');

    await until('collected.current === 1');
    expect([...(await collected()).objects].sort()).toEqual([...first].sort());

    const second = await seedProduct(service.sql, shopId);
    await until('collected.current === 2');
    passed.at(-1)?.destroy();
    const third = await seedProduct(service.sql, shopId);
    await until('collected.opened === 2 && collected.current === 3');
    const { objects, cursors } = await collected();
    expect(objects.slice(2)).toEqual([second, third]);
    expect(new Set(cursors).size).toBe(cursors.length);
    expect(positions).toEqual([undefined, expect.any(String)]);
    await page.close();
    server.closeAllConnections();
    server.close();
  });
});
