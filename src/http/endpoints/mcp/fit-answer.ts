import { ApiError } from '../../../errors/api-error';
import type { ArgumentSchema, ToolArguments } from './tool';
import { setOf } from './tool';

/** Maximum size of a response as JSON, suited to a model's context. */
const usualCharacters = 25_000;
/** An answer has its JSON twice, once as a text, and escapes of six bytes: below 8 MiB, whatever the characters. */
export const mostCharacters = 650_000;

/** The arguments of tools that answer objects with these members. */
export const sizeProperties = (
  members: readonly string[],
  usual = 'all',
): Readonly<Record<string, ArgumentSchema>> => ({
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
 * An answer with the members that were asked for, in the size that was asked for: of a list, as many objects as have
 * room, and the cursor behind them.
 * @throws ApiError ANSWER_TOO_LARGE when one object has no room, with what helps
 */
export function fitAnswer({ cursors = [], ...read }: Body, { fields, max_characters: given }: ToolArguments): object {
  const most = (given as number | undefined) ?? usualCharacters;
  const body = select(read, fields as readonly string[] | undefined);
  const { length } = JSON.stringify(body);
  if (length <= most) return body;
  if (!Array.isArray(body.data)) throw createTooLargeError(length, most);
  const objects = body.data as readonly unknown[];
  // A cursor behind fewer objects may be longer than that behind all.
  let left = most - (length - JSON.stringify(objects).length) - cursorCharacters;
  let count = 0;
  for (const object of objects) {
    left -= JSON.stringify(object).length + 1;
    if (left < 0) break;
    count += 1;
  }
  if (count === 0) throw createTooLargeError(JSON.stringify(objects[0]).length, most);
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
    `A single object has ${length} characters; the limit is ${most}. Select \`fields\`, or raise \`max_characters\`.`,
  );
