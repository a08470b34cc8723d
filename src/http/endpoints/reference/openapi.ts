/** The OpenAPI document without its references, as far as pages and tools read it. */
export interface OpenApiDocument {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
  };
  readonly paths: Readonly<Record<string, { readonly get: OpenApiOperation }>>;
  readonly components: {
    readonly securitySchemes: {
      readonly oauth2: {
        readonly flows: { readonly clientCredentials: { readonly scopes: Readonly<Record<string, string>> } };
      };
    };
  };
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly OpenApiParameter[];
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: OpenApiSchema;
  readonly example?: string | number | boolean;
}

export interface OpenApiSchema {
  /** The name by which the document refers to it. */
  readonly refName?: string;
  /** A list where the value may be null. */
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly items?: OpenApiSchema;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly content?: Readonly<
    Record<
      string,
      {
        readonly schema?: OpenApiSchema;
        readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
      }
    >
  >;
}

/** The document with its references resolved; members next to a reference take precedence. */
export function withoutReferences(document: object): OpenApiDocument {
  const expand = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(expand);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref = '', ...own } = value as { readonly $ref?: string };
    const names = $ref.split('/').slice(1);
    const found = names.reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>>)[name], document);
    const members = Object.entries(own).map(([name, member]) => [name, expand(member)] as const);
    return {
      ...(names.length > 0 && { ...(expand(found) as object), refName: names.at(-1) }),
      ...Object.fromEntries(members),
    };
  };
  return expand(document) as OpenApiDocument;
}
