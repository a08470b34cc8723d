/** The scopes of the specification, in its order. */
export const scopes = ['catalog:read', 'orders:read', 'account:read'] as const;

export type Scope = (typeof scopes)[number];

export const isScope = (word: unknown): word is Scope => (scopes as readonly unknown[]).includes(word);

/** The specification's scopes that are in all the lists, in its order. */
export const toCommonScopes = (...lists: readonly (readonly string[])[]): readonly Scope[] =>
  scopes.filter((scope) => lists.every((list) => list.includes(scope)));

/**
 * The message of a refusal, the same with and without subgraphs.
 * @param required Sets of scopes of which one is needed completely: outer list OR, inner lists AND.
 */
export function describeMissingScopes(required: readonly (readonly string[])[], carried: readonly string[]): string {
  const wanted = required.map((all) => all.join(' and ')).join(', or ');
  return `This needs the scope ${wanted}; the credential carries ${carried.join(', ') || 'none'}.`;
}
