import { createRequire } from 'node:module';
import type { Config } from '../config';
import type * as Federation from './catalog/federate-catalog';

/** Whether the settings ask for anything of it. */
export const isFederated = ({ federation: { subgraphs, supergraphFile, subgraphSecret } }: Config): boolean =>
  subgraphs.length > 0 || supergraphFile !== undefined || subgraphSecret !== undefined;

/** Loads federation and all it is made of, when it is asked for and not before: without it, it costs no memory either. */
export const loadFederation = (): typeof Federation =>
  createRequire(__filename)('./catalog/federate-catalog') as typeof Federation;
