import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { toDatabaseApiError } from '../../database/database-failure';
import type { ContentEncoding } from './send';
import { encodeChunks, holdUntilRead, prepareHeaders } from './send';
import type { FileHandle } from 'node:fs/promises';
import { burdenSince, CallerLedger } from '../../common/caller-ledger';
import { openTemporary } from '../../common/temporary-file';
import { ApiError } from '../../errors/api-error';
import type { HttpDependencies } from '../http-dependencies';
import { callerOf, resetConnection } from '../request/buffered-bytes';

/** A response that is too long to keep in memory and is made while it is sent. */
interface LongAnswer {
  /** As name, value, name, value. */
  readonly headers: readonly string[];
  readonly encoding: ContentEncoding | undefined;
  /** The length of the body before compression, if known. */
  readonly bytes?: number;
  readonly chunks: AsyncIterable<Buffer>;
  /** Called when the response closes, however it ends. */
  readonly cancel: () => void;
}

/**
 * Sends a long body from a temporary file. A failure before its first bytes is thrown and gets a proper response; a
 * later one closes the connection, so that the client sees that the body is incomplete.
 * @returns whether all of it was sent; otherwise the client disconnected, or the request had already timed out
 */
export async function sendLong(
  request: Request,
  response: Response,
  { headers, encoding, bytes, chunks, cancel }: LongAnswer,
  limits: SpoolLimits,
): Promise<boolean> {
  const isUnwanted = (): boolean => response.headersSent || response.destroyed;
  if (isUnwanted()) cancel();
  response.on('close', cancel);
  // The previous steps and the pipeline also listen.
  response.setMaxListeners(20);
  let spool: Spool | undefined;
  try {
    if (request.method !== 'HEAD')
      spool = await Spool.open(encoding === undefined ? chunks : encodeChunks(chunks, encoding), response, limits);
    if (isUnwanted()) return false;
    prepareHeaders(response, headers);
    if (encoding !== undefined) response.setHeader('Content-Encoding', encoding);
    else if (bytes !== undefined) response.setHeader('Content-Length', bytes);
    response.status(200);
    if (spool === undefined) {
      response.end();
      return true;
    }
    holdUntilRead(response, 2 * readBytes);
    await pipeline(spool.read(), response);
    return true;
  } catch (error) {
    if (spool?.failure === undefined && isUnwanted()) return false;
    throw toDatabaseApiError(error) ?? error;
  } finally {
    await spool?.close();
  }
}

type SpoolLimits = Pick<HttpDependencies, 'maximumTemporaryBytes' | 'log'>;

/** A file is counted in steps of this size. */
const stepBytes = 8 * 1024 * 1024;
/** Bytes read at a time for a client. */
const readBytes = 64 * 1024;

/** The files of this process. */
const files = new CallerLedger();

/**
 * Bytes for a client in a temporary file: the source is read as fast as the disk can write, and the client reads at its
 * own pace. So a slow client occupies neither a snapshot nor a database connection, only disk space; when too much is
 * used, the caller with the largest burden loses its files.
 */
class Spool {
  /** Why the source ended early; undefined unless it did, or if the client had already disconnected. */
  failure: Error | undefined;
  #written = 0;
  #isEnded = false;
  #wake = (): void => undefined;
  readonly #since = performance.now();
  #steps: (() => void)[] = [];

  private constructor(
    private readonly file: FileHandle,
    private readonly response: Response,
    private readonly limits: SpoolLimits,
  ) {}

  /**
   * Resolves when the first bytes are written: an earlier failure can still get a proper response.
   * @throws whatever the source throws; ApiError SERVICE_UNAVAILABLE when no file can be written
   */
  static async open(source: AsyncIterable<Buffer>, response: Response, limits: SpoolLimits): Promise<Spool> {
    const spool = new Spool(await openTemporary().catch(refuseWithoutDisk), response, limits);
    void spool.#fill(source);
    await spool.#progress();
    if (spool.failure === undefined) return spool;
    await spool.close();
    throw spool.failure;
  }

  /** Yields the bytes as they are written, until the source ends. */
  async *read(): AsyncGenerator<Buffer, void, void> {
    let at = 0;
    for (;;) {
      // Stop reading a source whose response is already incomplete.
      if (this.failure !== undefined) throw this.failure;
      if (at < this.#written) {
        const chunk = Buffer.allocUnsafe(Math.min(readBytes, this.#written - at));
        at += (await this.file.read(chunk, 0, chunk.length, at)).bytesRead;
        yield chunk;
      } else if (this.#isEnded) return;
      else await this.#progress();
    }
  }

  /** Call when it is no longer read. Waits for the source to end. */
  async close(): Promise<void> {
    while (!this.#isEnded) await this.#progress();
    this.#uncount();
    await this.file.close();
  }

  async #fill(source: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const chunk of source) {
        this.#count(this.#written + chunk.length);
        await this.file.appendFile(chunk).catch(refuseWithoutDisk);
        this.#written += chunk.length;
        this.#wake();
      }
    } catch (error) {
      if (!this.response.destroyed || this.#written === 0) this.failure = error as Error;
    }
    this.#isEnded = true;
    this.#wake();
  }

  #progress(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  #count(bytes: number): void {
    const caller = callerOf(this.response);
    while (this.#steps.length * stepBytes < bytes) {
      const burden = (): number => burdenSince(this.#since, stepBytes);
      const giveWay = (): void => this.#giveWay();
      this.#steps.push(files.hold({ caller: () => caller, amount: stepBytes, burden, giveWay }));
    }
    while (files.total > this.limits.maximumTemporaryBytes && files.evict() > 0);
  }

  #giveWay(): void {
    this.#uncount();
    const message = 'closed a response early: temporary files reached MAX_TEMPORARY_MB, and its shop uses the most';
    this.limits.log.warn({ requestId: this.response.locals.requestId }, message);
    resetConnection(this.response.req.socket);
  }

  #uncount(): void {
    for (const release of this.#steps) release();
    this.#steps = [];
  }
}

function refuseWithoutDisk(cause: unknown): never {
  throw new ApiError(
    'SERVICE_UNAVAILABLE',
    'The server cannot write this response to temporary storage. Try again later.',
    {
      headers: { 'Retry-After': '60' },
      cause,
    },
  );
}
