import { randomUUID } from 'node:crypto';

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Identifies a request in every log line and on its response: the caller's own id when it is safe to log, else a new
 * one.
 */
export const toRequestId = (given: string | readonly string[] | undefined): string =>
  typeof given === 'string' && wellFormed.test(given) ? given : randomUUID();
