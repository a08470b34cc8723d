import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import { Kind } from 'graphql';
import { AnswerReader } from '../answer/answer-reader';
import type { AnswerTypes } from '../answer/answer-types';
import type { ResponsePath } from '../answer/entity-targets';
import { PathTree } from '../answer/path-tree';
import { RequestedFields } from '../answer/requested-fields';
import type { SubgraphError } from '../subgraph-executor';
import { maxListedErrors } from '../transport/service-error';
import type { FetchInstruction, PlanExecution } from './plan-execution';
import { callSubgraph } from './plan-execution';
import type { JsonObject } from '../answer/json-objects';
import { getOrMake } from '../../common/once';
import { fragmentsByName } from '../../graph/typed-fields';

/** A subgraph's answer, and the means to read it. */
export interface OpenAnswer {
  readonly data: JsonObject | undefined;
  readonly operation: OperationDefinitionNode;
  /**
   * Whether the answer comes from the local subgraph, this process's own executor: its data has the right shape and is
   * only copied.
   */
  readonly isTrusted: boolean;
  readonly reader: AnswerReader;
  /** Whether an error of the subgraph explains that there is no value at this path. */
  readonly isExplained: (path: ResponsePath) => boolean;
  /** Records a defect of the answer. */
  readonly fault: (path: ResponsePath, problem: string) => void;
  /** The errors that the subgraph reported, and the recorded defects. Call it after reading the answer. */
  readonly close: () => readonly SubgraphError[];
}

/**
 * Sends a request to a subgraph and prepares its answer for reading. Defects of its shape become errors that identify
 * the subgraph.
 */
export async function openAnswer(
  fetch: FetchInstruction,
  variables: Readonly<Record<string, unknown>>,
  execution: PlanExecution,
): Promise<OpenAnswer> {
  const { serviceName } = fetch;
  const { environment } = execution;
  const { data, errors: reported, unlistedErrors } = await callSubgraph(fetch, variables, execution);
  const errors = data === undefined && reported.length === 0 ? [malformed(serviceName, 'no data')] : reported;
  const requested = requestedBy(environment.documentOf(fetch.operation), environment.types);
  const explained = new PathTree();
  // An error without a path may be the reason for any null; so may one that is not listed.
  for (const { path } of errors) explained.add(path ?? []);
  if (unlistedErrors > 0) explained.add([]);
  const faults: SubgraphError[] = [];
  let unlistedFaults = 0;
  let firstFault: string | undefined;
  let unrequested: string | undefined;

  function fault(path: ResponsePath, problem: string): void {
    firstFault ??= `at ${describePath(path)}: ${problem}`;
    if (faults.length === maxListedErrors) {
      unlistedFaults += 1;
      return;
    }
    faults.push({ ...malformed(serviceName, problem), path: [...path] });
  }

  const reader = new AnswerReader({
    types: environment.types,
    graphKey: environment.graphKeyOf(serviceName),
    requested,
    explained,
    onProblem: fault,
    onUnrequested: (path, member) => {
      unrequested = `returned the field ${describePath([...path, member])}, which was not requested`;
    },
  });

  return {
    data,
    operation: requested.operation,
    isTrusted: serviceName === environment.localSubgraph,
    reader,
    isExplained: (path) => explained.touches(path),
    fault,
    close() {
      execution.errors.omit(unlistedErrors + unlistedFaults);
      const problem = firstFault ?? unrequested;
      if (problem !== undefined) {
        const others = faults.length + unlistedFaults - 1;
        environment.onMalformedAnswer?.(serviceName, others > 0 ? `${problem} (and ${others} more)` : problem);
      }
      return [...errors, ...faults];
    },
  };
}

const malformed = (serviceName: string, problem: string): SubgraphError => ({
  message: `The subgraph "${serviceName}" returned an invalid response: ${problem}.`,
  extensions: { code: 'SUBREQUEST_MALFORMED_RESPONSE' },
});

const maxPathCharacters = 200;

/** Formats a path for the log. */
const describePath = (path: ResponsePath): string => JSON.stringify(path.join('.')).slice(0, maxPathCharacters);

/** For the documents of plans, as long as they are cached. */
const requestedFields = new WeakMap<DocumentNode, RequestedFields>();

function requestedBy(document: DocumentNode, types: AnswerTypes): RequestedFields {
  return getOrMake(requestedFields, document, () => {
    const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
    if (operation === undefined) throw new Error('Expected a plan whose fetches contain an operation.');
    return new RequestedFields(types, operation, fragmentsByName(document));
  });
}
