import { facts, moment } from './elements.js';

export const readVariables = () => ({});

export function show(output, { shop }) {
  if (shop === null) return;
  output.append(
    facts([
      ['Name', shop.name],
      ['Domain', shop.domain],
      ['Platform', shop.platform],
      ['Products', `${shop.productCount} of ${shop.productLimit ?? 'any number'}`],
      ['Last synchronised', moment(shop.lastSyncAt)],
      ['Scopes of the key', shop.grantedScopes.join(', ')],
    ]),
  );
}
