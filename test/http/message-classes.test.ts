import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { adoptMessages, createMessageClasses } from '../../src/http/server/create-http-server';

/** What an application's handler sees of its messages. */
async function serveOnce(app: express.Express, classes = createMessageClasses()) {
  adoptMessages(app, classes);
  const seen: object[] = [];
  app.get('/', (request, response) => {
    seen.push(Object.getPrototypeOf(request) as object, Object.getPrototypeOf(response) as object);
    response.status(201).send(`${request.get('X-Word')} of ${String(request.app.get('name'))}`);
  });
  const server = createServer(classes, app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
    headers: { 'X-Word': 'a word' },
  });
  const answer = [response.status, await response.text()];
  server.close();
  return { seen, answer, classes };
}

const named = (name: string) => express().set('name', name);

it('messages keep the prototype that they were created with: Express finds in it what it would set', async () => {
  const { seen, answer, classes } = await serveOnce(named('one'));
  expect(seen).toEqual([classes.IncomingMessage.prototype, classes.ServerResponse.prototype]);
  expect(answer).toEqual([201, 'a word of one']);
});

it('each application has separate messages', async () => {
  const [one, other] = await Promise.all([serveOnce(named('one')), serveOnce(named('other'))]);
  expect([one.answer[1], other.answer[1]]).toEqual(['a word of one', 'a word of other']);
});
