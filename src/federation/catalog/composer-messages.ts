import type { SubgraphDefinition } from '../supergraph/compose-subgraphs';
import type { Refusal } from '../../common/isolated-process';

/** What a supergraph that includes the catalog must leave unchanged. */
export interface CatalogRules {
  /** The SDL that the catalog publishes. */
  readonly catalogSdl: string;
  /** Documents that must stay valid, whatever other subgraphs add to the graph. */
  readonly documents: Readonly<Record<string, string>>;
}

/** To the composer's process, one at a time. */
export type ComposerRequest =
  | {
      readonly kind: 'Compose';
      readonly subgraphs: readonly SubgraphDefinition[];
      /** undefined: the subgraphs do not include a catalog. */
      readonly rules: CatalogRules | undefined;
      /** Whether to add a subgraph that finds nodes across them. It runs only in the service. */
      readonly findsNodes: boolean;
    }
  /** A supergraph that was composed elsewhere. */
  | { readonly kind: 'Check'; readonly supergraphSdl: string; readonly rules: CatalogRules };

/** From the composer's process, one per request. */
export type ComposerReply =
  { readonly kind: 'Composed'; readonly supergraphSdl: string } | { readonly kind: 'Checked' } | Refusal;
