import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { isUrl } from '../../common/is-url';

const maxLength = 2_048;

/**
 * An address. Output: the shop's text verbatim, because REST returns the same (D11) and a merchant's odd address is no
 * reason to lose a product. Input: an http(s) address, or a path from the shop's root.
 */
export const urlScalar = new GraphQLScalarType<string, string>({
  name: 'URL',
  description: 'An absolute or shop-relative address.',
  specifiedByURL: 'https://url.spec.whatwg.org/',
  serialize(value) {
    if (typeof value === 'string') return value;
    if (value instanceof URL) return value.href;
    throw new TypeError('A URL must be given as text.');
  },
  parseValue(value) {
    if (typeof value !== 'string') throw notAUrl();
    return parseUrl(value);
  },
  parseLiteral(node) {
    if (node.kind !== Kind.STRING) throw notAUrl();
    return parseUrl(node.value);
  },
});

function parseUrl(text: string): string {
  if (text.length > maxLength) throw new GraphQLError(`A URL has at most ${maxLength} characters.`);
  // The parser tolerates white space, control characters and backslashes by dropping or converting them.
  if (/[\s\\]|\p{Cc}/u.test(text)) throw notAUrl();
  const isRelative = text.startsWith('/') && !text.startsWith('//');
  if (!isRelative && !/^https?:\/\//i.test(text)) throw notAUrl();
  if (!isUrl(text, isRelative ? 'https://shop.invalid' : undefined)) throw notAUrl();
  return text;
}

const notAUrl = (): GraphQLError =>
  new GraphQLError(
    'A URL must be an http or https address such as "https://cdn.example/a.jpg", or a path such as "/a.jpg".',
  );
