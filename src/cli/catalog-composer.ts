import { readOperationDocuments } from '../../rest/operations';
import type { SubgraphDefinition } from '../federation/supergraph/compose-subgraphs';
import type { Composer } from '../federation/catalog/composer';

export interface CatalogComposer {
  /** The catalog of this version as a subgraph. */
  readonly catalog: SubgraphDefinition;
  /** The composer that the service uses: with its limits, and with its rules about the catalog's part. */
  readonly composer: Composer;
}

/** @param findsNodes as in the service, whose process finds nodes across subgraphs; no other router can. */
export async function createCatalogComposer(url: string, findsNodes: boolean): Promise<CatalogComposer> {
  const { createCatalogSubgraph } = await import('../federation/catalog/catalog-subgraph.js');
  const { createComposer } = await import('../federation/catalog/composer.js');
  const { sdl } = createCatalogSubgraph();
  return {
    catalog: { name: 'catalog', url, sdl },
    composer: createComposer({ catalogSdl: sdl, documents: readOperationDocuments() }, { findsNodes }),
  };
}
