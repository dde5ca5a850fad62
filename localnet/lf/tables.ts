import { parseError, shown } from './errors.ts';
import { readFields, readNumbers, visitFields } from './fields.ts';
import type { Span } from './fields.ts';

/** Fields of a package. */
export const PACKAGE = {
  modules: 1,
  strings: 2,
  dottedNames: 3,
  metadata: 4,
  types: 5,
  kinds: 6,
  exprs: 7,
  imports: 9,
} as const;
const DOTTED_NAME = { segments: 1 } as const;
const IMPORTS = { packages: 1 } as const;

const NAME = /^[A-Za-z$_][A-Za-z0-9$_]*$/;
const NAME_CHARS_MAX = 1000;
const PACKAGE_ID = /^[A-Za-z0-9\-_ ]{1,64}$/;

/** A package's tables, by where their entries are: strings and names are read when they are asked for. */
export class Tables implements Span {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly minor: number;
  readonly modules: Span[] = [];
  readonly types: Span[] = [];
  readonly kinds: Span[] = [];
  readonly exprs: Span[] = [];
  readonly metadata: Span | undefined;
  /** IDs of the packages that are imported by number; only from 2.2. */
  readonly imports: readonly string[] | undefined;
  readonly #strings: Span[] = [];
  readonly #dottedNames: Span[] = [];
  readonly #texts: (string | undefined)[] = [];
  readonly #names: (boolean | undefined)[] = [];
  readonly #dotted: (string | undefined)[] = [];

  /** @param minor of the language: 1 to 3 */
  constructor(bytes: Uint8Array, span: Span, minor: number) {
    this.bytes = bytes;
    this.start = span.start;
    this.end = span.end;
    this.minor = minor;
    let metadata: Span | undefined;
    let imports: Span | undefined;
    const lists: Partial<Record<number, Span[]>> = {
      [PACKAGE.modules]: this.modules,
      [PACKAGE.strings]: this.#strings,
      [PACKAGE.dottedNames]: this.#dottedNames,
      [PACKAGE.types]: this.types,
      [PACKAGE.kinds]: this.kinds,
      [PACKAGE.exprs]: this.exprs,
    };
    visitFields(bytes, span, (field, _value, of) => {
      if (of === undefined) return;
      lists[field]?.push(of);
      if (field === PACKAGE.metadata) metadata = of;
      if (field === PACKAGE.imports) imports = of;
    });
    this.metadata = metadata;
    this.imports = imports === undefined ? undefined : this.#importsIn(imports);
  }

  #importsIn(span: Span): readonly string[] {
    const spans = readFields(this.bytes, span).spans(IMPORTS.packages);
    return spans.map((of) => this.#utf8(of));
  }

  #utf8({ start, end }: Span): string {
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + start, end - start).toString(
      'utf8',
    );
  }

  requireString(index: number): void {
    if (index >= this.#strings.length) {
      throw parseError(`invalid internedString table index ${index}`);
    }
  }

  string(index: number): string {
    const known = this.#texts[index];
    if (known !== undefined) return known;
    const span = this.#strings[index];
    if (span === undefined) throw parseError(`invalid internedString table index ${index}`);
    const text = this.#utf8(span);
    this.#texts[index] = text;
    return text;
  }

  requireName(index: number): void {
    if (this.#names[index] === true) return;
    const span = this.#strings[index];
    const isLong = span !== undefined && span.end - span.start > NAME_CHARS_MAX;
    const text = this.string(index);
    if (isLong || !NAME.test(text)) throw parseError(`non-name string: "${shown(text)}"`);
    this.#names[index] = true;
  }

  /** Segments with points between them. */
  dottedName(index: number): string {
    const known = this.#dotted[index];
    if (known !== undefined) return known;
    const span = this.#dottedNames[index];
    if (span === undefined) throw parseError(`invalid dotted name table index ${index}`);
    const segments = readNumbers(this.bytes, span, DOTTED_NAME.segments);
    if (segments.length === 0) throw parseError('No segments provided');
    const name = segments.map((segment) => this.string(segment)).join('.');
    if (name.length > NAME_CHARS_MAX)
      throw parseError(`DottedName is too long (max: ${NAME_CHARS_MAX})`);
    this.#dotted[index] = name;
    return name;
  }

  requireDottedName(index: number): void {
    this.dottedName(index);
  }

  /** A string that is a package ID. */
  packageId(index: number): string {
    return checkedPackageId(this.string(index));
  }

  importedPackage(index: number): string {
    if (this.imports === undefined) throw parseError('Imports table None');
    const imported = this.imports[index];
    if (imported === undefined) {
      throw parseError(`Index out of bounds: invalid imported package index ${index}`);
    }
    return checkedPackageId(imported);
  }
}

function checkedPackageId(text: string): string {
  if (PACKAGE_ID.test(text)) return text;
  throw parseError(`non expected character in "${shown(text)}"`);
}
