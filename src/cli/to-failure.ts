import { CommanderError } from 'commander';
import { ConfigError } from '../config/config-error';
import { DataDirectoryError } from '../common/data-directory';
import {
  causesOf,
  codesOf,
  DatabaseUnavailableError,
  describeMissingPrivilege,
  outageMessages,
  toDatabaseApiError,
} from '../database/database-failure';
import { ApiError } from '../errors/api-error';
import { ListenError } from '../errors/listen-error';
import { ImportError } from '../ingest/values/import-error';
import { AdministrationError } from '../errors/administration-error';
import { UsageError } from './command';

/** The outcome of a failed command line. */
interface Failure {
  readonly exitCode: 1 | 2;
  /** The code that --json shows. */
  readonly code: string;
  readonly message: string;
  /** Further members that --json shows. */
  readonly details?: object;
  /** The message for people. */
  readonly text: string;
  /** Whether the failure is unexpected, so that its details are worth showing. */
  readonly unexpected: boolean;
}

/** The failure for anything thrown. */
export function toFailure(
  thrown: unknown,
  {
    databaseUrl,
    needed = 'The command requires a different database role',
  }: { databaseUrl?: string | undefined; needed?: string | undefined } = {},
): Failure {
  if (thrown instanceof UsageError) return wrongUsage(thrown.message, thrown.details);
  if (thrown instanceof CommanderError) return wrongUsage(thrown.message);
  if (thrown instanceof AdministrationError || thrown instanceof ApiError) return failed(thrown.code, thrown.message);
  if (thrown instanceof ConfigError || thrown instanceof DataDirectoryError)
    return failed('BAD_SETTINGS', thrown.message);
  if (thrown instanceof ListenError) return failed('ADDRESS_UNAVAILABLE', thrown.message);
  if (thrown instanceof ImportError) return { ...failed('IMPORT_REFUSED', thrown.message), details: detailsOf(thrown) };
  if (thrown instanceof DatabaseUnavailableError) return failed('SERVICE_UNAVAILABLE', thrown.message);
  const denied = describeMissingPrivilege(thrown, databaseUrl, needed);
  if (denied !== undefined) return failed('FORBIDDEN', denied);
  const outage = toDatabaseApiError(thrown);
  if (outage !== undefined) {
    return failed(outage.code, `Database error: ${unavailableReason(thrown) ?? outage.message}`);
  }
  const reason = unavailableReason(thrown) ?? (thrown instanceof Error ? thrown.name : typeof thrown);
  return { ...failed('INTERNAL_SERVER_ERROR', `An unexpected error occurred (${reason}).`), unexpected: true };
}

/**
 * The message of the operating system or the server about an unavailable database, file or network address (connection,
 * authorization, missing database, resources). Other messages are omitted: they may repeat the content of rows (D25).
 */
function unavailableReason(thrown: unknown): string | undefined {
  for (const cause of causesOf(thrown)) {
    const message = [cause['originalMessage'], cause['message']].find((text) => typeof text === 'string') ?? '';
    const code = [...codesOf(cause), cause['name']].find((one) => typeof one === 'string' && isUnavailable.test(one));
    if (code !== undefined || outageMessages.test(message)) return message.split('\n')[0] || String(code);
  }
  return undefined;
}

/** Standbys and poolers have messages of this program. */
const isUnavailable = /^(E[A-Z]{2,}|08...|25006|28...|3D...|53...|57...|(?:Standby|Pooler)Error)$/;

function detailsOf({ problem, problems }: ImportError): object {
  const list = problems?.list ?? (problem === undefined ? [] : [problem]);
  return {
    problem_count: problems?.count ?? list.length,
    problems: list.map(({ file, line, field, message }) => ({ file, line, field, message })),
  };
}

function failed(code: string, message: string): Failure {
  return { exitCode: 1, code, message, text: message, unexpected: false };
}

function wrongUsage(message: string, details?: string): Failure {
  const bare = message.replace(/^error: /, '');
  return {
    exitCode: 2,
    code: 'BAD_USAGE',
    message: bare,
    text: [`Invalid usage: ${bare}`, details ?? []].flat().join('\n'),
    unexpected: false,
  };
}
