import type { Position } from '../../src/relay/connection';
import { createCursorCodec } from '../../src/relay/connection';
import { fc } from '../support/properties';

const secret = 'a secret of at least thirty-two characters';
const codec = createCursorCodec([secret]);
const position: Position = ['2026-01-31T12:00:00.000Z', '3f2b8c1e-0000-4000-8000-000000000001'];
const sealed = codec.seal('shop A, products', position);

const arbitraryPosition = fc.tuple(fc.option(fc.string({ unit: 'binary' })), fc.uuid());

describe('a cursor (D10)', () => {
  it('opens to the position it was sealed from, whatever position and list', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), arbitraryPosition, (binding, at) => {
        expect(codec.open(binding, codec.seal(binding, at))).toEqual(at);
      }),
    );
  });

  it('does not open once any one character is changed', () => {
    for (let index = 0; index < sealed.length; index += 1) {
      const other = sealed[index] === 'A' ? 'B' : 'A';
      expect(codec.open('shop A, products', sealed.slice(0, index) + other + sealed.slice(index + 1))).toBeUndefined();
    }
  });

  it('stays valid after a change of the secret as long as the old one is accepted', () => {
    const next = 'another secret of thirty-two characters';
    expect(createCursorCodec([next, secret]).open('shop A, products', sealed)).toEqual(position);
    expect(createCursorCodec([next]).open('shop A, products', sealed)).toBeUndefined();
  });
});
