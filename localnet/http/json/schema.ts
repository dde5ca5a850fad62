/** JSON Schema, as far as OpenAPI 3.0 supports it. */
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

/** Components that a document has so far, by name. */
export class SchemaNames {
  readonly #components = new Map<string, JsonSchema>();

  /** Returns a reference to a component, which is described on first use. */
  component(name: string, describe: () => JsonSchema): JsonSchema {
    if (!this.#components.has(name)) {
      // Registered before its description, because the component may contain itself.
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
