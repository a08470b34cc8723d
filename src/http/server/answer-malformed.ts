import type { ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Response } from 'express';
import { toRequestId, ProtocolError, maximumTargetLength, targetExpectation } from '../request/request';
import type { RateLimiter } from '../../rate-limit/rate-limiter';
import type { Connections } from './connections';
import { toErrorBody } from '../response/handle-errors';
import { rateLimitLines, securityHeaders, standingHeaders } from '../response/send';
import { findRoute, surfaceOf, toOriginForm } from '../routes';
import type { EndedRequest } from '../request/request';

interface ParserError extends Error {
  readonly code?: string;
  /** What the parser expected, in a few words. */
  readonly reason?: string;
  /** The bytes that had arrived when the parser failed; usually the start of the request. */
  readonly rawPacket?: Buffer;
}

/**
 * Answers bytes that never became a request, so that even then the body has the envelope and the rate-limit headers are
 * set (D2, D19). node:http would write only a status line.
 */
export function createMalformedHandler({
  rateLimiter,
  connections,
  pathPrefix,
  onRequestEnded,
}: {
  readonly rateLimiter: RateLimiter;
  readonly connections: Connections;
  readonly pathPrefix: string;
  readonly onRequestEnded: (request: EndedRequest) => void;
}) {
  /** @param response The response of the request whose body broke, which is never going to be written. */
  const answer = (error: ParserError, socket: Duplex, response?: ServerResponse): void => {
    const target = targetOf(error.rawPacket);
    const originForm = toOriginForm(target ?? '', pathPrefix);
    const path = originForm.startsWith('/') ? originForm : pathWithoutTarget;
    const failure = toProtocolError(error, target);
    const body = toErrorBody(surfaceOf(path), failure);
    const requestId = reportRequest(failure.status, error.rawPacket, response);
    const lines = [
      ...(findRoute(path)?.isSameOriginOnly ? securityHeaders : standingHeaders),
      ...['X-Request-Id', requestId],
      ...rateLimitLines({ limit: rateLimiter.limit }, path),
      ...['Cache-Control', 'no-store', 'Content-Type', 'application/json', 'Content-Length', String(body.length)],
      ...['Date', new Date().toUTCString(), 'Connection', 'close'],
    ];
    if (!socket.writable) return void socket.destroy();
    socket.write(`HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}\r\n${toHeaderText(lines)}\r\n`);
    endSoon(socket, body);
  };

  /** Reports the request, unless the application does so when the connection closes. @returns The request id. */
  const reportRequest = (
    status: number,
    rawPacket: Buffer | undefined,
    response: ServerResponse | undefined,
  ): string => {
    const locals = response && 'locals' in response ? (response as Response).locals : undefined;
    if (locals?.requestId !== undefined) {
      locals.rawStatus = status;
      return locals.requestId;
    }
    const requestId = toRequestId(
      /\r\nx-request-id:[ \t]*([\w.-]{1,128})[ \t]*\r\n/i.exec(rawPacket?.toString('latin1') ?? '')?.[1],
    );
    // No timer was started: nothing had indicated the start of a request.
    onRequestEnded({ requestId, method: 'other', operation: 'unknown', status, seconds: 0 });
    return requestId;
  };

  // The parser reports every further chunk as well; one response is enough.
  const refused = new WeakSet<Duplex>();

  return (error: ParserError, socket: Duplex): void => {
    if (refused.has(socket)) return;
    refused.add(socket);
    // node:http releases a socket that requests a tunnel: an unhandled error on it would end the process.
    socket.on('error', () => socket.destroy());
    const exchange = connections.latestOn(socket);
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else if (exchange === undefined || exchange.response.writableFinished) {
      if (exchange?.request.complete === false) endSoon(socket);
      else answer(error, socket);
    } else if (exchange.request.complete) {
      // The malformed bytes followed a valid request (pipelining): its response goes first.
      exchange.response.once('finish', () => answer(error, socket));
    } else if (exchange.response.headersSent) {
      // They belong to the body of a request that is already being answered: no second response may follow.
      exchange.response.once('finish', () => endSoon(socket));
    } else answer(error, socket, exchange.response);
  };
}

/** Bytes without a path are answered like a REST call. */
const pathWithoutTarget = '/v1';

const lingerMilliseconds = 500;

/**
 * Writes the final response and closes a little later, whatever the client does. Not immediately: closing while bytes
 * are still arriving resets the connection, and the response would be lost. Not when the client closes: a client that
 * never does would hold the connection forever, because node:http's time limits end with its parser.
 */
function endSoon(socket: Duplex, body?: Buffer): void {
  socket.end(body);
  const timer = setTimeout(() => socket.destroy(), lingerMilliseconds);
  socket.once('close', () => clearTimeout(timer));
}

/** The target of the request line, as far as it arrived. */
function targetOf(rawPacket: Buffer | undefined): string | undefined {
  return /^[A-Z]{3,20} (\S+)/.exec(rawPacket?.toString('latin1') ?? '')?.[1];
}

function toProtocolError({ code, reason = 'unexpected end' }: ParserError, target: string | undefined): ProtocolError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ProtocolError(408, 'The request was not received in full within the time limit.');
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return target !== undefined && target.length > maximumTargetLength
      ? new ProtocolError(414, `URL: expected at most ${maximumTargetLength} characters.`)
      : new ProtocolError(431, 'Headers: expected at most 16 KiB in total.');
  }
  // A space ends the target, so what follows is not the version.
  const isAboutTarget = code === 'HPE_INVALID_URL' || code === 'HPE_INVALID_CONSTANT';
  return new ProtocolError(
    400,
    isAboutTarget ? targetExpectation : `Expected a well-formed HTTP/1.1 request. The parser reports: ${reason}.`,
  );
}

function toHeaderText(lines: readonly string[]): string {
  let text = '';
  for (let index = 0; index + 1 < lines.length; index += 2) text += `${lines[index]}: ${lines[index + 1]}\r\n`;
  return text;
}
