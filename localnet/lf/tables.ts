import { parseError, shown } from './errors.ts';
import { Cursor, LENGTH_DELIMITED } from './cursor.ts';
import { readFields, readNumbers, Spans } from './fields.ts';
import type { Span } from './fields.ts';
import type { Steps } from './steps.ts';

/** Field numbers of a package. */
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

const TOO_MANY = 'it has too much in its tables';

const NAME = /^[A-Za-z$_][A-Za-z0-9$_]*$/;
const NAME_CHARS_MAX = 1000;
const PACKAGE_ID = /^[A-Za-z0-9\-_ ]{1,64}$/;

/** The positions of a package's table entries. Strings and names are decoded on demand. */
export class Tables implements Span {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly minor: number;
  readonly modules: Span[] = [];
  readonly types = new Spans();
  readonly kinds = new Spans();
  /** The number of expressions. */
  readonly exprs: number;
  readonly metadata: Span | undefined;
  /** IDs of the packages that are imported by number; undefined before 2.2. */
  readonly imports: readonly string[] | undefined;
  readonly #strings = new Spans();
  readonly #dottedNames = new Spans();
  readonly #texts: (string | undefined)[] = [];
  readonly #names: (boolean | undefined)[] = [];
  readonly #packageIds: (string | undefined)[] = [];
  readonly #dotted: (string | undefined)[] = [];

  /**
   * @param minor minor version of Daml-LF 2: 1 to 3
   * @param steps counts each entry
   * @throws LedgerError DAR_PARSE_ERROR, DAR_VALIDATION_ERROR
   */
  constructor(bytes: Uint8Array, span: Span, minor: number, steps: Steps) {
    this.bytes = bytes;
    this.start = span.start;
    this.end = span.end;
    this.minor = minor;
    let metadata: Span | undefined;
    let imports: Span | undefined;
    let exprs = 0;
    const { end } = span;
    const cursor = new Cursor(bytes, span.start);
    while (cursor.position < end) {
      const tag = cursor.varint(end);
      const field = tag >>> 3;
      if ((tag & 7) !== LENGTH_DELIMITED) {
        cursor.skipField(tag, end);
        continue;
      }
      const to = cursor.length(end);
      const start = cursor.position;
      cursor.position = to;
      steps.take(1, TOO_MANY);
      this.#listOf(field)?.add(start, to);
      if (field === PACKAGE.modules) this.modules.push({ start, end: to });
      if (field === PACKAGE.exprs) exprs += 1;
      if (field === PACKAGE.metadata) metadata = { start, end: to };
      if (field === PACKAGE.imports) imports = { start, end: to };
    }
    this.exprs = exprs;
    this.metadata = metadata;
    this.imports = imports === undefined ? undefined : this.#importsIn(imports);
    steps.take(this.imports?.length ?? 0, TOO_MANY);
  }

  #listOf(field: number): Spans | undefined {
    switch (field) {
      case PACKAGE.strings:
        return this.#strings;
      case PACKAGE.dottedNames:
        return this.#dottedNames;
      case PACKAGE.types:
        return this.types;
      case PACKAGE.kinds:
        return this.kinds;
      default:
        return undefined;
    }
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
    const span = this.#strings.at(index);
    if (span === undefined) throw parseError(`invalid internedString table index ${index}`);
    const text = this.#utf8(span);
    this.#texts[index] = text;
    return text;
  }

  requireName(index: number): void {
    if (this.#names[index] === true) return;
    const span = this.#strings.at(index);
    const isLong = span !== undefined && span.end - span.start > NAME_CHARS_MAX;
    const text = this.string(index);
    if (isLong || !NAME.test(text)) throw parseError(`non-name string: "${shown(text)}"`);
    this.#names[index] = true;
  }

  /** Returns a dotted name: its segments, joined with dots. */
  dottedName(index: number): string {
    const known = this.#dotted[index];
    if (known !== undefined) return known;
    const span = this.#dottedNames.at(index);
    if (span === undefined) throw parseError(`invalid dotted name table index ${index}`);
    const name = this.#segmentsIn(span)
      .map((segment) => this.string(segment))
      .join('.');
    this.#dotted[index] = name;
    return name;
  }

  requireDottedName(index: number): void {
    this.dottedName(index);
  }

  /** Decodes all dotted names, including unused ones. */
  requireDottedNames(): void {
    for (let index = 0; index < this.#dottedNames.length; index += 1) {
      const span = this.#dottedNames.at(index);
      if (this.#dotted[index] === undefined && span !== undefined) this.#segmentsIn(span);
    }
  }

  /** Returns the string indexes of a name's segments. */
  #segmentsIn(span: Span): readonly number[] {
    const segments = readNumbers(this.bytes, span, DOTTED_NAME.segments);
    if (segments.length === 0) throw parseError('No segments provided');
    // Segments share strings, so a name could become longer than the longest JavaScript string.
    let length = segments.length - 1;
    for (const segment of segments) {
      length += this.string(segment).length;
      if (length > NAME_CHARS_MAX) {
        throw parseError(`DottedName is too long (max: ${NAME_CHARS_MAX})`);
      }
    }
    return segments;
  }

  /** Returns a string that must be a package ID. */
  packageId(index: number): string {
    const known = this.#packageIds[index];
    if (known !== undefined) return known;
    const packageId = checkedPackageId(this.string(index));
    this.#packageIds[index] = packageId;
    return packageId;
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
