/** The scopes of the specification, in its order. */
export const scopes = ['catalog:read', 'orders:read', 'account:read'] as const;

export type Scope = (typeof scopes)[number];

export const isScope = (word: unknown): word is Scope => (scopes as readonly unknown[]).includes(word);
