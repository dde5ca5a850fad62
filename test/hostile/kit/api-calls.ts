import type { Draws } from '../../../chaos/draws.ts';

/*
 * Calls of the API that are generated from its OpenAPI document, with values that are correct, nearly correct, or
 * unusual.
 */

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly example?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: Schema;
    readonly example?: unknown;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export interface HostileCall {
  readonly method: string;
  readonly path: string;
  readonly type: string | null;
  readonly body: string | null;
}

export const routesOf = ({ paths }: ApiDocument): readonly Route[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );

const ODD: readonly unknown[] = [
  '',
  ' ',
  '\0',
  '..',
  '%00',
  ':',
  'a::b',
  '-1',
  '1e309',
  '9'.repeat(40),
  'x'.repeat(300),
  '__proto__',
  '\u{10FFFF}\u202E',
  "'; drop table change; --",
  'P-1D',
  '2030-02-30T00:00:00Z',
  'http://169.254.169.254/latest',
  0,
  -1,
  1e300,
  0.1,
  true,
  null,
  [],
  [[[[[]]]]],
  {},
  { data: { ['__proto__']: 1 } },
  { values: { a: 1 } },
];
const ODD_BODIES = ['', '{', 'null', '[[[[[[', '"text"', '{"a":1,"a":2}', '\u0000', '1e999'];

/** Encodes a value for an address. */
const encoded = (value: unknown): string =>
  encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value));

/**
 * Generates random calls from a document. `known` has values that exist, by the name of their field or parameter;
 * `licenses/contractId` has values for the parameter `contractId` in addresses below `/licenses`.
 */
export class ApiCalls {
  readonly #document: ApiDocument;
  readonly #known: Readonly<Record<string, readonly string[]>>;
  readonly #draws: Draws;

  constructor(
    document: ApiDocument,
    known: Readonly<Record<string, readonly string[]>>,
    draws: Draws,
  ) {
    this.#document = document;
    this.#known = known;
    this.#draws = draws;
  }

  call({ method, path, operation }: Route): HostileCall {
    const { parameters = [], requestBody } = operation;
    const filled = path.replaceAll(/\{(\w+)\}/gu, (_all, name: string) => {
      const place = `${path.split('/')[1]}/${name}`;
      return encoded(this.#value(place in this.#known ? place : name, {}));
    });
    const query = parameters
      .filter((one) => one.in === 'query' && this.#draws.next() < 0.3)
      .map(({ name, schema, example }) => {
        const value = this.#value(name, example === undefined ? schema : { example });
        return `${name}=${encoded(value)}`;
      });
    // A route that does not declare the parameter refuses it.
    const rate = parameters.some(({ name }) => name === 'commandId') ? 0.8 : 0.1;
    if (method !== 'GET' && this.#draws.next() < rate) {
      query.push(`commandId=hostile-${this.#draws.between(0, 1_000_000)}`);
    }
    const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [null, null];
    const address = query.length === 0 ? filled : `${filled}?${query.join('&')}`;
    const body = content === null ? null : this.#body(content.schema);
    return { method, path: address, type, body };
  }

  #body(schema: Schema): string {
    if (this.#draws.next() < 0.1) return this.#draws.pick(ODD_BODIES);
    return JSON.stringify(this.#value('', schema)) ?? '';
  }

  /** Returns a value that usually fits the schema, but sometimes does not. */
  #value(name: string, schema: Schema): unknown {
    const known = this.#known[name];
    const kind = this.#draws.next();
    if (kind < 0.15) return this.#draws.pick(ODD);
    if (known !== undefined && kind < 0.85) return this.#draws.pick(known);
    return this.#fitting(schema);
  }

  #fitting(schema: Schema): unknown {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.split('/').at(-1) ?? '';
      return this.#fitting(this.#document.components.schemas[name] ?? {});
    }
    const choices = schema.anyOf ?? schema.allOf;
    if (choices !== undefined && choices.length > 0)
      return this.#fitting(this.#draws.pick(choices));
    if (schema.enum !== undefined) return this.#draws.pick(schema.enum);
    if (schema.const !== undefined) return schema.const;
    if (schema.properties !== undefined) {
      const members = Object.entries(schema.properties).filter(() => this.#draws.next() < 0.85);
      return Object.fromEntries(members.map(([name, of]) => [name, this.#value(name, of)]));
    }
    if (schema.example !== undefined) return schema.example;
    if (schema.type === 'array') return [this.#fitting(schema.items ?? {})];
    if (schema.type === 'object') return {};
    return this.#draws.pick(ODD);
  }
}
