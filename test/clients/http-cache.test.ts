import { Agent, cacheStores, fetch, interceptors } from 'undici';
import type { DemoService } from '../support/demo-service';
import { startDemoService } from '../support/demo-service';

let service: DemoService;
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service.close());

interface Page {
  readonly data: readonly { readonly title: string }[];
}

describe('the cache of undici, for a client of its own (type "private")', () => {
  it('keeps a page, revalidates it, and gets 304; another credential gets its own', async () => {
    const dispatcher = new Agent().compose(
      interceptors.cache({ type: 'private', store: new cacheStores.MemoryCacheStore() }),
    );
    const read = async (authorization: string) => {
      const answer = await fetch(`${service.publicUrl}/v1/products?limit=1`, {
        dispatcher,
        headers: { Authorization: authorization },
      });
      return { status: answer.status, body: (await answer.json()) as Page };
    };
    const statuses = () =>
      service.log.filter(({ operation }) => operation === 'listProducts').map(({ status }) => status);
    const key = `Bearer ${service.apiKey}`;
    const first = await read(key);
    expect([first.status, first.body.data.length, statuses()]).toEqual([200, 1, [200]]);
    expect(await read(key)).toEqual(first);
    expect(statuses()).toEqual([200, 304]);
    expect((await read('Bearer ck_a.b')).status).toBe(401);

    await service.sql("UPDATE products SET title = title || '!'");
    await read(key);
    expect((await read(key)).body.data[0]?.title).toBe(`${first.body.data[0]?.title}!`);
    await dispatcher.close();
  });
});
