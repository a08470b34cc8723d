import { createClientId, shopIdOfClientId, toBase62 } from '../../src/auth/api-key';
import { fc } from '../support/properties';

const lastUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

describe('client ids contain their shop (D12)', () => {
  it('hold any UUID, in one length and the agreed alphabet', () => {
    const extremes = fc.constantFrom('00000000-0000-0000-0000-000000000000', lastUuid);
    fc.assert(
      fc.property(fc.oneof(fc.uuid(), extremes), (shopId) => {
        const clientId = createClientId(shopId);
        expect(clientId).toMatch(/^[0-9A-Za-z]{32}$/);
        expect(shopIdOfClientId(clientId)).toBe(shopId);
      }),
    );
  });

  it('accepts no other text as an id, and never throws', () => {
    const beyond = fc.constant(`${toBase62(1n << 128n, 22)}0000000000`);
    const near = fc.uuid().chain((shopId) => {
      const clientId = createClientId(shopId);
      return fc.constantFrom(`${clientId}0`, clientId.slice(1), `${clientId}\n`, `${clientId.slice(1)}\n`);
    });
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.stringMatching(/^[0-9A-Za-z]{32}$/), beyond, near),
        (text) => {
          const shopId = shopIdOfClientId(text);
          if (shopId === undefined) return;
          expect(shopId).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
          expect(text).toHaveLength(32);
          expect(createClientId(shopId).slice(0, 22)).toBe(text.slice(0, 22));
        },
      ),
    );
  });
});
