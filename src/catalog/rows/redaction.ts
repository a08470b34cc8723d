/** The parts of a table's rows that must never be returned, by any path (D25). */
export interface Redaction {
  /**
   * Whether a row may contain such a part, by its JSON text: almost none does, and a row that does not is never parsed.
   */
  isNeeded(json: string): boolean;
  /** Converts a member's value to its public form. @param id Of the row. */
  readonly members: Readonly<Record<string, (value: never, id: string) => unknown>>;
}

type Members = Record<string, unknown>;

/** A row without what must never be returned (D25), under the names of its columns. */
export function redactRow<Row extends { readonly id: string }>(redaction: Redaction, row: Row): Row {
  const redacted: Members = { ...row };
  for (const name of Object.keys(redaction.members))
    if (name in row) redacted[name] = redact(redaction, name, redacted[name], row.id);
  return redacted as Row;
}

/** The same for a row that is JSON text already, under the names that the projection gives its columns. */
export function redactJson(
  redaction: Redaction,
  json: string,
  projection: readonly { readonly name: string; readonly member: string }[],
  id: string,
): string {
  const row = JSON.parse(json) as Members;
  // As entries, because a client may call a column `__proto__`.
  const redacted = projection.map(({ name, member }) => [name, redact(redaction, member, row[name], id)] as const);
  return JSON.stringify(Object.fromEntries(redacted));
}

function redact({ members }: Redaction, member: string, value: unknown, id: string): unknown {
  const applyRule = Object.hasOwn(members, member) ? members[member] : undefined;
  return applyRule === undefined ? value : applyRule(value as never, id);
}
