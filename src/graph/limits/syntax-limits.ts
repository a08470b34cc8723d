import { toCountText } from './count-text';
import type { OperationLimit } from './operation-limit';

/** The limits of what an operation's syntax alone determines, in the order in which they are checked. */
export const syntaxLimits: readonly OperationLimit[] = [
  // Every level may be one more round trip to the database, or to another service.
  {
    name: 'depth',
    basis: 'syntax',
    explainExcess: ({ shape }, { maxDepth }) =>
      shape.depth > maxDepth
        ? `The operation is ${shape.depth} fields deep; at most ${maxDepth} are allowed.`
        : undefined,
  },
  // Fields of the operation itself run concurrently, each with its own statements.
  {
    name: 'root fields',
    basis: 'syntax',
    explainExcess: ({ shape }, { maxRootFields }) =>
      shape.rootFields > maxRootFields
        ? `The operation selects ${toCountText(shape.rootFields)} fields at its root; at most ${maxRootFields} are allowed.`
        : undefined,
  },
  // Aliases turn one field into many: the usual way around a rate limit that counts requests.
  {
    name: 'aliases',
    basis: 'syntax',
    explainExcess: ({ shape }, { maxAliases }) =>
      shape.aliases > maxAliases
        ? `The operation has ${toCountText(shape.aliases)} aliases once its fragments are written out; at most ${maxAliases} are allowed.`
        : undefined,
  },
  // Each directive is evaluated for each field that carries it, however often it is repeated.
  {
    name: 'directives',
    basis: 'syntax',
    explainExcess: ({ shape }, { maxDirectives }) =>
      shape.directives > maxDirectives
        ? `The operation has ${toCountText(shape.directives)} directives once its fragments are written out; at most ${maxDirectives} are allowed.`
        : undefined,
  },
  // Fragments that use each other twice double with every line of the document: 30 of them are a billion fields.
  {
    name: 'fields',
    basis: 'syntax',
    explainExcess: ({ shape }, { maxFields }) =>
      shape.fields > maxFields
        ? `The operation selects ${toCountText(shape.fields)} fields once its fragments are written out; at most ${maxFields} are allowed.`
        : undefined,
  },
  // Spreads and inline fragments cost validation more than fields do, and can be nested without any field in between.
  {
    name: 'fragment uses',
    basis: 'syntax',
    explainExcess: ({ shape }, { maxFragmentUses }) =>
      shape.fragmentUses > maxFragmentUses
        ? `The operation uses ${toCountText(shape.fragmentUses)} fragments once they are written out; at most ${maxFragmentUses} are allowed.`
        : undefined,
  },
];
