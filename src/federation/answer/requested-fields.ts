import type { FragmentDefinitionNode, GraphQLOutputType, OperationDefinitionNode, SelectionSetNode } from 'graphql';
import { isInterfaceType, isObjectType, Kind } from 'graphql';
import { collectFields } from './collect-fields';
import type { AnswerTypes } from './answer-types';
import { getOrMake } from '../../common/once';
import { clientKey } from './plan-keys';

/** A requested member. */
interface Requested {
  readonly key: string;
  readonly fieldName: string;
  readonly type: GraphQLOutputType | undefined;
  /** Whether it is in a fragment that may not apply, because the object's type is not known. */
  readonly isOptional: boolean;
  readonly selectionSets: readonly SelectionSetNode[];
}

export interface RequestedMembers {
  readonly fields: readonly Requested[];
  /** Their keys in the answer. */
  readonly keys: ReadonlySet<string>;
  /** The field `__typename`, where it was requested. */
  readonly typeName: Requested | undefined;
}

/** Fields that a request to a subgraph selects, computed once per place and type. */
export class RequestedFields {
  readonly root: readonly SelectionSetNode[];
  readonly #known = new Map<readonly SelectionSetNode[], Map<string, RequestedMembers>>();
  readonly #below = new Map<string, readonly SelectionSetNode[]>();

  constructor(
    private readonly types: AnswerTypes,
    readonly operation: OperationDefinitionNode,
    private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  ) {
    this.root = [operation.selectionSet];
  }

  /** The selections below a root field. */
  below(key: string): readonly SelectionSetNode[] {
    return getOrMake(this.#below, key, () =>
      this.operation.selectionSet.selections.flatMap((selection) =>
        selection.kind === Kind.FIELD && clientKey(selection) === key ? (selection.selectionSet ?? []) : [],
      ),
    );
  }

  /**
   * @param runtimeType The object's type; an object of unknown type may have the fields of all fragments.
   * @param selectionSets The same array each time, so that cached results are found.
   */
  of(parent: string, runtimeType: string | undefined, selectionSets: readonly SelectionSetNode[]): RequestedMembers {
    const byType = getOrMake(this.#known, selectionSets, () => new Map<string, RequestedMembers>());
    return getOrMake(byType, `${parent} ${runtimeType ?? ''}`, () => this.#collect(parent, runtimeType, selectionSets));
  }

  #collect(
    parent: string,
    runtimeType: string | undefined,
    selectionSets: readonly SelectionSetNode[],
  ): RequestedMembers {
    const { types, fragments } = this;
    const scope = { type: runtimeType ?? parent, isOptional: false };
    const narrow = ({ isOptional }: typeof scope, condition: string) => {
      if (runtimeType === undefined)
        return { type: condition, isOptional: isOptional || !types.isOfType(parent, condition) };
      return types.isOfType(runtimeType, condition) ? scope : undefined;
    };
    // A plan is made for certain values of the variables of @include and @skip, and contains neither.
    const collected = collectFields(selectionSets, scope, { fragments, variables: {} }, narrow);
    const fields = [...collected].map(([key, occurrences]): Requested => {
      const fieldName = occurrences[0]?.node.name.value ?? key;
      const owner = types.schema.getType(occurrences[0]?.scope.type ?? parent);
      return {
        key,
        fieldName,
        type: isObjectType(owner) || isInterfaceType(owner) ? owner.getFields()[fieldName]?.type : undefined,
        isOptional: occurrences.every(({ scope: { isOptional } }) => isOptional),
        selectionSets: occurrences.flatMap(({ node: { selectionSet } }) => selectionSet ?? []),
      };
    });
    const typeName = fields.find(({ fieldName }) => fieldName === '__typename');
    return { fields, keys: new Set(collected.keys()), typeName };
  }
}
