import { AdministrationError } from '../../errors/administration-error';
import type { SubgraphDefinition } from '../../federation/supergraph/compose-subgraphs';
import type { CliCommand, CliResult } from '../command';
import { addJsonOption } from '../json-option';
import type { SubgraphSource } from '../subgraph-sources';
import { checkNames, collectSource, loadSources, parseSource, problemsOf } from '../subgraph-sources';

interface CheckOptions {
  readonly subgraph?: readonly SubgraphSource[];
}

/** The service reserves these names. */
const taken = ['catalog', 'nodes'];

export const subgraphCheckCommand: CliCommand = {
  name: 'subgraph check',
  summary: "check a subgraph's new SDL before it is deployed",
  details: `Composes the new SDL with the catalog of this version and with the other subgraphs, by the composer that the service uses
and as the service does: what passes here is accepted there. It also checks that the operations of the REST API stay valid on the graph,
and that the catalog alone answers the catalog's part of it. Nothing is changed anywhere.

The other subgraphs are those of the setting SUBGRAPHS, or those of --subgraph. Their SDL is fetched from their URLs, with their secrets of
ROUTER_SECRETS; files are read. Problems are printed one per line.`,
  examples: [
    'SUBGRAPHS=a=http://localhost:4002/ catalog subgraph check b=new.graphql',
    'catalog subgraph check reviews=new.graphql --subgraph stock=stock.graphql',
    'catalog subgraph check reviews=http://localhost:4001/graphql --json',
  ],
  define(command, _perform, performAlone) {
    command
      .argument('<name=url|file>', 'the subgraph, and where its new SDL is', parseSource)
      .option(
        '--subgraph <name=url|file>',
        'another subgraph of the graph, instead of those of SUBGRAPHS; may be repeated',
        collectSource,
      );
    addJsonOption(command, '{"subgraph", "fits": true, "with": [names], "operations": [REST\'s]}').action(
      (checked: SubgraphSource, options: CheckOptions) => performAlone(() => check(checked, options)),
    );
  },
};

async function check(checked: SubgraphSource, { subgraph }: CheckOptions): Promise<CliResult> {
  const [{ operations }, { loadRouterConfig }, { createCatalogComposer }] = await Promise.all([
    import('../../../rest/operations.js'),
    import('../../config/config.js'),
    import('../catalog-composer.js'),
  ]);
  const config = loadRouterConfig();
  const known = subgraph ?? config.subgraphs.map(({ name, url }) => ({ name, from: url }));
  checkNames(known, taken);
  checkNames([checked], taken);
  const others = known.filter(({ name }) => name !== checked.name);
  const [definition, ...rest] = await loadSources([checked, ...others], config);
  const { catalog, composer } = await createCatalogComposer('local://catalog', true);
  const problems = async (subgraphs: readonly SubgraphDefinition[]): Promise<readonly string[]> => {
    try {
      await composer.compose([catalog, ...subgraphs].map((one) => ({ ...one, url: one.url || `file://${one.name}` })));
      return [];
    } catch (thrown) {
      return problemsOf(thrown);
    }
  };
  try {
    const found = await problems([...rest, definition as SubgraphDefinition]);
    if (found.length > 0) {
      const without = rest.length > 0 && (await problems(rest)).length > 0;
      const note = without ? [`The other subgraphs do not compose without ${checked.name} either.`] : [];
      throw new AdministrationError(
        'COMPOSITION_FAILED',
        [`${checked.name} does not fit:`, ...found, ...note].join('\n'),
      );
    }
  } finally {
    composer.stop();
  }
  const names = ['catalog', ...rest.map(({ name }) => name)];
  return {
    json: {
      subgraph: checked.name,
      fits: true,
      with: names,
      operations: operations.map(({ operationId }) => operationId),
    },
    text: `${checked.name} fits: it composes with ${names.join(', ')}, and the ${operations.length} operations of the REST API stay valid and the catalog's alone.`,
  };
}
