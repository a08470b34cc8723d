import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { parseSigningKeySet, signingKeySetExpectation } from './signing-key-set';
import type { ConnectionTargetError } from './connection-target';
import { parseConnectionTarget } from './connection-target';
import { readDocumentManifest } from './document-manifest';
import { startDirectory } from './start-directory';
import { ownSegments, pathPrefixOf } from '../common/public-url';
import { isHttpUrl, isUrl } from '../common/is-url';

/** Resolves a path relative to the directory in which the process was started. */
export const fromStart = (path: string): string => resolve(startDirectory, path);

export const oneOf = <const Word extends string>(...words: readonly Word[]) =>
  z.enum(words, { error: `one of ${words.join(', ')}` });

export const flag = oneOf('true', 'false').transform((word) => word === 'true');

export const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d+$/, `an integer from ${minimum} to ${maximum}`)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, `an integer from ${minimum} to ${maximum}`);

/** From 1 ms to ten minutes. */
export const milliseconds = wholeNumber(1, 600_000);

export const port = wholeNumber(0, 65_535);

/** Separated by commas or, as in a file, by line breaks. */
const commaList = z.string().transform((text) =>
  text
    .split(/[,\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

/**
 * An absolute http or https URL with nothing after its authority but a slash or a path of plain segments. Input that
 * URL parsers would silently correct is refused.
 */
export const publicUrl = z
  .string()
  .regex(
    /^https?:\/\/[^\s/\\?#@]+(?:\/|(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+)?$/i,
    'an http or https URL without credentials, query, fragment or a slash after its path, such as https://api.example.com or https://shop.example/catalog',
  )
  .refine((text) => isUrl(text), 'a valid host and an optional port after http:// or https://')
  .transform((text) => `${new URL(text).origin}${pathPrefixOf(text)}`)
  .refine(
    (text) => !/\/v1$/.test(text) && !ownSegments.includes(pathPrefixOf(text).split('/')[1] ?? ''),
    'an http or https URL whose path does not start with a path of the service, such as /graphql, and does not end with /v1, which the service adds',
  );

const isHost = (text: string): boolean => isIPv6(text) || /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?$/.test(text);

export const host = z.string().refine(isHost, 'an IP address or a host name, without scheme and port');

export const postgresUrl = z.string().check(({ value, issues }) => {
  try {
    parseConnectionTarget(value);
  } catch (error) {
    issues.push({ code: 'custom', input: value, message: (error as ConnectionTargetError).message });
  }
});

export const postgresUrls = commaList.refine(
  (urls) => urls.every((url) => postgresUrl.safeParse(url).success && !url.includes('target_session_attrs=')),
  'postgresql:// URLs separated by commas, without target_session_attrs (pgbouncer, if set, must be true or false)',
);

/** The parts of redis and rediss URLs that the client uses: a host, and the number of a database as the path. */
const isRedisUrl = (text: string): boolean =>
  /^rediss?:\/\/[^/?#]/.test(text) && isUrl(text) && /^\/?\d*$/.test(new URL(text).pathname);

export const redisUrl = z
  .string()
  .refine(isRedisUrl, 'a redis:// or rediss:// URL with a host (its path, if any, must be a database number)');

/** Whether this path is a directory or one can be created there. Creates nothing. */
function mayBeDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return dirname(path) === path || mayBeDirectory(dirname(path));
  }
}

export const directory = z
  .string()
  .refine((path) => mayBeDirectory(fromStart(path)), 'a directory, or a path where one can be created')
  .transform(fromStart);

/** A file that the process reads later. `check` throws an error that describes its defect. */
const usableFile = (what: string, check: (path: string) => unknown) =>
  z
    .string()
    .check(({ value, issues }) => {
      try {
        check(fromStart(value));
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        issues.push({ code: 'custom', input: value, message: `${what} (${code ?? message})` });
      }
    })
    .transform(fromStart);

export const documentManifestFile = usableFile('a manifest of GraphQL documents', (path) =>
  readDocumentManifest(readFileSync(path, 'utf8')),
);

export const readableFile = usableFile('a readable file', (path) => {
  accessSync(path, constants.R_OK);
  if (!statSync(path).isFile()) throw new Error('it is not a regular file');
});

export const signingKeySet = z
  .string()
  .refine((text) => parseSigningKeySet(text) !== undefined, signingKeySetExpectation);

export const longSecret = z.string().min(32, 'at least 32 characters');

export const longSecrets = commaList.refine(
  (secrets) => secrets.length > 0 && secrets.every((secret) => secret.length >= 32),
  'one or more secrets of at least 32 characters, separated by commas',
);

export const keyPrefix = z
  .string()
  .regex(/^[a-z][a-z0-9]{0,15}$/, 'up to 16 lowercase letters and digits, starting with a letter');

/** A credential issued by another program. */
export const headerToken = z
  .string()
  .regex(/^[\x21-\x7e]{1,1000}$/, 'a credential of printable characters, without spaces');

/** RFC 6750 2.1: b64token. */
export const bearerToken = z.string().regex(/^[A-Za-z0-9\-._~+/]+=*$/, 'an API key as shown when it was created');

/** `name=url,name=url`: the names under which other teams' subgraphs are composed. */
export const subgraphList = commaList
  .transform((items) =>
    items.map((item) => ({ name: item.slice(0, item.indexOf('=')), url: item.slice(item.indexOf('=') + 1) })),
  )
  .refine(
    (subgraphs) => subgraphs.every(({ name, url }) => /^[a-z][a-z0-9_-]{0,63}$/.test(name) && isHttpUrl(url)),
    'name=url pairs, separated by commas: names of up to 64 lowercase letters, digits, - and _, starting with a letter, and http or https URLs',
  )
  .refine(
    (subgraphs) => new Set(['catalog', 'nodes', ...subgraphs.map(({ name }) => name)]).size === subgraphs.length + 2,
    'unique names (catalog and nodes are reserved)',
  );

export const headerNames = commaList.refine(
  (names) => names.every((name) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)),
  'header names, separated by commas',
);

/**
 * `name=secret,name=secret`, or one per line: the secret that each subgraph accepts. A comma is not part of a secret.
 */
export const routerSecrets = commaList
  .transform((items) =>
    items.map((item): [string, string] => {
      const at = Math.max(0, item.indexOf('='));
      return [item.slice(0, at), item.slice(at + 1)];
    }),
  )
  .refine(
    (secrets) =>
      secrets.every(([name, secret]) => /^[A-Za-z_][\w-]{0,63}$/.test(name) && /^[!-~](?:[ -~]*[!-~])?$/.test(secret)),
    'name=secret pairs of printable ASCII characters, separated by commas or line breaks, one for each subgraph',
  )
  .refine((secrets) => new Set(secrets.map(([name]) => name)).size === secrets.length, 'one secret per name')
  .transform((secrets): Readonly<Record<string, string>> => Object.fromEntries(secrets));
