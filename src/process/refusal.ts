/** Their messages say what to do; a stack would not help. */
const errorsForPeople: ReadonlySet<string> = new Set([
  'ConfigError',
  'DataDirectoryError',
  'DatabaseUnavailableError',
  'ListenError',
]);

/**
 * The text that a person should read about an error that ended startup: one sentence where there is one, else the whole
 * error.
 */
export function describeRefusal(error: unknown): { readonly text: string; readonly isForPeople: boolean } {
  const { name, message, stack } = error as Error;
  const isForPeople = errorsForPeople.has(name);
  return { text: String(isForPeople ? message : stack), isForPeople };
}
