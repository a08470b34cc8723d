import { loadModule, parseSync } from 'libpg-query';

/** A node of PostgreSQL's own parse tree: an object whose only key is its type, or part of one. */
type Tree = { readonly [key: string]: unknown };

/** Tables whose rows belong to a shop and are stored with it. */
export const shopTables: ReadonlySet<string> = new Set([
  ...['shops', 'api_keys', 'key_usage', 'products', 'variants', 'collections', 'orders', 'visible_sets'],
  ...[
    'visible_moves',
    'product_tags',
    'collection_products',
    'product_terms',
    'changes',
    'change_epochs',
    'change_witnesses',
  ],
  ...['unrecorded_writes', 'order_figures'],
]);

/** Must be awaited once before {@link findUnnamedTables}. */
export const loadParser = loadModule;

/** What a name in FROM stands for: a table of shops, or a query whose columns stand for inner columns. */
interface Source {
  readonly table?: string;
  readonly columns?: ReadonlyMap<string, string>;
}

/** The names that a query defines. Names of outer queries do not count. */
interface Scope {
  readonly sources: Map<string, Source>;
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;
const listOf = (value: unknown): readonly Tree[] => (Array.isArray(value) ? value.filter(isTree) : []);

/**
 * The tables of a statement that are read or written without naming a shop, meaning that `shop_id` is not equal to a
 * value of the statement, nor to a `shop_id` of the same query that is. Citus does not follow columns of an outer
 * query. Values are compared as well, because a statement must not name two shops.
 * @param values of the parameters `$1`, `$2`…
 * @returns none if the statement names one shop for everything it touches; "two shops" if it names more than one
 */
export function findUnnamedTables(text: string, values: readonly unknown[]): string[] {
  const parents = new Map<string, string>();
  const rootOf = (name: string): string => {
    const parent = parents.get(name) ?? name;
    return parent === name ? name : rootOf(parent);
  };
  const join = (one: string, other: string): void => void parents.set(rootOf(one), rootOf(other));
  const named = new Set<string>();
  const used: { table: string; place: string }[] = [];
  const queries = new Map<string, Source>();
  let places = 0;

  const addTable = (scope: Scope, range: Tree): void => {
    const table = String(range['relname']);
    const alias = String(aliasOf(range) ?? table);
    const query = queries.get(table);
    if (query !== undefined) return void scope.sources.set(alias, query);
    if (!shopTables.has(table)) return void scope.sources.set(alias, {});
    places += 1;
    const place = `${places}.shop_id`;
    used.push({ table, place });
    scope.sources.set(alias, { table, columns: new Map([['shop_id', place]]) });
  };

  const find = ({ sources }: Scope, alias: string | undefined, column: string): string | undefined =>
    alias === undefined
      ? [...sources.values()].map(({ columns }) => columns?.get(column)).find((each) => each)
      : sources.get(alias)?.columns?.get(column);

  /** A name for the value of an expression that may be a shop. */
  const nameOf = (scope: Scope, node: Tree | undefined): string | undefined => {
    if (node === undefined) return undefined;
    const [[kind, value] = ['', undefined]] = Object.entries(node);
    const inner = value as Tree;
    if (kind === 'TypeCast') return nameOf(scope, inner['arg'] as Tree);
    if (kind === 'ParamRef') return value_(String(values[Number(inner['number']) - 1]));
    if (kind === 'A_Const') return value_(String(((inner['sval'] as Tree | undefined) ?? {})['sval']));
    if (kind === 'ColumnRef') {
      const names = listOf(inner['fields']).map((field) => (field['String'] as Tree | undefined)?.['sval'] as string);
      return find(scope, names.at(-2), names.at(-1) ?? '');
    }
    return undefined;
  };
  const value_ = (text_: string): string => {
    const name = `value ${text_}`;
    named.add(name);
    return name;
  };

  const addFrom = (scope: Scope, item: Tree): void => {
    const [[kind, value] = ['', undefined]] = Object.entries(item);
    const inner = value as Tree;
    if (kind === 'RangeVar') addTable(scope, inner);
    else if (kind === 'JoinExpr') {
      addFrom(scope, inner['larg'] as Tree);
      addFrom(scope, inner['rarg'] as Tree);
      for (const column of listOf(inner['usingClause'])) {
        if ((column['String'] as Tree)['sval'] !== 'shop_id') continue;
        const places = [...scope.sources.values()].flatMap(({ columns }) => columns?.get('shop_id') ?? []);
        for (const place of places.slice(1)) join(places[0] as string, place);
      }
      walk(scope, inner['quals']);
    } else if (kind === 'RangeSubselect') {
      const columns = query((inner['subquery'] as Tree)['SelectStmt'] as Tree);
      scope.sources.set(String(aliasOf(inner) ?? places), { columns });
    } else walk(scope, inner);
    if (kind === 'RangeFunction') scope.sources.set(String(aliasOf(inner) ?? ''), {});
  };

  /** Walks a query and returns what its columns stand for. */
  const query = (select: Tree): Map<string, string> => {
    if (select['larg'] !== undefined) {
      withQueries(select);
      const left = query(select['larg'] as Tree);
      const right = query(select['rarg'] as Tree);
      for (const [name, place] of left) if (right.has(name)) join(place, right.get(name) as string);
      return left;
    }
    const scope: Scope = { sources: new Map() };
    withQueries(select);
    for (const item of listOf(select['fromClause'])) addFrom(scope, item);
    const { fromClause: _, withClause: __, ...others } = select;
    walk(scope, others);
    const columns = new Map<string, string>();
    for (const target of listOf(select['targetList'])) {
      const { name, val } = target['ResTarget'] as { name?: string; val?: Tree };
      const fields = listOf((val?.['ColumnRef'] as Tree | undefined)?.['fields']);
      const isStar = fields.at(-1)?.['A_Star'] !== undefined;
      const alias = (fields.at(-2)?.['String'] as Tree | undefined)?.['sval'] as string | undefined;
      if (isStar)
        for (const [own, { columns: inner }] of scope.sources)
          if (alias === undefined || alias === own) for (const [each, place] of inner ?? []) columns.set(each, place);
      const place = nameOf(scope, val);
      const shown = name ?? ((fields.at(-1)?.['String'] as Tree | undefined)?.['sval'] as string | undefined);
      if (place !== undefined && shown !== undefined) columns.set(shown, place);
    }
    return columns;
  };

  function withQueries(statement: Tree): void {
    for (const each of listOf((statement['withClause'] as Tree | undefined)?.['ctes'])) {
      const { ctename, ctequery } = each['CommonTableExpr'] as { ctename: string; ctequery: Tree };
      // A recursive query reads itself: its columns are those of its first part.
      queries.set(ctename, {});
      const [[kind, inner] = ['', {}]] = Object.entries(ctequery);
      queries.set(ctename, {
        columns: kind === 'SelectStmt' ? query(inner as Tree) : change(kind, inner as Tree),
      });
    }
  }

  /** INSERT, UPDATE, DELETE, MERGE. */
  function change(kind: string, statement: Tree): Map<string, string> {
    const scope: Scope = { sources: new Map() };
    withQueries(statement);
    addTable(scope, statement['relation'] as Tree);
    const target = used.at(-1);
    const { relation: _, withClause: __, selectStmt, fromClause, usingClause, sourceRelation, ...others } = statement;
    for (const item of [...listOf(fromClause), ...listOf(usingClause)]) addFrom(scope, item);
    if (isTree(sourceRelation)) addFrom(scope, sourceRelation);
    if (kind === 'InsertStmt' && isTree(selectStmt)) {
      const select = selectStmt['SelectStmt'] as Tree;
      const at = listOf(statement['cols']).findIndex((column) => (column['ResTarget'] as Tree)['name'] === 'shop_id');
      const rows = listOf(select['valuesLists']).map((row) => listOf((row['List'] as Tree)['items'])[at]);
      const inner: Scope = { sources: new Map() };
      const columns = query(select);
      const ofSelect = (listOf(select['targetList'])[at]?.['ResTarget'] as { val?: Tree } | undefined)?.val;
      const places =
        rows.length > 0 ? rows.map((cell) => nameOf(inner, cell)) : [columns.get('shop_id') ?? nameOf(inner, ofSelect)];
      for (const place of places) if (target !== undefined && place !== undefined) join(target.place, place);
    }
    walk(scope, others);
    return new Map(target === undefined ? [] : [['shop_id', target.place]]);
  }

  /** @param holds whether a comparison there must hold for every row: it is not one side of an OR, nor under NOT */
  function walk(scope: Scope, node: unknown, holds = true): void {
    if (Array.isArray(node)) for (const each of node) walk(scope, each, holds);
    if (!isTree(node) || Array.isArray(node)) return;
    for (const [kind, value] of Object.entries(node)) {
      if (!isTree(value)) continue;
      if (kind === 'SelectStmt') query(value);
      else if (['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'].includes(kind)) change(kind, value);
      else {
        const isAll =
          kind === 'BoolExpr'
            ? value['boolop'] === 'AND_EXPR'
            : kind !== 'BooleanTest' || value['booltesttype'] === 'IS_TRUE';
        if (holds && kind === 'A_Expr' && value['kind'] === 'AEXPR_OP' && operatorOf(value) === '=') {
          const [left, right] = [value['lexpr'], value['rexpr']].map((side) => pairOf(side as Tree));
          left?.forEach((side, at) => {
            const [one, other] = [nameOf(scope, side), nameOf(scope, right?.[at])];
            if (one !== undefined && other !== undefined) join(one, other);
          });
        }
        walk(scope, value, holds && isAll);
      }
    }
  }

  for (const { stmt } of (parseSync(text) as { stmts?: { stmt: Tree }[] }).stmts ?? []) {
    const [[kind, inner] = ['', {}]] = Object.entries(stmt);
    const root: Scope = { sources: new Map() };
    if (kind === 'SelectStmt') query(inner as Tree);
    else if (/^(Insert|Update|Delete|Merge)Stmt$/.test(kind)) change(kind, inner as Tree);
    else walk(root, inner);
  }
  const shops = new Set<string>();
  const unnamed: string[] = [];
  for (const { table, place } of used) {
    const root = rootOf(place);
    const found = [...named].filter((name) => rootOf(name) === root);
    if (found.length === 0) unnamed.push(table);
    for (const name of found) shops.add(name);
  }
  return [...new Set(unnamed), ...(shops.size > 1 ? ['two shops'] : [])];
}

const aliasOf = (item: Tree): string | undefined => (item['alias'] as { aliasname?: string } | undefined)?.aliasname;

const operatorOf = (expression: Tree): unknown =>
  (listOf(expression['name'])[0]?.['String'] as Tree | undefined)?.['sval'];

/** The sides of `(a, b) = (c, d)`, one by one. */
const pairOf = (side: Tree): readonly Tree[] =>
  isTree(side) && isTree(side['RowExpr']) ? listOf(side['RowExpr']['args']) : [side];
