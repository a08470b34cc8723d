import type { Response } from 'express';
import { startAfterYield } from '../../common/fair-queue';
import { rateLimitHeaders } from '../../rate-limit/rate-limiter';
import { holdBytes } from '../request/buffered-bytes';
import { findPrincipal, handOver, isSameOriginOnly, rateLimitOf, requestIdOf } from '../request/request';
import { securityHeaders, standingHeaders } from './standing-headers';

/** Smaller ones are bounded by the number of connections. */
const smallBytes = 16 * 1024;

/**
 * Counts an answer until its client has read it (`../request/buffered-bytes.ts`). A client that reads slowly is not a
 * stalled one, and may hold as many answers as it may make calls, until they are too much for the process.
 * @param length The bytes that are held for this answer, whether or not they were passed to the system.
 */
export function holdUntilRead(response: Response, length: number): void {
  if (length > smallBytes && !response.destroyed) response.once('close', holdBytes(response, length));
}

/** Bodies up to this size are written at once: a page of two hundred products of usual size. */
const wholeBytes = 512 * 1024;
const chunkBytes = 128 * 1024;

/** Sends a body in parts, which are joined only if that is quick. The headers are set, except for the length. */
export function endWithParts(response: Response, parts: readonly Buffer[]): void {
  const bytes = sumOf(parts);
  response.setHeader('Content-Length', bytes);
  endInChunks(response, bytes <= wholeBytes ? [Buffer.concat(parts, bytes)] : parts);
}

/**
 * Ends a response, a long body in chunks: writing megabytes to the socket at once takes tens of milliseconds, during
 * which no other request is answered. Each chunk is written once the previous one was sent, in a separate turn of the
 * event loop (docs/decisions.md 67).
 */
function endInChunks(response: Response, parts: readonly Buffer[]): void {
  const bytes = sumOf(parts);
  holdUntilRead(response, bytes);
  handOver(response);
  const [whole] = parts;
  if (parts.length === 1 && whole !== undefined && bytes <= wholeBytes) return void response.end(whole);
  const chunks = parts.flatMap(cut);
  const last = chunks.length - 1;
  const queue = findPrincipal(response)?.shop.id;
  let next = 0;
  let waitsForDrain = false;
  const writeNext = (): void => {
    if (response.destroyed) return;
    const chunk = chunks[next] as Buffer;
    next += 1;
    if (next > last) return void response.end(chunk);
    if (response.write(chunk)) startAfterYield(queue, writeNext);
    else waitsForDrain = true;
  };
  response.on('drain', () => {
    if (!waitsForDrain) return;
    waitsForDrain = false;
    startAfterYield(queue, writeNext);
  });
  writeNext();
}

const sumOf = (parts: readonly Buffer[]): number => parts.reduce((sum, { length }) => sum + length, 0);

function cut(part: Buffer): readonly Buffer[] {
  const chunks: Buffer[] = [];
  for (let from = 0; from < part.length; from += chunkBytes) chunks.push(part.subarray(from, from + chunkBytes));
  return chunks;
}

/**
 * Writes a whole response at once: status, the standing headers, the request id, the rate-limit headers (D19), and the
 * given ones as name, value, name, value. node:http writes one flat list fastest.
 */
export function send(
  response: Response,
  status: number,
  headers: readonly string[],
  body?: Buffer,
  contentType = 'application/json',
): void {
  const all = [...standingHeadersOf(response), ...requestIdLines(response), ...rateLimitLines(response), ...headers];
  if (body !== undefined) all.push('Content-Type', contentType, 'Content-Length', String(body.length));
  response.writeHead(status, all);
  if (body === undefined) response.end();
  else endInChunks(response, [body]);
}

/** Sets the headers that `send` would write, for a handler that writes its own response. */
export function prepareHeaders(response: Response): void {
  const lines = [...standingHeadersOf(response), ...requestIdLines(response), ...rateLimitLines(response)];
  setHeaders(response, lines);
}

/** Sets headers that are given as name, value, name, value. */
export function setHeaders(response: Response, lines: readonly string[]): void {
  for (let index = 0; index + 1 < lines.length; index += 2) {
    response.setHeader(lines[index] as string, lines[index + 1] as string);
  }
}

const standingHeadersOf = (response: Response): readonly string[] =>
  isSameOriginOnly(response) ? securityHeaders : standingHeaders;

function requestIdLines(response: Response): string[] {
  const id = requestIdOf(response);
  return id === undefined ? [] : ['X-Request-Id', id];
}

function rateLimitLines(response: Response): string[] {
  const decision = rateLimitOf(response);
  if (decision === undefined) return [];
  return toLines(rateLimitHeaders(decision, findPrincipal(response) === undefined ? 'address' : 'key'));
}

/** Flattens headers by name to a list. */
export function toLines(headers: Readonly<Record<string, string>>): string[] {
  const lines: string[] = [];
  for (const name in headers) lines.push(name, headers[name] as string);
  return lines;
}
