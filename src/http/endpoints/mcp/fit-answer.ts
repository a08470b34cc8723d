import { ApiError } from '../../../errors/api-error';
import type { JsonSchema, ToolArguments } from './tool';
import { setOf } from './tool';

/** Maximum size of a response as JSON, suited to a model's context. */
const usualCharacters = 25_000;
/**
 * A response contains its JSON twice, once as text, with escapes of up to six bytes: at most 8 MiB, whatever the
 * characters.
 */
export const mostCharacters = 650_000;

/** Arguments of tools that return objects with these members. */
export const sizeProperties = (members: readonly string[], usual = 'all'): Readonly<Record<string, JsonSchema>> => ({
  fields: { ...setOf(members), description: `Fields to return. Default: ${usual}.` },
  max_characters: { type: 'integer', minimum: 1_000, maximum: mostCharacters },
});

/** The result of an operation, with the cursors of the objects of a list. */
export interface Body {
  readonly data: unknown;
  readonly has_more?: boolean;
  readonly next_cursor?: string | null;
  readonly cursors?: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

/**
 * A response with the requested members and size: of a list, as many objects as fit, and the cursor after them.
 * @throws ApiError ANSWER_TOO_LARGE when one object does not fit, with a remedy
 */
export function fitAnswer({ cursors = [], ...read }: Body, { fields, max_characters: given }: ToolArguments): object {
  const most = (given as number | undefined) ?? usualCharacters;
  const body = select(read, fields as readonly string[] | undefined);
  const { length } = JSON.stringify(body);
  if (length <= most) return body;
  if (!Array.isArray(body.data)) throw createTooLargeError(length, most);
  const objects = body.data as readonly unknown[];
  // A cursor after fewer objects may be longer than the one after all.
  let left = most - (length - JSON.stringify(objects).length) - cursorCharacters;
  let count = 0;
  for (const object of objects) {
    left -= JSON.stringify(object).length + 1;
    if (left < 0) break;
    count += 1;
  }
  if (count === 0) throw createTooLargeError(most - left, most);
  return { data: objects.slice(0, count), has_more: true, next_cursor: cursors[count - 1] };
}

const cursorCharacters = 500;

function select(body: Body, fields: readonly string[] | undefined): Body {
  if (fields === undefined) return body;
  const pick = (object: unknown): Members =>
    Object.fromEntries(Object.entries(object as Members).filter(([name]) => fields.includes(name)));
  return { ...body, data: Array.isArray(body.data) ? body.data.map(pick) : pick(body.data) };
}

const createTooLargeError = (length: number, most: number): ApiError =>
  new ApiError(
    'ANSWER_TOO_LARGE',
    `A response with one object needs ${length} characters; the limit is ${most}. Select \`fields\`${length > mostCharacters ? '' : ', or raise `max_characters`'}.`,
  );
