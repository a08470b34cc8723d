// Scripts of pages have no types.
// eslint-disable-next-line @typescript-eslint/no-require-imports
const { ago } = require('../../src/http/endpoints/shell/assets/format.js') as {
  readonly ago: (moment: string) => string;
};

describe('the time since a moment', () => {
  beforeAll(() => jest.useFakeTimers({ now: new Date(2026, 10, 30, 16) }));
  afterAll(() => jest.useRealTimers());

  it.each([
    ['in minutes within the hour', new Date(2026, 10, 30, 15, 15), '45 minutes ago'],
    ['in hours', new Date(2026, 10, 29, 5), '35 hours ago'],
    ['in calendar days, like the date beside it', new Date(2026, 10, 29, 0, 18), 'yesterday'],
    ['in calendar days across a month', new Date(2026, 9, 28, 23), '33 days ago'],
  ])('is %s', (_how, moment, expected) => {
    expect(ago(moment.toISOString())).toBe(expected);
  });
});
