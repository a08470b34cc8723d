import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

interface Reference {
  readonly $ref?: string;
}

interface HeaderObject {
  readonly required?: boolean;
  readonly schema: { readonly type?: string };
}

interface ResponseObject {
  readonly headers?: Readonly<Record<string, HeaderObject & Reference>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, ResponseObject & Reference>>;
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

interface Schema {
  required?: string[];
  additionalProperties?: boolean;
  properties?: Record<string, Schema>;
}

/** The parts of a response that the document describes. */
export interface Observed {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

const documentFile = join(__dirname, '../../rest/openapi.yaml');

/** Read once, and only when needed: that takes longer than most tests that do not call /v1. */
export const openApiDocument = once(() => parse(readFileSync(documentFile, 'utf8')) as OpenApiDocument);

/**
 * The document, with D24 applied too: the specification lets clients do without some members, but we always send them.
 * Later versions may add members, so the published document allows others; this version sends none.
 */
function createStrictDocument(): OpenApiDocument {
  const document = structuredClone(openApiDocument());
  Object.values(document.components.schemas).forEach(makeStrict);
  return document;
}

function makeStrict(schema: Schema): void {
  if (schema.properties === undefined) return;
  schema.required = Object.keys(schema.properties);
  schema.additionalProperties = false;
  Object.values(schema.properties).forEach(makeStrict);
}

const schemas = once(() => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  return ajv.addSchema(createStrictDocument(), 'openapi');
});
const compiled = new Map<string, ValidateFunction>();

/** The operation at a path below /v1. */
export function findOperation(path: string): Operation | undefined {
  const found = Object.entries(openApiDocument().paths).find(([template]) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  return found?.[1].get;
}

/** Violations of the document by a response, as lines for people; none if it conforms. */
export function findViolations(operation: Operation, observed: Observed): string[] {
  const pointer = `#/paths/${escape(pathOf(operation))}/get/responses/${observed.status}`;
  const documented = operation.responses[observed.status];
  if (documented === undefined) return [`${operation.operationId} documents no ${observed.status}`];
  const [response, location] = resolve(documented, pointer);
  const problems = Object.entries(response.headers ?? {}).flatMap(([name, header]) =>
    checkHeader(name, header, `${location}/headers/${escape(name)}`, observed),
  );
  if (response.content === undefined) return observed.body === undefined ? problems : [...problems, 'body not empty'];
  if (observed.headers['content-type'] !== 'application/json') problems.push('Content-Type is not application/json');
  return [...problems, ...validate(`${location}/content/application~1json/schema`, observed.body)];
}

function checkHeader(name: string, given: HeaderObject & Reference, pointer: string, { headers }: Observed): string[] {
  const [header, location] = resolve(given, pointer);
  const value = headers[name.toLowerCase()];
  if (typeof value !== 'string') return header.required === true ? [`${name} is missing`] : [];
  const typed = header.schema.type === 'integer' && /^[0-9]+$/.test(value) ? Number(value) : value;
  return validate(`${location}/schema`, typed).map((problem) => `${name} ${problem}`);
}

function validate(pointer: string, value: unknown): string[] {
  const check = compiled.get(pointer) ?? schemas().compile({ $ref: `openapi${pointer}` });
  compiled.set(pointer, check);
  return check(value) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function resolve<Target>(target: Target & Reference, pointer: string): [Target, string] {
  if (target.$ref === undefined) return [target, pointer];
  const steps = target.$ref.slice(2).split('/');
  const found = steps.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], openApiDocument());
  return [found as Target, target.$ref];
}

const escape = (name: string): string =>
  name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');

function pathOf(operation: Operation): string {
  const found = Object.entries(openApiDocument().paths).find(([, item]) => item.get === operation);
  return found?.[0] ?? '';
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
