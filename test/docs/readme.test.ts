import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, validate } from 'graphql';
import { createSchema } from '../../src/graph/schema';

const readme = readFileSync(join(__dirname, '../../README.md'), 'utf8');
const bodies = [...readme.matchAll(/<<'JSON'\n([\s\S]*?)\nJSON\n/g)].map(([, text = '']) => text);
const answers = [...readme.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => text);

describe('README.md', () => {
  it('shows operations and answers', () => {
    expect(bodies).toHaveLength(2);
    expect(answers.length).toBeGreaterThanOrEqual(4);
  });

  it.each(bodies)('shows a request that a shell and a server can read: %s', (text) => {
    const { query } = JSON.parse(text) as { query: string };
    const ofReviews = /"(averageRating|headline|reviews)"/;
    const errors = validate(createSchema(), parse(query)).filter(({ message }) => !ofReviews.test(message));
    expect(errors).toEqual([]);
  });

  it.each(answers)('shows an answer that is JSON: %s', (text) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });
});
