import { createRequire } from 'node:module';
import type { Config } from '../config/config';
import type * as Federation from './catalog/federate-catalog';

/** Whether the settings enable any part of federation. */
export const isFederated = ({ subgraphs, supergraphFile, subgraphSecret }: Config): boolean =>
  subgraphs.length > 0 || supergraphFile !== undefined || subgraphSecret !== undefined;

/** Loads federation and its dependencies only when it is enabled, because they take memory. */
export const loadFederation = (): typeof Federation =>
  createRequire(__filename)('./catalog/federate-catalog') as typeof Federation;
