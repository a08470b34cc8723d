import type { Request, RequestHandler } from 'express';
import { ApiError } from '../../errors/api-error';
import { pathOf } from '../routes';

/**
 * A request that violates HTTP itself. The registry has one code for client errors (D2); HTTP distinguishes more: 408,
 * 414, 417 and 431 besides 400.
 */
export class ProtocolError extends ApiError {
  constructor(
    private readonly httpStatus: 400 | 408 | 414 | 417 | 431,
    message: string,
  ) {
    super('BAD_USER_INPUT', message);
  }

  override get status(): number {
    return this.httpStatus;
  }
}

/** Longer targets are refused with 414; node:http's own limit on all headers together is twice that. */
export const maximumTargetLength = 8192;

export const targetExpectation = 'URL: expected printable ASCII without a fragment; percent-encode everything else.';

export const headerExpectation =
  'Headers: expected lines "Name: value" without control characters, and no space before the colon.';

const outsideTarget = /[^\x21-\x7e]|#/;

/**
 * The first step: refuses violations of HTTP itself before any other check (D1). node:http and Express would either
 * respond without our body or accept them.
 */
export const checkRequest: RequestHandler = (request, _response, next) => {
  checkVersion(request);
  checkExpectation(request);
  checkHeaders(request);
  checkTarget(request);
  next();
};

/** RFC 9110 2.5: the same characters may mean something else in other versions. The parser accepts some of them. */
function checkVersion({ httpVersion }: Request): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    throw new ProtocolError(400, `HTTP: expected version 1.1 or 1.0, got ${httpVersion}.`);
  }
}

/** RFC 9110 10.1.1: readBody answers the only expectation that exists. */
function checkExpectation({ headers }: Request): void {
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    throw new ProtocolError(417, 'Expect: the only supported expectation is 100-continue.');
  }
}

/**
 * RFC 9112 3.2: exactly one Host; of several, node:http silently keeps the first. RFC 9112 5.1: no space before the
 * colon, which Node 20 accepts.
 */
function checkHeaders({ httpVersion, rawHeaders }: Request): void {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.endsWith(' ')) throw new ProtocolError(400, headerExpectation);
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
    throw new ProtocolError(400, `Host: expected exactly one header, got ${hosts}.`);
  }
}

function checkTarget(request: Request): void {
  if (request.url.length > maximumTargetLength) {
    throw new ProtocolError(414, `URL: expected at most ${maximumTargetLength} characters, got ${request.url.length}.`);
  }
  if (outsideTarget.test(request.url)) {
    throw new ProtocolError(400, targetExpectation);
  }
  // `*` is about the server as a whole, and valid for OPTIONS only (RFC 9112 3.2.4).
  if (!request.url.startsWith('/') && !(request.url === '*' && request.method === 'OPTIONS')) {
    throw new ProtocolError(400, 'URL: expected a path that starts with a slash.');
  }
  const path = pathOf(request.url);
  if (path.includes('%') && !isDecodable(path)) {
    throw new ProtocolError(400, 'URL: the path holds invalid percent-encoding; expected UTF-8 bytes as %XX.');
  }
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
