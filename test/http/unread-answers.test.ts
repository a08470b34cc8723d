import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import type { Response } from 'express';
import express from 'express';
import type { Principal } from '../../src/auth/principal';
import { send } from '../../src/http/response/send';
import { maximumBufferedBytes } from '../../src/http/request/buffered-bytes';
import { maximumAnswerBytes } from '../../src/catalog/answer-size';

let server: Server;
let port: number;
const clients = new Set<Socket>();
const answer = Buffer.alloc(maximumAnswerBytes, 'x');
const mostAtOnce = maximumBufferedBytes / maximumAnswerBytes;

beforeAll(async () => {
  const app = express();
  app.get('/:shop', ({ params }, response: Response) => {
    response.locals.principal = { shop: { id: params.shop } } as Principal;
    send(response, 200, [], answer);
  });
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterEach(() => clients.forEach((client) => client.destroy()));
afterAll(() => {
  server.closeAllConnections();
  server.close();
  return once(server, 'close');
});

/** Requests the largest response and reads only its beginning. */
async function ask(shop: string): Promise<Socket> {
  const client = connect(port, '127.0.0.1').on('error', () => undefined);
  clients.add(client);
  client.once('close', () => clients.delete(client));
  client.write(`GET /${shop} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  await once(client, 'data');
  client.pause();
  return client;
}

/** @returns how many bytes arrived before the end, or before the connection was reset */
async function readAll(client: Socket): Promise<number> {
  client.resume();
  // Not `once`, which rejects when the connection is reset.
  await new Promise((resolve) => client.once('close', resolve));
  return client.bytesRead;
}

describe('responses that no client reads', () => {
  it('are held while they are few, and then dropped from the shop that has the most, oldest first', async () => {
    const patient = [await ask('other'), await ask('other')];
    const greedy: Socket[] = [];
    for (let index = 0; index < mostAtOnce * 3; index++) greedy.push(await ask('greedy'));
    const read = await Promise.all(greedy.map(readAll));
    const isWhole = read.map((bytes) => bytes > answer.length);

    expect(isWhole).toEqual(greedy.map((_, index) => index >= greedy.length - (mostAtOnce - patient.length)));
    for (const client of patient) expect(await readAll(client)).toBeGreaterThan(answer.length);
  });

  it('no longer count once they are read', async () => {
    for (let index = 0; index < mostAtOnce * 3; index++) {
      expect(await readAll(await ask('reader'))).toBeGreaterThan(answer.length);
    }
  });
});
