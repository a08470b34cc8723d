import type { Principal } from '../../../auth/principal';
import { scopes } from '../../../auth/principal';
import { ApiError } from '../../../errors/api-error';
import type { Tool } from './tool';
import { text } from './tool';

/** A document of the operator's manifest (TRUSTED_DOCUMENTS_FILE). */
export interface NamedDocument {
  readonly name: string;
  readonly body: string;
}

/** Runs a GraphQL document with everything that applies on /graphql. @returns its response */
export type RunDocument = (
  principal: Principal,
  source: string,
  variables: Readonly<Record<string, unknown>>,
) => Promise<{ readonly data?: unknown; readonly errors?: readonly { readonly message: string }[] }>;

/** Names that the description has room for. */
const maxNames = 20;

/** One tool for all documents of the manifest: the list of tools has to stay short. */
export function createDocumentTool(documents: readonly NamedDocument[], run: RunDocument): Tool | undefined {
  if (documents.length === 0) return undefined;
  const names = documents.map(({ name }) => name);
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  return {
    name: 'run_document',
    title: 'A GraphQL document known to the service',
    description: `Runs one of: ${names.slice(0, maxNames).join(', ')}${more}.`,
    scopes,
    properties: { name: text, variables: { type: 'object' } },
    required: ['name'],
    outputSchema: {
      type: 'object',
      properties: { data: { type: ['object', 'null'] }, errors: { type: 'array', items: { type: 'object' } } },
    },
    async run(principal, { name, variables = {} }) {
      const document = documents.find((each) => each.name === name);
      if (document === undefined) throw new ApiError('NOT_FOUND', `name: expected one of ${names.join(', ')}.`);
      return run(principal, document.body, variables as Readonly<Record<string, unknown>>);
    },
  };
}
