/** Their messages say what to do; where they were thrown does not help. */
const errorsForPeople: ReadonlySet<string> = new Set([
  'ConfigError',
  'DataDirectoryError',
  'DatabaseUnavailableError',
  'EmbeddedPostgresError',
  'ListenError',
]);

/** What a person should read about an error that ended the start: one sentence where there is one, else all of it. */
export function describeRefusal(error: unknown): { readonly text: string; readonly isForPeople: boolean } {
  const { name, message, stack } = error as Error;
  const isForPeople = errorsForPeople.has(name);
  return { text: String(isForPeople ? message : stack), isForPeople };
}
