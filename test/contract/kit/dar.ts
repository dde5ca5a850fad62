import { crc32, deflateRawSync } from 'node:zlib';
import { UNIT_EXPRESSION } from '../../../localnet/lf/build/expressions.ts';
import { archiveOf, lfPackageBytes } from '../../../localnet/lf/build/package.ts';
import type { FieldsSource, MadePackage } from '../../../localnet/lf/build/package.ts';
import { message, part } from '../../../localnet/lf/build/tables.ts';
import type { Bytes } from '../../../localnet/lf/build/tables.ts';
import { party, text, unit } from '../../../localnet/lf/build/types.ts';

/*
 * DARs as a compiler makes them, in all parts that a participant reads before it runs code. A test can make each part
 * wrong.
 */

export interface PackageSource {
  readonly name: string;
  readonly version: string;
  /** A text that is part of the package, so that packages with different texts have different contents. */
  readonly content?: string;
  /** The major version of Daml-LF. @default 2 */
  readonly major?: 1 | 2;
  /** The minor version of Daml-LF. @default '1' */
  readonly minor?: string;
  /** Whether the package has a template; without one it is a library. @default true */
  readonly hasTemplate?: boolean;
  /** The fields of the template. @default `owner` and `title` */
  readonly fields?: FieldsSource;
  /** The number of nested expressions in the package's only value. @default 1 */
  readonly layers?: number;
  /** The hash that the archive states. @default the real hash */
  readonly hash?: string;
}

/**
 * Returns `layers` nested expressions. Each is a projection of the next one, for which the format needs two messages.
 */
function nested(layers: number): Bytes {
  let inner: Bytes = UNIT_EXPRESSION;
  for (let layer = 0; layer < layers; layer += 1) {
    inner = message(part(13, message(part(2, inner))));
  }
  return inner;
}

/** Makes a package that contains a template `Main:Thing`, or only a value. */
export function makePackage(source: PackageSource): MadePackage {
  const { name, version, content = '', layers = 1, hasTemplate = true } = source;
  const Thing = {
    fields: source.fields ?? { owner: party, title: text },
    choices: { Touch: { result: unit } },
  };
  const lf = lfPackageBytes({
    name,
    version,
    minor: Number(source.minor ?? 1) || 1,
    modules: {
      Main: { values: { deep: nested(layers) }, ...(hasTemplate ? { templates: { Thing } } : {}) },
    },
    strings: [content],
  });
  return archiveOf(lf, source);
}

interface ZipEntry {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The unpacked size that the zip file states. @default the real size */
  readonly saidSize?: number;
}

/** Makes a zip file with deflated entries. */
export function zipOf(entries: readonly ZipEntry[]): Bytes {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, saidSize = bytes.length } of entries) {
    const packed = deflateRawSync(bytes);
    const file = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(saidSize, 18);
    common.writeUInt16LE(file.length, 22);
    local.push(Buffer.from('PK\u0003\u0004', 'latin1'), common, file, packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    central.push(Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), common, place, file);
    offset += 30 + file.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return new Uint8Array(
    Buffer.concat([...local, directory, Buffer.from('PK\u0005\u0006', 'latin1'), end]),
  );
}

const fileOf = ({ id }: MadePackage) => `made/${id}.dalf`;

/** Makes a manifest with lines of at most 72 bytes, as in jar files. */
export const manifestOf = (fields: Readonly<Record<string, string>>): Uint8Array =>
  Buffer.from(
    Object.entries({ 'Manifest-Version': '1.0', ...fields })
      .map(([name, value]) => `${name}: ${value}`.match(/.{1,71}/g)!.join('\r\n '))
      .join('\r\n') + '\r\n\r\n',
  );

export interface DarChanges {
  /** Entries of the manifest that replace the correct ones. */
  readonly manifest?: Readonly<Record<string, string>>;
  readonly extra?: readonly ZipEntry[];
  /** Packages that the manifest names although the file does not contain them. */
  readonly without?: readonly MadePackage[];
}

/** Makes a DAR from packages. The first one is its main package. */
export function darOf(packages: readonly MadePackage[], changes: DarChanges = {}): Bytes {
  const [main] = packages;
  const manifest = manifestOf({
    'Main-Dalf': fileOf(main!),
    Dalfs: packages.map(fileOf).join(', '),
    Format: 'daml-lf',
    Encryption: 'non-encrypted',
    ...changes.manifest,
  });
  const entries = packages
    .filter((one) => !(changes.without ?? []).includes(one))
    .map((one) => ({ name: fileOf(one), bytes: one.archive }));
  return zipOf([
    { name: 'META-INF/MANIFEST.MF', bytes: manifest },
    ...entries,
    ...(changes.extra ?? []),
  ]);
}
