import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { LedgerError } from './ledger-error.ts';
import { isPackageName } from './lf-values.ts';

/*
 * As much of the Daml-LF format as tells one package from another: which it is, what it is called, in which version of
 * the language it is written, and whether it defines contracts. Field numbers are those of the format's public
 * description; what is not named here is skipped.
 */

/** One Daml-LF package, as an archive carries it. */
export interface LfPackage {
  /** SHA-256 of {@link payload} in hex. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** The serialised `ArchivePayload`: what `GetPackage` gives. */
  readonly payload: Uint8Array;
  /** Has templates or interfaces. Packages without are libraries, which may be there in several builds. */
  readonly definesContracts: boolean;
}

/** Layers that the participant's own reader goes down to. */
const LAYERS_MAX = 1000;
/** Minor versions of Daml-LF 2 that the reference's participants take. */
const MINOR_VERSIONS: ReadonlySet<string> = new Set(['1', '2', '3']);

const ARCHIVE = { hashFunction: 1, payload: 3, hash: 4 } as const;
const ARCHIVE_PAYLOAD = { lf1: 2, minor: 3, lf2: 4 } as const;
const PACKAGE = { modules: 1, strings: 2, dottedNames: 3, metadata: 4 } as const;
const MODULE = { name: 1, templates: 6, interfaces: 8 } as const;
const METADATA = { name: 1, version: 2 } as const;
const NOTHING = new Uint8Array();
const DOTTED_NAME = { segments: 1 } as const;

/**
 * Reads a serialised `Archive`.
 *
 * @param hashOf SHA-256 in hex
 * @throws LedgerError ALLOWED_LANGUAGE_VERSIONS; anything else that is thrown means that it is no archive
 */
export function readLfPackage(
  archive: Uint8Array,
  hashOf: (payload: Uint8Array) => string,
): LfPackage {
  const fields = readFields(archive);
  if (fields.number(ARCHIVE.hashFunction) !== 0) throw new Error('Unrecognized hash function');
  const payload = fields.bytes(ARCHIVE.payload) ?? NOTHING;
  const theirHash = fields.text(ARCHIVE.hash);
  const id = hashOf(payload);
  if (id !== theirHash) {
    throw new Error(`Mismatching hashes! Expected ${id} but got ${theirHash.slice(0, 100)}`);
  }
  return { id, payload, ...readPackage(id, lf2Of(id, payload)) };
}

/** The package inside a payload, if it is written in a version that is taken. */
function lf2Of(id: string, payload: Uint8Array): Uint8Array {
  const fields = readFields(payload);
  const lf2 = fields.bytes(ARCHIVE_PAYLOAD.lf2);
  const minor = fields.text(ARCHIVE_PAYLOAD.minor);
  if (lf2 !== undefined && MINOR_VERSIONS.has(minor)) return lf2;
  if (lf2 === undefined && fields.bytes(ARCHIVE_PAYLOAD.lf1) === undefined) {
    throw new Error('Unrecognized or Unsupported LF version');
  }
  const found = `${lf2 === undefined ? 1 : 2}.${minor.slice(0, 20)}`;
  throw new LedgerError(
    'ALLOWED_LANGUAGE_VERSIONS',
    `Disallowed language version in package ${id}: Expected version between 2.1 and 2.3 but got ${found}`,
  );
}

function readPackage(
  id: string,
  bytes: Uint8Array,
): Pick<LfPackage, 'name' | 'version' | 'definesContracts'> {
  const fields = readFields(bytes);
  const strings = fields.all(PACKAGE.strings);
  const text = (index: number): string => {
    const found = strings[index];
    if (found === undefined) throw new Error(`invalid internedString table index ${index}`);
    return Buffer.from(found).toString('utf8');
  };
  const metadata = readFields(fields.bytes(PACKAGE.metadata) ?? NOTHING);
  const name = text(metadata.number(METADATA.name));
  const version = text(metadata.number(METADATA.version));
  if (!isPackageName(name)) throw new Error(`Invalid package name: ${name.slice(0, 100)}`);
  if (!/^\d{1,9}(?:\.\d{1,9})*$/.test(version)) {
    throw new Error(`Invalid package version: ${version.slice(0, 100)}`);
  }
  const modules = fields.all(PACKAGE.modules);
  const nameOf = (module: Uint8Array): string =>
    dottedName(fields.all(PACKAGE.dottedNames), readFields(module).number(MODULE.name), text);
  for (const module of modules) {
    if (layersOf(module, 1) > LAYERS_MAX) {
      throw new Error(`Recursion limit overflow in module '${id}:${nameOf(module)}'`);
    }
  }
  const definesContracts = modules.map(readFields).some((module) => {
    return module.all(MODULE.templates).length > 0 || module.all(MODULE.interfaces).length > 0;
  });
  return { name, version, definesContracts };
}

/** A module's name; only for a person to read, so a table that is broken does not matter. */
function dottedName(
  table: readonly Uint8Array[],
  index: number,
  text: (index: number) => string,
): string {
  const segments = table[index];
  if (segments === undefined) return '?';
  const reader = new BinaryReader(readFields(segments).bytes(DOTTED_NAME.segments) ?? NOTHING);
  const names: string[] = [];
  while (reader.pos < reader.len) names.push(text(reader.int32()));
  return names.join('.');
}

/**
 * Layers of messages in a module, counted only as far as they matter. Every field that can be read as a message counts
 * as one. Beside messages a module has numbers only, and those never look like a thousand messages in each other.
 */
function layersOf(bytes: Uint8Array, layer: number): number {
  if (layer > LAYERS_MAX) return layer;
  let deepest = layer;
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    const content = wireType === WireType.LengthDelimited ? reader.bytes() : undefined;
    if (content === undefined) reader.skip(wireType, field);
    else deepest = Math.max(deepest, layersIfMessage(content, layer + 1));
    if (deepest > LAYERS_MAX) return deepest;
  }
  return deepest;
}

function layersIfMessage(bytes: Uint8Array, layer: number): number {
  try {
    return layersOf(bytes, layer);
  } catch {
    return layer - 1;
  }
}

interface Fields {
  /** The last one counts, as in any protobuf message; absent is 0. */
  number(field: number): number;
  text(field: number): string;
  bytes(field: number): Uint8Array | undefined;
  all(field: number): readonly Uint8Array[];
}

/** The fields of one message that are numbers or have a length; throws when it is no message. */
function readFields(bytes: Uint8Array): Fields {
  const numbers = new Map<number, number>();
  const parts = new Map<number, Uint8Array[]>();
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (wireType === WireType.Varint) numbers.set(field, Number(reader.int64()));
    else if (wireType === WireType.LengthDelimited) {
      const known = parts.get(field);
      if (known === undefined) parts.set(field, [reader.bytes()]);
      else known.push(reader.bytes());
    } else reader.skip(wireType, field);
  }
  const last = (field: number) => parts.get(field)?.at(-1);
  return {
    number: (field) => numbers.get(field) ?? 0,
    text: (field) => Buffer.from(last(field) ?? []).toString('utf8'),
    bytes: last,
    all: (field) => parts.get(field) ?? [],
  };
}
