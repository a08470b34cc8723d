import { maximumProductCharacters } from './check-lengths';
import { FirstLines } from './first-lines';
import type { FileSample, ReadContext } from './format';
import { SourceLocation } from '../values/import-error';
import type { SourceFile } from '../source/source-file';
import { parseJsonLine, textMember } from '../values/json-line';
import type { ObjectWithParts, Part } from './json-file';
import { JsonMembers } from './json-members';
import { toShopifyId } from './shopify-json';

/** Ten times the variants that Shopify allows. Each takes many times its bytes while it is read. */
const maxChildren = 20_000;

const gid = /^gid:\/\/shopify\/(\w+)\//;

/** The type of the first object of a bulk operation's result; undefined for other files. */
export const bulkType = ({ firstLine }: FileSample): string | undefined =>
  gid.exec(textMember(firstLine, 'id') ?? '')?.[1];

/**
 * How a format reads the result of a bulk operation.
 * @param children the prefix of the names of a child's members, by the type of the child
 * @param listedType as for `readBulkGroups`
 */
export const bulkOf = (type: string, children: Readonly<Record<string, string>>, listedType?: string) => ({
  recognizedBy: (sample: FileSample) => bulkType(sample) === type,
  prefixOf: ({ id, __parentId }: Readonly<Record<string, unknown>>): string | undefined =>
    __parentId === undefined ? '' : children[typeOf(typeof id === 'string' ? id : '')],
  objects: (source: SourceFile, context: ReadContext) => readBulkGroups(source, type, children, context, listedType),
});

const typeOf = (id: string): string => gid.exec(id)?.[1] ?? 'Object';

/**
 * The objects of one type with their children. A child follows its parent and precedes the next object that is not a
 * child, so only one group is held. Children of children are passed on, too.
 * @param children the types that are passed on, except the listed one; others are counted
 * @param listedType the type of which the ids alone are passed on: a collection has more products than could be held
 */
async function* readBulkGroups(
  source: SourceFile,
  type: string,
  children: Readonly<Record<string, string>>,
  context: ReadContext,
  listedType?: string,
): AsyncGenerator<ObjectWithParts, void, void> {
  const { problems, dropped } = context;
  const firstLines = new FirstLines();
  let root: Part | undefined;
  let parts: Part[] = [];
  let listed: string[] = [];
  let ids = new Set<string>();
  /** The size of the children; infinite when there are too many, and then none are held. */
  let characters = 0;
  const finish = (): ObjectWithParts[] => (root?.type === type ? [{ ...root, parts, listed }] : []);
  for await (const { line, text } of source.textLines()) {
    if (text.trim() === '') continue;
    const location = new SourceLocation(source.name, line);
    // A line that cannot be read may be a child, which its parent would lose.
    const object = toObject(text, location, context);
    const { members } = object;
    const parentId = members.text('__parentId');
    const id = members.text('id');
    if (parentId === null) {
      yield* finish();
      // Beyond these, an object that appears again replaces the first one, as in other JSON.
      if (id !== null && !firstLines.isFull) firstLines.begin(id, location, problems, type);
      [root, parts, listed, ids, characters] = [object, [], [], new Set(id === null ? [] : [id]), 0];
      // An id that is not a text is reported already.
      if (object.type !== type && (id !== null || !members.has('id')))
        members.report('id', (at) => at.refuse(id ?? undefined, `an ID such as gid://shopify/${type}/123`));
    } else if (!ids.has(parentId)) {
      problems.addFatal(
        location
          .at('__parentId')
          .fault(
            `expected the ID of the preceding object or of one of its children, got ${JSON.stringify(parentId)}; run the bulk operation with groupObjects: true`,
          ),
      );
    } else if (characters < Infinity) {
      const isListed = object.type === listedType && parentId === root?.members.text('id');
      const listedId = isListed ? members.id('id', toShopifyId) : undefined;
      // One with a problem is held, so that the problem is the parent's.
      const isKept = (Object.hasOwn(children, object.type) && object.type !== listedType) || listedId === '';
      if (isKept) parts.push(object);
      else if (listedId !== undefined) listed.push(listedId);
      else dropped.member(object.type);
      if (id !== null) ids.add(id);
      characters += (isKept ? text.length : 0) + (id?.length ?? 0);
      if (characters <= maximumProductCharacters && parts.length <= maxChildren) continue;
      [parts, listed, characters] = [[], [], Infinity];
      problems.add(
        new SourceLocation(source.name, root?.line ?? line).fault(
          `expected at most ${maxChildren} children with ${maximumProductCharacters} characters in total, got more`,
        ),
      );
    }
  }
  yield* finish();
}

function toObject(text: string, location: SourceLocation, { problems }: ReadContext): Part {
  const members = new JsonMembers(parseJsonLine(text, location), location, problems);
  return { type: typeOf(members.text('id') ?? ''), line: location.line, members };
}
