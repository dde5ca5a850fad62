import { duplicateName, parseError, shown } from './errors.ts';
import { readFields } from './fields.ts';
import type { Span } from './fields.ts';
import { LfModule } from './module.ts';
import type { Steps } from './steps.ts';
import { checkStructure } from './structure.ts';
import { Tables } from './tables.ts';
import { TypeReader } from './types.ts';
import type { AppliedSynonym, DefinitionId } from './types.ts';

const METADATA = { name: 1, version: 2 } as const;
const PACKAGE_NAME = /^[A-Za-z0-9\-_]{1,255}$/;
const VERSION = /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8}))*$/;
const VERSION_CHARS_MAX = 255;

/**
 * One Daml-LF package. Its names and tables are read at once, its modules, definitions and types on demand, and its
 * expressions never. Reading a broken part throws DAR_PARSE_ERROR. Once {@link dependencies} has been read without an
 * error, no part is broken.
 */
export class LfPackage {
  /** SHA-256 of {@link payload} in hex. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Minor version of Daml-LF 2. */
  readonly minor: number;
  /** The serialised `ArchivePayload`, which `GetPackage` returns. */
  readonly payload: Uint8Array;
  readonly tables: Tables;
  readonly types: TypeReader;
  #modules: ReadonlyMap<string, LfModule> | undefined;
  #dependencies: ReadonlySet<string> | undefined;
  #isUtility: boolean | undefined;

  /** @param steps counts each entry of the package's tables */
  constructor(id: string, payload: Uint8Array, span: Span, minor: number, steps: Steps) {
    this.id = id;
    this.payload = payload;
    this.minor = minor;
    this.tables = new Tables(payload, span, minor, steps);
    this.types = new TypeReader(id, this.tables);
    const { metadata } = this.tables;
    if (metadata === undefined) {
      throw parseError(`Package.metadata is required in Daml-LF 2.${minor}`);
    }
    const fields = readFields(payload, metadata);
    this.name = this.tables.string(fields.number(METADATA.name));
    this.version = this.tables.string(fields.number(METADATA.version));
    if (!PACKAGE_NAME.test(this.name)) {
      throw parseError(`Invalid package name: ${shown(this.name)}`);
    }
    if (this.version.length > VERSION_CHARS_MAX || !VERSION.test(this.version)) {
      throw parseError(`Invalid package version: ${shown(this.version)}`);
    }
  }

  /** IDs of all other packages to which this one refers. The first call reads all bytes of the package. */
  get dependencies(): ReadonlySet<string> {
    if (this.#dependencies === undefined) {
      const named = new Set(checkStructure(this.tables));
      named.delete(this.id);
      this.#dependencies = named;
    }
    return this.#dependencies;
  }

  /**
   * Reads everything that is otherwise read on demand, except individual definitions. Throws DAR_PARSE_ERROR if a part
   * cannot be read.
   */
  requireReadable(): void {
    if (this.dependencies.size + this.modules.size > 0) return;
  }

  get modules(): ReadonlyMap<string, LfModule> {
    if (this.#modules !== undefined) return this.#modules;
    const modules = new Map<string, LfModule>();
    for (const span of this.tables.modules) {
      const module = new LfModule(this.tables, this.types, span);
      if (modules.has(module.name)) throw duplicateName();
      modules.set(module.name, module);
    }
    this.#modules = modules;
    return modules;
  }

  /** Returns the data types to which the package's types refer. */
  typesNamed(): Iterable<DefinitionId> {
    return this.types.named();
  }

  /** Returns the type synonyms that the package's types apply, each with its number of arguments. */
  synonymsNamed(): Iterable<AppliedSynonym> {
    return this.types.synonymsNamed();
  }

  /**
   * Whether the package contains no types whose values can be stored. Such packages may exist in several builds, and
   * are never upgraded.
   */
  get isUtility(): boolean {
    this.#isUtility ??= [...this.modules.values()].every((module) => module.isUtility);
    return this.#isUtility;
  }

  /** Returns the form in which errors and Canton's log show a package. */
  toString(): string {
    return `${this.id} (${this.name} v${this.version})`;
  }
}
