/** node:http sending a body that was ready before the request arrived: the ceiling of one process. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { announce } from './listen.mjs';

const body = readFileSync(process.env.BODY_FILE);
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length };
const server = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => announce(server.address().port));
