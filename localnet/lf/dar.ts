import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { fromBufferPromise } from 'yauzl';
import type { Entry, ZipFile } from 'yauzl';
import { LedgerError } from '../ledger/ledger-error.ts';
import { readArchive } from './archive.ts';
import { withDependencies } from './dar-packages.ts';
import { parseError } from './errors.ts';
import type { LfPackage } from './package.ts';
import { entrySteps } from './steps.ts';
import { validatePackages } from './validation.ts';

/** All packages of a DAR: the main one, and its dependencies. */
export interface Dar {
  readonly main: LfPackage;
  readonly dependencies: readonly LfPackage[];
}

/**
 * Limits for the unpacked contents of a DAR. The reference application's largest DAR has some hundred entries and
 * unpacks to a few MiB.
 */
const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;
const ENTRIES_MAX = 10_000;
/** The maximum size of a manifest. Manifests of published DARs have nine kilobytes. */
const MANIFEST_BYTES_MAX = 1024 * 1024;

const ZIP_MAGIC = Buffer.from('PK\u0003\u0004', 'latin1');
const MANIFEST = 'META-INF/MANIFEST.MF';

const invalidDar = (reason: string) =>
  new LedgerError('INVALID_DAR', 'Dar file is corrupt', { metadata: { throwable: reason } });
const zipBomb = (msg: string) =>
  new LedgerError('ZIP_BOMB', 'Dar zip file seems to be a zip bomb.', { metadata: { msg } });

const inflate = promisify(inflateRaw);

/** Gives access to packages outside the DAR. */
export interface Surroundings {
  /** Returns a package that has been read and validated before. */
  readonly known: (packageId: string) => LfPackage | undefined;
  /** Returns a stored package, so that a DAR of 2.1 need not contain it. */
  readonly stored: (packageId: string) => LfPackage | undefined;
}

const ALONE: Surroundings = { known: () => undefined, stored: () => undefined };

/**
 * Reads a DAR: a zip file whose manifest names Daml-LF archives, each of which must match its hash.
 *
 * @throws LedgerError INVALID_DAR without a readable manifest, INVALID_ZIP_ENTRY for a missing archive, ZIP_BOMB beyond
 *   the limits, DAR_PARSE_ERROR, ALLOWED_LANGUAGE_VERSIONS and DAR_VALIDATION_ERROR for the archives' contents,
 *   DAR_DEPENDENCIES_NOT_VALID and TOPOLOGY_CANNOT_VET_DUE_TO_MISSING_PACKAGES for missing packages
 */
export async function readDar(
  bytes: Uint8Array,
  { known, stored }: Surroundings = ALONE,
): Promise<Dar> {
  if (bytes.length === 0) throw invalidDar('it is empty');
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!buffer.subarray(0, ZIP_MAGIC.length).equals(ZIP_MAGIC)) {
    throw invalidDar('it is not a zip file');
  }
  const entries = await unzip(buffer);
  const { mainDalf, dalfs } = readManifest(await entries.read(MANIFEST));
  const others = dalfs.filter((name) => name !== mainDalf);
  const archives = await inOrder([mainDalf, ...others].map((name) => entries.read(name)));
  const steps = entrySteps();
  const [main, ...dependencies] = archives.map((archive) => readArchive(archive, known, steps));
  if (main === undefined) throw new TypeError('a DAR without a main package');
  const packages = [main, ...dependencies] as const;
  // All packages are read before any is validated.
  for (const each of packages) each.requireReadable();
  validatePackages(packages, withDependencies(packages, stored), known);
  return { main, dependencies };
}

interface Entries {
  /**
   * Unpacks one entry. Throws INVALID_DAR if the manifest is missing, and INVALID_ZIP_ENTRY if another entry is
   * missing.
   */
  read(name: string): Promise<Buffer>;
}

/** Opens a zip file. A damaged zip file is a parse error. Data that is not a zip file at all is an invalid DAR. */
async function unzip(buffer: Buffer): Promise<Entries> {
  const byName = new Map<string, Entry>();
  let zip: ZipFile;
  try {
    zip = await fromBufferPromise(buffer, { lazyEntries: true, validateEntrySizes: true });
    if (zip.entryCount > ENTRIES_MAX) throw zipBomb(`it has ${zip.entryCount} entries`);
    let unpacked = 0;
    for await (const entry of zip.eachEntry()) {
      unpacked += entry.uncompressedSize;
      if (unpacked > UNPACKED_BYTES_MAX) {
        throw zipBomb(`it unpacks to more than ${UNPACKED_BYTES_MAX} bytes`);
      }
      byName.set(entry.fileName, entry);
    }
  } catch (error) {
    throw error instanceof LedgerError ? error : parseError((error as Error).message);
  }
  const read = async (name: string): Promise<Buffer> => {
    const entry = byName.get(name);
    if (name === MANIFEST && entry !== undefined && entry.uncompressedSize > MANIFEST_BYTES_MAX) {
      throw zipBomb(`its manifest unpacks to more than ${MANIFEST_BYTES_MAX} bytes`);
    }
    if (entry !== undefined) return unpack(zip, buffer, entry);
    if (name === MANIFEST) throw invalidDar(`it has no ${MANIFEST}`);
    throw new LedgerError('INVALID_ZIP_ENTRY', 'Dar zip file is corrupt', { metadata: { name } });
  };
  return { read };
}

/** Unpacks one entry up to its stated size, so that checking the stated size against the limit is sufficient. */
async function unpack(zip: ZipFile, buffer: Buffer, entry: Entry): Promise<Buffer> {
  const { compressedSize, uncompressedSize: size } = entry;
  try {
    if (!entry.canDecodeFileData()) throw new Error('unsupported compression method');
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
    const packed = buffer.subarray(fileDataStart, fileDataStart + compressedSize);
    const unpacked =
      entry.compressionMethod === DEFLATED
        ? await inflate(packed, { maxOutputLength: Math.max(size, 1), chunkSize: chunkFor(size) })
        : Buffer.from(packed);
    if (unpacked.length !== size) {
      throw new Error(`expected ${size} bytes of ${entry.fileName}, got ${unpacked.length}`);
    }
    return unpacked;
  } catch (error) {
    throw parseError((error as Error).message);
  }
}

/** The number of the only compression method that is common in zip files. */
const DEFLATED = 8;
const CHUNK_BYTES = { least: 64, most: 1024 * 1024 } as const;
const chunkFor = (size: number): number =>
  Math.min(Math.max(size, CHUNK_BYTES.least), CHUNK_BYTES.most);

/** Awaits all promises. If several fail, throws the error of the first one in order. */
async function inOrder<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  const settled = await Promise.allSettled(promises);
  return settled.map((outcome) => {
    if (outcome.status === 'fulfilled') return outcome.value;
    throw outcome.reason;
  });
}

interface Manifest {
  readonly mainDalf: string;
  readonly dalfs: readonly string[];
}

/**
 * Reads the main attributes of a JAR manifest: `Name: value`. A line that begins with a space continues the previous
 * line.
 */
function readManifest(bytes: Buffer): Manifest {
  const attributes = new Map<string, string>();
  let last = '';
  for (const line of bytes.toString('utf8').split(/\r\n|\n|\r/)) {
    if (line === '') break;
    if (line.startsWith(' ')) {
      attributes.set(last, `${attributes.get(last) ?? ''}${line.slice(1)}`);
      continue;
    }
    const separator = line.indexOf(':');
    if (separator === -1) throw invalidDar(`its manifest has a line that is none`);
    last = line.slice(0, separator).toLowerCase();
    attributes.set(last, line.slice(separator + 1).trimStart());
  }
  const attribute = (name: string): string => {
    const value = attributes.get(name.toLowerCase())?.trim();
    if (value === undefined) throw invalidDar(`Cannot find attribute: ${name}`);
    return value;
  };
  const mainDalf = attribute('Main-Dalf');
  const dalfs = attribute('Dalfs');
  const format = attribute('Format');
  if (format !== 'daml-lf') throw invalidDar(`Unsupported format: ${format.slice(0, 100)}`);
  const names = new Set(dalfs.split(',').map((name) => name.trim()));
  if (names.size > ENTRIES_MAX) throw zipBomb(`its manifest names ${names.size} archives`);
  return { mainDalf, dalfs: [...names].filter((name) => name !== '') };
}
