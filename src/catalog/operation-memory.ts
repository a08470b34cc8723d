import { getHeapStatistics } from 'node:v8';
import { CallerLedger } from '../common/caller-ledger';
import { ApiError } from '../errors/api-error';

/**
 * What the rows of all operations in progress may take together, from the moment they were read until the answer is
 * made: an eighth of the heap, because objects and texts made from rows take several times as much.
 */
export const maximumRowBytesInMemory = getHeapStatistics().heap_size_limit / 8;

/** Smaller reads are not counted: as many as fit into a process take less than one answer. */
const leastBytes = 64 * 1024;

const rowsInMemory = new CallerLedger();

/**
 * The memory of one operation. When operations together have read more than there is room for, the shop that holds most
 * loses the largest of its own.
 */
export class OperationMemory {
  readonly #shopId: string;
  readonly #onGiveWay: (error: ApiError) => void;
  #releases: (() => void)[] = [];

  /** @param onGiveWay Ends the operation with this error. */
  constructor(shopId: string, onGiveWay: (error: ApiError) => void) {
    this.#shopId = shopId;
    this.#onGiveWay = onGiveWay;
  }

  /** Counts what was read, until the release. */
  hold(bytes: number): void {
    if (bytes < leastBytes) return;
    this.#releases.push(
      rowsInMemory.hold({
        caller: () => this.#shopId,
        amount: bytes,
        burden: () => bytes,
        giveWay: () => {
          this.release();
          this.#onGiveWay(createError());
        },
      }),
    );
    while (rowsInMemory.total > maximumRowBytesInMemory && rowsInMemory.makeRoom() > 0);
  }

  release(): void {
    for (const release of this.#releases) release();
    this.#releases = [];
  }
}

const createError = (): ApiError =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    'Too many large answers are being made. Try again in a moment, or ask for less.',
    {
      headers: { 'Retry-After': '1' },
    },
  );
