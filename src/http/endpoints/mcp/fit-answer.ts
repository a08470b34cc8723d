import { ApiError } from '../../../errors/api-error';
import type { JsonSchema, ToolArguments } from './tool';
import { readTexts } from './tool';

/** Of an answer, as JSON: what a model can read without losing sight of the rest. */
const usualCharacters = 25_000;
const mostCharacters = 1_000_000;

/** The arguments of tools that answer objects with these members. */
export const sizeProperties = (members: readonly string[]): Readonly<Record<string, JsonSchema>> => ({
  fields: { type: 'array', items: { enum: members }, description: 'Members of each object; all.' },
  max_characters: { type: 'integer' },
});

interface Body {
  readonly data: unknown;
  readonly has_more?: boolean;
  readonly next_cursor?: string | null;
}

type Members = Readonly<Record<string, unknown>>;

/** Reads a body; of a list at most `limit` objects, or as many as the caller asked for. */
type ReadBody = (limit: number | undefined) => Promise<Body>;

/**
 * An answer with the members that were asked for, in the size that was asked for: of a list, as many objects as have
 * room, and the cursor behind them.
 * @throws ApiError ANSWER_TOO_LARGE when one object has no room, with what helps
 */
export async function fitAnswer(read: ReadBody, given: ToolArguments): Promise<object> {
  const fields = readTexts(given, 'fields');
  const most = readMost(given);
  const found = takeWhatFits(select(await read(undefined), fields), most);
  return found.body ?? select(await read(found.count), fields);
}

/**
 * The body where it has room; else only how many of its objects have: the body may have megabytes, and another page is
 * waited for.
 * @throws ApiError ANSWER_TOO_LARGE
 */
function takeWhatFits(body: Body, most: number): { readonly body?: Body; readonly count: number } {
  const length = JSON.stringify(body).length;
  if (length <= most) return { body, count: 0 };
  if (!Array.isArray(body.data)) throw createTooLargeError(length, most);
  const objects = body.data as readonly unknown[];
  // A cursor of the shortened page may be longer than that of this one.
  let left = most - (length - JSON.stringify(objects).length) - cursorCharacters;
  let count = 0;
  for (const object of objects) {
    left -= JSON.stringify(object).length + 1;
    if (left < 0) break;
    count += 1;
  }
  if (count === 0) throw createTooLargeError(JSON.stringify(objects[0]).length, most);
  return { count };
}

const cursorCharacters = 500;

function readMost(given: ToolArguments): number {
  const value = given['max_characters'] ?? usualCharacters;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1_000 && value <= mostCharacters) return value;
  throw new ApiError('BAD_USER_INPUT', `max_characters: expected a whole number from 1000 to ${mostCharacters}.`);
}

/** @throws ApiError for a member that the objects do not have */
function select(body: Body, fields: readonly string[] | undefined): Body {
  if (fields === undefined) return body;
  const pick = (object: unknown): Members => {
    const members = object as Members;
    const unknown = fields.find((name) => !Object.hasOwn(members, name));
    if (unknown !== undefined) {
      const expected = Object.keys(members).join(', ');
      throw new ApiError(
        'BAD_USER_INPUT',
        `fields: expected some of ${expected}, got ${JSON.stringify(unknown.slice(0, 50))}.`,
      );
    }
    return Object.fromEntries(Object.entries(members).filter(([name]) => fields.includes(name)));
  };
  return { ...body, data: Array.isArray(body.data) ? body.data.map(pick) : pick(body.data) };
}

const createTooLargeError = (length: number, most: number): ApiError =>
  new ApiError(
    'ANSWER_TOO_LARGE',
    `Expected an answer of at most ${most} characters; one object has ${length}. Select \`fields\`, or raise \`max_characters\`.`,
  );
