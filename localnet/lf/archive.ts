import { createHash } from 'node:crypto';
import { LedgerError } from '../ledger/ledger-error.ts';
import { parseError, shown } from './errors.ts';
import { readFields } from './fields.ts';
import { LfPackage } from './package.ts';
import { entrySteps } from './steps.ts';
import type { Steps } from './steps.ts';

/** Minor versions of Daml-LF 2 that the reference application's participants accept. */
const MINOR_VERSIONS: ReadonlyMap<string, number> = new Map([
  ['1', 1],
  ['2', 2],
  ['3', 3],
]);

const ARCHIVE = { hashFunction: 1, payload: 3, hash: 4 } as const;
const PAYLOAD = { lf1: 2, minor: 3, lf2: 4, patch: 5 } as const;

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

/**
 * Reads a serialised `Archive`, the content of a `.dalf` file. Only the package's identity is read at once; the rest is
 * read on demand.
 *
 * @param known returns a package that has been read before
 * @param steps limit on the table entries of all packages that arrive together
 * @throws LedgerError DAR_PARSE_ERROR, ALLOWED_LANGUAGE_VERSIONS, DAR_VALIDATION_ERROR
 */
export function readArchive(
  archive: Uint8Array,
  known: (packageId: string) => LfPackage | undefined = () => undefined,
  steps: Steps = entrySteps(),
): LfPackage {
  const fields = readFields(archive, { start: 0, end: archive.length });
  if (fields.number(ARCHIVE.hashFunction) !== 0) throw parseError('Unrecognized hash function');
  const part = (field: number): Uint8Array => {
    const span = fields.span(field);
    return span === undefined ? new Uint8Array() : archive.subarray(span.start, span.end);
  };
  const payload = part(ARCHIVE.payload);
  const theirHash = textOf(part(ARCHIVE.hash).subarray(0, 1000));
  const id = createHash('sha256').update(payload).digest('hex');
  if (id !== theirHash) {
    throw parseError(`Mismatching hashes! Expected ${id} but got ${shown(theirHash)}`);
  }
  return known(id) ?? readPayload(id, payload, steps);
}

/**
 * Reads a serialised `ArchivePayload`, as `GetPackage` returns it.
 *
 * @param id the hash of the payload
 * @param steps limit on the table entries of all packages that arrive together
 * @throws LedgerError DAR_PARSE_ERROR, ALLOWED_LANGUAGE_VERSIONS, DAR_VALIDATION_ERROR
 */
export function readPayload(
  id: string,
  payload: Uint8Array,
  steps: Steps = entrySteps(),
): LfPackage {
  const fields = readFields(payload, { start: 0, end: payload.length });
  const lf2 = fields.span(PAYLOAD.lf2);
  const minorSpan = fields.span(PAYLOAD.minor);
  const text =
    minorSpan === undefined ? '' : textOf(payload.subarray(minorSpan.start, minorSpan.end));
  const minor = MINOR_VERSIONS.get(text);
  if (lf2 === undefined && fields.span(PAYLOAD.lf1) === undefined) {
    throw parseError('Unrecognized or Unsupported LF version');
  }
  if (lf2 === undefined || minor === undefined) {
    const found = `${lf2 === undefined ? 1 : 2}.${text.slice(0, 20)}`;
    throw new LedgerError(
      'ALLOWED_LANGUAGE_VERSIONS',
      `Disallowed language version in package ${id}: Expected version between 2.1 and 2.3 but got ${found}`,
    );
  }
  const patch = fields.number(PAYLOAD.patch);
  if (patch !== 0) throw parseError(`Unknown patch version ${patch} for LF 2.${text}`);
  return new LfPackage(id, payload, lf2, minor, steps);
}
