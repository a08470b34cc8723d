/** Express 5 sending a body that was ready before the request arrived: the cost of the framework itself. */
import { readFileSync } from 'node:fs';
import express from 'express';
import { announce } from './listen.mjs';

const body = readFileSync(process.env.BODY_FILE);
const app = express();
app.disable('x-powered-by');
app.disable('etag'); // it would hash the body for every answer
app.get('/products', (_request, response) => {
  response.type('application/json').send(body);
});
const server = app.listen(0, '127.0.0.1', () => announce(server.address().port));
