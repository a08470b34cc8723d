/** The OpenAPI document, as far as the reference page reads it. */
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
        readonly description: string;
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
  readonly parameters: readonly (OpenApiParameter | Reference)[];
  readonly responses: Readonly<Record<string, OpenApiResponse | Reference>>;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: OpenApiSchema | Reference;
  readonly example?: string | number | boolean;
}

export interface OpenApiSchema {
  /** A list where the value may be null. */
  readonly type: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, OpenApiSchema | Reference>>;
  readonly items?: OpenApiSchema | Reference;
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
        readonly schema?: OpenApiSchema | Reference;
        readonly examples?: Readonly<Record<string, { readonly value: unknown } | Reference>>;
      }
    >
  >;
}

export interface Reference {
  readonly $ref: string;
}

/** The value, or what its reference leads to within the document. */
export function resolve<Value extends object>(document: OpenApiDocument, value: Value | Reference): Value {
  if (!('$ref' in value)) return value;
  const names = value.$ref.split('/').slice(1);
  let found: unknown = document;
  for (const name of names) found = (found as Record<string, unknown>)[name];
  return found as Value;
}
