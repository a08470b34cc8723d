import type { GraphQLCompositeType, GraphQLNamedType, GraphQLSchema } from 'graphql';
import { getNamedType, isAbstractType, isCompositeType, isInterfaceType, isObjectType, isUnionType } from 'graphql';
import type { Random } from '../../model/random';

/** An operation with nested selections, aliases, arguments, fragments, `@include` and `@skip`. It may be invalid. */
export function createRandomOperation(random: Random, schema: GraphQLSchema): string {
  const fragments: string[] = [];
  const condition = (): string =>
    random.oneIn(12) ? ` @${random.pick(['include', 'skip'])}(if: $${random.pick(['yes', 'no'])})` : '';

  function select(type: GraphQLCompositeType, depth: number): string {
    const fields = isUnionType(type) ? [] : Object.values(type.getFields());
    const chosen = fields.filter((field) => depth > 0 || !isCompositeType(getNamedType(field.type)));
    const selections = (chosen.length === 0 ? [] : random.some(chosen, 4)).map((field) => {
      const named: GraphQLNamedType = getNamedType(field.type);
      // Some response keys stand for another field elsewhere, or are the name of one.
      const pool =
        isCompositeType(named) || !random.oneIn(3) ? [`${field.name}_0`, `${field.name}_1`] : ['v', 'w', 'id'];
      const alias = random.oneIn(6) ? `${random.pick(pool)}: ` : '';
      const given = field.args.map(({ name }) => `${name}: ${random.pick(['1', '2', '$two'])}`).join(', ');
      return `${alias}${field.name}${given === '' || random.oneIn(3) ? '' : `(${given})`}${condition()}${isCompositeType(named) ? ` ${select(named, depth - 1)}` : ''}`;
    });
    if (selections.length === 0 || random.oneIn(4))
      selections.push(random.oneIn(4) ? 'kind: __typename' : '__typename');
    for (const member of conditionsOf(type)) {
      if (!random.oneIn(isAbstractType(type) ? 2 : 8)) continue;
      const inner = select(member, depth - (depth > 0 ? 1 : 0));
      if (random.oneIn(3)) {
        const name = `F${fragments.length}`;
        fragments.push(`fragment ${name} on ${member.name} ${inner}`);
        selections.push(`...${name}${condition()}`);
      } else selections.push(`... on ${member.name}${condition()} ${inner}`);
    }
    return `{ ${selections.join(' ')} }`;
  }

  /** Types whose fragments may occur in a selection on the type. */
  function conditionsOf(type: GraphQLCompositeType): readonly GraphQLCompositeType[] {
    const objects = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
    const interfaces = Object.values(schema.getTypeMap()).filter(
      (one) => isInterfaceType(one) && schema.getPossibleTypes(one).some((member) => objects.includes(member)),
    ) as GraphQLCompositeType[];
    return [...objects.filter((one) => isObjectType(one)), ...interfaces];
  }

  const query = select(schema.getQueryType() as GraphQLCompositeType, 3);
  const body = `${query}\n${fragments.join('\n')}`;
  const variables = ['$yes: Boolean! = true', '$no: Boolean! = false', '$two: Int = 2'].filter((definition) =>
    body.includes(definition.slice(0, definition.indexOf(':'))),
  );
  return `query ${variables.length > 0 ? `(${variables.join(', ')})` : ''} ${body}`;
}
