import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getNamedType, getNullableType, isLeafType } from 'graphql';

/** Members of a type that are values rather than other objects: leaves, and lists of what is stored inside a row. */
const stored = ['VariantOption', 'Image', 'Membership', 'LineItem'];
export const membersOf = (schema, typename) =>
  Object.values(schema.getType(typename).getFields()).filter(({ type, args }) => {
    const named = getNamedType(type);
    return args.length === 0 && (isLeafType(named) || (stored.includes(named.name) && named !== getNullableType(type)));
  });

/** Writes src/catalog/schema-members.ts, which src/catalog/model.ts is checked against. */
export function writeSchemaMembers(schema) {
  const types = ['Product', 'Variant', 'Collection', 'Order'].map((name) => [
    name,
    Object.fromEntries(membersOf(schema, name).map((field) => [field.name, String(field.type)])),
  ]);
  writeFileSync(
    join(import.meta.dirname, '../src/catalog/schema-members.ts'),
    `/** The members of a shop's objects in the order of the schema, each with its type. */
export const schemaMembers = ${JSON.stringify(Object.fromEntries(types), null, 2)} as const;\n`,
  );
}
