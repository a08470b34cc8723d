import { createScopeError } from '../../auth/principal';
import { ApiError } from '../../errors/api-error';
import type { Connection } from '../../relay/connection';
import { parseConnectionArguments } from '../../relay/connection';
import type { Catalog } from '../catalog';
import { toBinding } from '../catalog';
import { toBindingOfAnyTypes, toCursorPosition, toChangePosition } from './change-position';
import type { ChangePosition } from './change-position';
import type { ObjectChange } from './change-reader';
import { readChanges, readEndOfChanges } from './change-reader';
import type { ObjectType } from '../rows/shop-tables';
import { factsOf, objectTypes } from '../rows/shop-tables';

interface ChangesArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly types?: readonly ObjectType[] | null;
}

/** A page of the change feed. */
export type ChangeConnectionPage = Omit<Connection<ObjectChange>, 'totalCount'>;

async function changes(_: unknown, given: ChangesArguments, catalog: Catalog): Promise<ChangeConnectionPage> {
  const { principal, cursors } = catalog;
  const types = toTypes(given.types, principal.scopes);
  const binding = toBinding(principal.shop.id, 'changes', { types }, []);
  // `after` is opened by parseAfter, because a `changesCursor` is valid there, too.
  const { limit } = parseConnectionArguments({ first: given.first ?? null }, cursors, binding);
  const page = await readChanges(catalog.rows, { types, after: parseAfter(given.after, binding, catalog), limit });
  // The response depends on the version of the data even if no row was read.
  catalog.versions.add(principal.dataVersion);
  const seal = (position: ChangePosition): string => cursors.seal(binding, toCursorPosition(position));
  const cursorOf = (change: ObjectChange): string => seal(page.positionOf(change));
  const [start] = page.changes;
  return {
    nodes: page.changes,
    edges: () => page.changes.map((node) => ({ node, cursor: () => cursorOf(node) })),
    pageInfo: {
      hasNextPage: () => page.hasMore,
      hasPreviousPage: () => given.after !== undefined && given.after !== null,
      startCursor: () => (start === undefined ? null : cursorOf(start)),
      endCursor: () => seal(page.end),
    },
  };
}

/**
 * The requested types in the schema's order, without repetitions; by default all that the credential may read.
 * @throws ApiError BAD_USER_INPUT when there are none; FORBIDDEN when the credential may not read one of them.
 */
function toTypes(given: readonly ObjectType[] | null | undefined, scopes: readonly string[]): readonly ObjectType[] {
  const isAllowed = (type: ObjectType): boolean => scopes.includes(factsOf[type].scope);
  if (given === undefined || given === null) return objectTypes.filter(isAllowed);
  if (given.length === 0) {
    throw new ApiError(
      'BAD_USER_INPUT',
      `types: expected one or more of ${objectTypes.join(', ')}, got an empty list.`,
    );
  }
  const forbidden = given.find((type) => !isAllowed(type));
  if (forbidden !== undefined) throw createScopeError([[factsOf[forbidden].scope]], scopes);
  return objectTypes.filter((type) => given.includes(type));
}

/** The position of an `after` cursor; undefined without one. */
function parseAfter(
  cursor: string | null | undefined,
  binding: string,
  { cursors, principal }: Catalog,
): ChangePosition | undefined {
  if (cursor === undefined || cursor === null) return undefined;
  // A cursor of a page is bound to its types; a `changesCursor` is valid for any types.
  const position = cursors.open(binding, cursor) ?? cursors.open(toBindingOfAnyTypes(principal.shop.id), cursor);
  if (position !== undefined) return toChangePosition(position);
  throw new ApiError(
    'BAD_USER_INPUT',
    'after: expected a cursor of the change feed for the same types (by default, those of the scopes), a `Shop.changesCursor`, or the `changes_cursor` of an export.',
  );
}

/** The cursor for a client that starts with the current data: it returns only later changes. */
async function changesCursor(_: unknown, _arguments: unknown, catalog: Catalog): Promise<string> {
  const { principal, cursors } = catalog;
  const position = await readEndOfChanges(catalog.rows, principal.dataVersion);
  return cursors.seal(toBindingOfAnyTypes(principal.shop.id), toCursorPosition(position));
}

export const changeResolvers = {
  Query: { changes },
  Shop: { changesCursor },
  ChangeConnection: {
    edges: (page: ChangeConnectionPage) => page.edges(),
    changesCursor,
  },
  ChangeEdge: { cursor: (edge: { cursor(): string }) => edge.cursor() },
};
