/** The part of JSON Schema that OpenAPI 3.0 supports. */
export interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema;
  readonly items?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly $ref?: string;
}

/** The components that a document has so far, by name. */
export class SchemaNames {
  readonly #components = new Map<string, JsonSchema>();

  /** Returns a reference to a component. The component is described when it is used first. */
  component(name: string, describe: () => JsonSchema): JsonSchema {
    if (!this.#components.has(name)) {
      // The component is registered before it is described, because its description may refer to itself.
      this.#components.set(name, {});
      this.#components.set(name, describe());
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  get components(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries(
      [...this.#components].sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  }
}
