import { operations } from '../../rest/operations';
import type { OpenApiDocument } from '../../src/http/endpoints/reference/openapi';
import { readOperationReferences } from '../../src/http/endpoints/reference/operation-reference';
import { toVariables } from '../../src/http/endpoints/reference/twin';
import { readOpenApiDocument } from '../../rest/openapi-document';

const document = readOpenApiDocument({ publicUrl: 'http://localhost', environment: 'test' }) as OpenApiDocument;
const references = readOperationReferences(document);

const values: Readonly<Record<string, readonly string[]>> = {
  text: ['mug', '', ' ', 'É & "%', '0', 'true', 'null'],
  integer: ['1', '7', '200'],
  boolean: ['true', 'false'],
};

/** What REST makes of the values, without members that are null. */
function readByRest(operationId: string, given: Readonly<Record<string, string>>) {
  const operation = operations.find((each) => each.operationId === operationId);
  const { productId, ...query } = given;
  const variables = operation?.readVariables({
    path: productId === undefined ? {} : { productId },
    query: new Map(Object.entries(query).map(([name, value]) => [name, [value]])),
  });
  return JSON.parse(JSON.stringify(variables, (_name, value: unknown) => value ?? undefined)) as object;
}

const withoutEmpty = (variables: object) =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => JSON.stringify(value) !== '{}' && value !== ''));

describe.each(references)('$operationId', ({ operationId, parameters, variables }) => {
  const targets = new Map(parameters.flatMap(({ name, target }) => (target === undefined ? [] : [[name, target]])));
  const wordsOf = (name: string) => {
    const { words, target } = parameters.find((each) => each.name === name) ?? {};
    const known = words ?? values[target?.type ?? 'text'] ?? [];
    // REST refuses an empty cursor (D4); an empty id is one that is missing.
    return name === 'cursor' || name === 'productId' ? known.filter((value) => value !== '') : known;
  };

  it('each parameter fills the variable that REST fills with it', () => {
    for (const name of targets.keys()) {
      for (const value of wordsOf(name)) {
        const given = { [name]: value };
        expect(toVariables(variables, targets, given)).toEqual(withoutEmpty(readByRest(operationId, given)));
      }
    }
  });

  it('all parameters together do', () => {
    const given = Object.fromEntries([...targets.keys()].map((name) => [name, wordsOf(name)[0] ?? '']));
    expect(toVariables(variables, targets, given)).toEqual(withoutEmpty(readByRest(operationId, given)));
  });
});
