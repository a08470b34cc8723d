import { ApiError } from '../errors/api-error';

/**
 * The maximum size of the rows of one response as JSON text in UTF-8, and of a response made from them
 * (docs/decisions.md 41). Two rows of any table fit in it (model.ts).
 */
export const maximumAnswerBytes = 8 * 1024 * 1024;

/**
 * The maximum size of a row as JSON text, in which some characters take more bytes than in a column. Two fit in one
 * response: a page of one row reads a second, to determine whether there is one.
 */
export const maximumRowBytes = maximumAnswerBytes / 2;

/**
 * Thrown when more was requested than one response may hold and a shorter page is not possible. Ends the whole
 * operation, not only the field, because the data read so far is just as large.
 */
export class AnswerTooLargeError extends ApiError {
  constructor(what = 'The response exceeds', remedy = 'Request less data: a smaller first or last, or fewer fields') {
    super('ANSWER_TOO_LARGE', `${what} the maximum of ${maximumAnswerBytes} bytes. ${remedy}.`);
  }
}

/** Thrown for a product that, with its variants, is larger than a response may be. */
export class ProductTooLargeError extends AnswerTooLargeError {
  constructor() {
    super('The product and its variants exceed', 'Page through the variants with variantConnection on /graphql');
  }
}
