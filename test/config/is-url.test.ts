import { isUrl } from '../../src/common/is-url';

it('recognizes the same URL however many were checked before', () => {
  const checked = Array.from({ length: 100_000 }, () => isUrl('https://münchen.example/ä'));
  expect(checked.every(Boolean)).toBe(true);
});
