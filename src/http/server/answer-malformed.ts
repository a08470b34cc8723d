import type { ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Response } from 'express';
import { toRequestId } from '../../observability/request-id';
import { rateLimitHeaders } from '../../rate-limit/rate-limit-headers';
import type { RateLimiter } from '../../rate-limit/rate-limiter';
import { chargeMalformed } from '../access/charge';
import { maximumTargetLength } from '../request/check-request';
import type { Connections } from './connections';
import { toErrorBody } from '../response/error-body';
import { toOriginForm } from './origin-form';
import { ProtocolError } from '../request/protocol-error';
import { toLines } from '../response/send';
import { securityHeaders, standingHeaders } from '../response/standing-headers';
import { isSameOriginPath, surfaceOf } from '../routes';
import type { EndedRequest } from '../http-dependencies';
import { recordOf } from '../request/request-record';

interface ParserError extends Error {
  readonly code?: string;
  /** What had arrived when the parser gave up; usually the start of the request. */
  readonly rawPacket?: Buffer;
}

/**
 * Answers what never became a request, so that even then the body has the envelope and the rate-limit headers stand (D2, D19).
 * node:http would write a bare status line.
 */
export function createMalformedHandler(
  rateLimiter: RateLimiter,
  connections: Connections,
  onRequestEnded: (request: EndedRequest) => void,
) {
  /** @param response The one of the request whose body broke, which is never going to be written. */
  const answer = async (error: ParserError, socket: Duplex, response?: ServerResponse): Promise<void> => {
    const target = targetOf(error.rawPacket);
    const path = target === undefined ? undefined : toOriginForm(target);
    const surface = path === undefined ? 'rest' : surfaceOf(path);
    const failure = toProtocolError(error, target);
    const decision = await chargeMalformed(rateLimiter, path, (socket as Socket).remoteAddress);
    const body = toErrorBody(surface, failure);
    const requestId = tell(failure.status, error.rawPacket, response);
    const lines = [
      ...(path !== undefined && isSameOriginPath(path) ? securityHeaders : standingHeaders),
      ...['X-Request-Id', requestId],
      ...(decision === undefined ? [] : toLines(rateLimitHeaders(decision))),
      ...['Cache-Control', 'no-store', 'Content-Type', 'application/json', 'Content-Length', String(body.length)],
      ...['Date', new Date().toUTCString(), 'Connection', 'close'],
    ];
    if (!socket.writable) return void socket.destroy();
    socket.write(`HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}\r\n${toHeaderText(lines)}\r\n`);
    endSoon(socket, body);
  };

  /** Tells of the request, unless the application does when the connection closes. @returns The id of the request. */
  const tell = (status: number, rawPacket: Buffer | undefined, response: ServerResponse | undefined): string => {
    const record = response && 'locals' in response ? recordOf(response as Response) : undefined;
    if (record !== undefined) {
      record.rawStatus = status;
      return record.id;
    }
    const requestId = toRequestId(
      /\r\nx-request-id:[ \t]*([\w.-]{1,128})[ \t]*\r\n/i.exec(rawPacket?.toString('latin1') ?? '')?.[1],
    );
    // No clock was started: nobody knew that a request had begun.
    onRequestEnded({ requestId, method: 'other', operation: 'unknown', status, seconds: 0 });
    return requestId;
  };

  // The parser complains again about every further chunk; one answer is enough.
  const refused = new WeakSet<Duplex>();

  return (error: ParserError, socket: Duplex): void => {
    if (refused.has(socket)) return;
    refused.add(socket);
    // node:http lets go of a socket that asks for a tunnel: an error on it that nobody listens to would end the process.
    socket.on('error', () => socket.destroy());
    const exchange = connections.latestOn(socket);
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else if (exchange === undefined || exchange.response.writableFinished) {
      if (exchange?.request.complete === false) endSoon(socket);
      else void answer(error, socket);
    } else if (exchange.request.complete) {
      // The broken bytes came behind a sound request (pipelining): its response goes first.
      exchange.response.once('finish', () => void answer(error, socket));
    } else if (exchange.response.headersSent) {
      // They are the body of a request that is being answered already: no second answer may follow the first.
      exchange.response.once('finish', () => endSoon(socket));
    } else void answer(error, socket, exchange.response);
  };
}

const lingerMilliseconds = 500;

/**
 * Says the last word and closes a moment later, whatever the client does. Not at once: closing on bytes that still come resets the
 * connection, and the answer would be lost on its way. Not by the client's leave: one that never closes would hold the connection
 * for ever, because node:http's time limits end with its parser.
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

function toProtocolError({ code }: ParserError, target: string | undefined): ProtocolError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ProtocolError(408, 'The request did not arrive in full within the time allowed.');
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return target !== undefined && target.length > maximumTargetLength
      ? new ProtocolError(414, `URL: expected at most ${maximumTargetLength} characters.`)
      : new ProtocolError(431, 'Headers: expected at most 16 kB in total.');
  }
  return new ProtocolError(400, 'Expected a well-formed HTTP/1.1 request.');
}

function toHeaderText(lines: readonly string[]): string {
  let text = '';
  for (let index = 0; index + 1 < lines.length; index += 2) text += `${lines[index]}: ${lines[index + 1]}\r\n`;
  return text;
}
