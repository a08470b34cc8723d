import type { SubgraphDefinition } from '../composition/compose-subgraphs';
import type { Refusal } from '../process/isolated-process';

/** What a supergraph with the catalog in it has to leave as it is. */
export interface CatalogRules {
  /** The SDL that the catalog publishes. */
  readonly catalogSdl: string;
  /** Documents that must stay valid, whatever others bring into the graph. */
  readonly documents: Readonly<Record<string, string>>;
}

/** To the composer's process, one at a time. */
export type ComposerRequest =
  | {
      readonly kind: 'Compose';
      readonly subgraphs: readonly SubgraphDefinition[];
      /** undefined: without a catalog among them. */
      readonly rules: CatalogRules | undefined;
      /** Whether one more subgraph, which runs in the service alone, is to find nodes across them. */
      readonly findsNodes: boolean;
    }
  /** A supergraph that somebody supplies. */
  | { readonly kind: 'Check'; readonly supergraphSdl: string; readonly rules: CatalogRules };

/** From it, one for each request. */
export type ComposerReply =
  { readonly kind: 'Composed'; readonly supergraphSdl: string } | { readonly kind: 'Checked' } | Refusal;
