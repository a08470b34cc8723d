import { shorten } from '../../common/one-line';
import { toCountText } from './count-text';
import type { DocumentShape, MergeEffort } from './document-shape';
import type { LimitOptions } from './limit-options';

/** One limit of a document, whichever of its operations runs. */
interface DocumentLimit<Measured> {
  readonly name: string;
  /**
   * The text for the client: how much the document has, and how much is allowed. Undefined if it is within the limit.
   */
  readonly explainExcess: (measured: Measured, allowed: LimitOptions) => string | undefined;
}

/** Every limit of a document, in the order in which they are checked. */
export const documentLimits: readonly DocumentLimit<DocumentShape>[] = [
  {
    name: 'operations',
    explainExcess: ({ operations: { size } }, { maxOperations }) =>
      size > maxOperations ? `The document has ${size} operations; at most ${maxOperations} are allowed.` : undefined,
  },
  {
    name: 'fragments',
    explainExcess: ({ fragmentCount }, { maxFragments }) =>
      fragmentCount > maxFragments
        ? `The document has ${fragmentCount} fragments; at most ${maxFragments} are allowed.`
        : undefined,
  },
  {
    name: 'variable definitions',
    explainExcess: ({ variableDefinitions }, { maxVariables }) =>
      variableDefinitions > maxVariables
        ? `The operation defines ${variableDefinitions} variables; at most ${maxVariables} are allowed.`
        : undefined,
  },
  {
    name: 'value depth',
    explainExcess: ({ valueDepth }, { maxValueDepth }) =>
      valueDepth > maxValueDepth
        ? `A value of the document is nested ${valueDepth} levels deep; at most ${maxValueDepth} are allowed.`
        : undefined,
  },
  {
    name: 'selections',
    explainExcess: ({ selections }, { maxSelections }) =>
      selections > maxSelections
        ? `The document has ${toCountText(selections)} selections in all its operations once their fragments are written out; at most ${maxSelections} are allowed.`
        : undefined,
  },
];

/** Checked last, because measuring it writes the fragments out. */
export const repetitionLimit: DocumentLimit<MergeEffort> = {
  name: 'repetition',
  explainExcess: ({ comparisons, most }, { maxComparisons }) =>
    comparisons > maxComparisons
      ? `The document repeats fields: "${shorten(most.path, mostPathCharacters)}" is selected ${most.count} times in one place, and merging all repetitions takes ${Math.ceil(comparisons)} comparisons; at most ${maxComparisons} are allowed. Select each field once.`
      : undefined,
};

/** Names come from the client and have any length. */
const mostPathCharacters = 200;
