import type { LfType, RecordField, TypeName } from '../ledger/lf-types.ts';
import { dataTypeIn } from './library.ts';
import type { Library } from './library.ts';
import type { DataType } from './module.ts';
import { definitionText, typeText } from './pretty.ts';
import type { Builtin, DefinitionId, Type, TypedName } from './types.ts';

type Bindings = ReadonlyMap<string, Bound>;

/** The type that a type variable stands for, with the variable bindings of the place where the type was written. */
interface Bound {
  readonly type: Type;
  readonly bindings: Bindings;
}

const NO_BINDINGS: Bindings = new Map();

const PLAIN: Partial<Record<Builtin, LfType>> = {
  Unit: { kind: 'unit' },
  Bool: { kind: 'bool' },
  Int64: { kind: 'int64' },
  Date: { kind: 'date' },
  Timestamp: { kind: 'timestamp' },
  Party: { kind: 'party' },
  Text: { kind: 'text' },
};

const CONTAINERS: Partial<Record<Builtin, 'optional' | 'list' | 'textMap'>> = {
  Optional: 'optional',
  List: 'list',
  TextMap: 'textMap',
};

/**
 * Returns the error for a type whose values cannot be stored. Packages that were validated contain no such type here.
 */
const notStored = (type: Type) => new TypeError(`values of ${typeText(type)} are not stored`);

/**
 * Converts types of packages to the ledger's types, with which values are read, checked and written. Inner types are
 * created on demand, because data types may be recursive.
 */
export class LedgerTypes {
  readonly #library: Library;
  /** Converted data types without parameters, which are the most common ones. */
  readonly #known = new Map<string, LfType>();

  constructor(library: Library) {
    this.#library = library;
  }

  of(type: Type): LfType {
    return this.#convert({ type, bindings: NO_BINDINGS });
  }

  #convert(bound: Bound): LfType {
    const args: Bound[] = [];
    let { type, bindings } = bound;
    for (;;) {
      if (type.kind === 'app') {
        args.push({ type: type.arg, bindings });
        type = type.fun;
      } else if (type.kind === 'var') {
        const meant = bindings.get(type.name);
        if (meant === undefined) throw notStored(type);
        ({ type, bindings } = meant);
      } else break;
    }
    args.reverse();
    if (type.kind === 'con') return this.#data(type.id, args);
    if (type.kind === 'builtin') return this.#builtin(type.builtin, args, bound.type);
    throw notStored(bound.type);
  }

  #builtin(builtin: Builtin, args: readonly Bound[], whole: Type): LfType {
    const plain = PLAIN[builtin];
    if (plain !== undefined) return plain;
    const [first, second] = args;
    if (first === undefined) throw notStored(whole);
    const inner = lazily(() => this.#convert(first));
    const kind = CONTAINERS[builtin];
    if (kind !== undefined) {
      return {
        kind,
        get of() {
          return inner();
        },
      };
    }
    if (builtin === 'ContractId') {
      const { type } = first;
      return type.kind === 'con'
        ? { kind: 'contractId', of: this.#nameOf(type.id) }
        : { kind: 'contractId' };
    }
    if (builtin === 'Numeric' && first.type.kind === 'nat') {
      return { kind: 'numeric', scale: first.type.value };
    }
    if (builtin !== 'GenMap' || second === undefined) throw notStored(whole);
    const value = lazily(() => this.#convert(second));
    return {
      kind: 'genMap',
      get key() {
        return inner();
      },
      get value() {
        return value();
      },
    };
  }

  #data(id: DefinitionId, args: readonly Bound[]): LfType {
    const key = definitionText(id);
    const known = args.length === 0 ? this.#known.get(key) : undefined;
    if (known !== undefined) return known;
    const data = dataTypeIn(this.#library, id);
    if (data === undefined || data.params.length !== args.length)
      throw notStored({ kind: 'con', id });
    const bindings = new Map(data.params.map(({ name }, index) => [name, args[index] as Bound]));
    const made = this.#shape(id, data, bindings);
    if (args.length === 0) this.#known.set(key, made);
    return made;
  }

  #shape(id: DefinitionId, { shape }: DataType, bindings: Bindings): LfType {
    const name = this.#nameOf(id);
    const parts = (names: readonly TypedName[]) =>
      lazily((): readonly RecordField[] =>
        names.map((part) => ({
          name: part.name,
          type: this.#convert({ type: part.type, bindings }),
        })),
      );
    switch (shape.kind) {
      case 'record': {
        const fields = parts(shape.fields);
        return {
          kind: 'record',
          name,
          get fields() {
            return fields();
          },
        };
      }
      case 'variant': {
        const constructors = parts(shape.constructors);
        return {
          kind: 'variant',
          name,
          get constructors() {
            return constructors();
          },
        };
      }
      case 'enum':
        return { kind: 'enum', name, constructors: shape.constructors };
      case 'interface':
        throw notStored({ kind: 'con', id });
      default:
        return shape satisfies never;
    }
  }

  #nameOf({ packageId, module, name }: DefinitionId): TypeName {
    const packageName = this.#library.package(packageId)?.name ?? packageId;
    return { packageName, module, entity: name };
  }
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
