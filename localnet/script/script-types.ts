import type { Code } from '../ledger/engine/code.ts';
import { fieldsOf } from '../ledger/engine/forms.ts';
import { LfRecord, UNIT, Variant, wrongType } from '../ledger/engine/values.ts';
import type { Value } from '../ledger/engine/values.ts';
import type { LfPackage } from '../lf/package.ts';
import type { DefinitionId } from '../lf/types.ts';

/** Returns a field of a record; `undefined` if this version of the record has no such field. */
export type FieldOf = (field: string) => Value | undefined;

/**
 * The data types of a Daml Script library. Its versions declare them in different modules and with different fields, so
 * types and fields are found by their names.
 */
export class ScriptTypes {
  readonly #library: LfPackage;
  readonly #code: Code;
  readonly #ids = new Map<string, DefinitionId>();

  constructor(library: LfPackage, code: Code) {
    this.#library = library;
    this.#code = code;
    for (const [module, { dataTypes }] of library.modules) {
      for (const name of dataTypes.names()) {
        this.#ids.set(name, { packageId: library.id, module, name });
      }
    }
  }

  #id(name: string): DefinitionId {
    const id = this.#ids.get(name);
    if (id === undefined) throw new TypeError(`this version of Daml Script has no type ${name}`);
    return id;
  }

  /**
   * Whether the question `Secp256k1Sign` signs a hash. In earlier versions of the library it signs a message, which it
   * hashes first.
   */
  get signsHashes(): boolean {
    if (this.#ids.has('Secp256k1WithEcdsaSign')) return false;
    return Array.from(this.#code.valuesIn(this.#library.id)).some(
      ({ name }) => name === 'secp256k1signWithEcdsaOnly',
    );
  }

  /** Returns whether a variant or a record exists and has a part. */
  has(name: string, part: string): boolean {
    return this.#ids.has(name) && this.#code.fieldNames(this.#id(name)).includes(part);
  }

  /** Reads a record of the library. */
  fields(name: string, value: Value | undefined): FieldOf {
    if (value === undefined) throw wrongType(`a record ${name}`);
    const fields = fieldsOf(value);
    const names = this.#code.fieldNames(this.#id(name));
    return (field) => fields[names.indexOf(field)];
  }

  /** Makes a record of the library. Ignores fields that this version of the record does not have. */
  record(name: string, fields: Readonly<Record<string, Value>>): Value {
    return new LfRecord(
      this.#code.fieldNames(this.#id(name)).map((field) => {
        const value = fields[field];
        if (value === undefined) throw new TypeError(`Daml Script needs ${field} of ${name}`);
        return value;
      }),
    );
  }

  variant(name: string, tag: string, value: Value = UNIT): Value {
    return new Variant(tag, this.#code.constructorRank(this.#id(name), tag), value);
  }
}
