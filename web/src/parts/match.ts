import type { components } from '../../../client/schema.ts';
import { partyName } from './copy.tsx';

/* Searches rows that have been read, by the words that people know. */

type License = components['schemas']['License'];
type Renewal = components['schemas']['LicenseRenewalRequest'];
type Install = components['schemas']['AppInstall'];
type Request = components['schemas']['AppInstallRequest'];

/** Matches words that only name a kind of object. A row need not contain them to be found. */
const KIND_WORD = /^(?:licen[cs]es?|renewals?|installations?|installs?|requests?|no\.?|№|#)$/u;
const NUMBER = /^[#№]?(\d{1,9})$/u;

/** The number, parties and texts by which a row is found. */
export interface Findable {
  readonly number?: number;
  readonly parties: readonly string[];
  readonly texts: readonly string[];
}

type Metadata = { readonly data?: Readonly<Record<string, string>> } | null | undefined;

const textsOf = (meta: Metadata): readonly string[] =>
  Object.entries(meta?.data ?? {}).flatMap(([name, value]) => [name, value]);

export const findableRenewal = (renewal: Renewal): Findable => ({
  number: renewal.licenseNum,
  parties: [renewal.user, renewal.provider],
  texts: [
    renewal.reference ?? '',
    renewal.customer?.name ?? '',
    renewal.description,
    renewal.requestId,
    String(renewal.licenseFeeAmount),
  ],
});

export const findableLicense = (license: License): Findable => ({
  number: license.licenseNum,
  parties: [license.user, license.provider],
  texts: [
    license.reference ?? '',
    license.customer?.name ?? '',
    license.plan?.name ?? license.plan?.id ?? '',
    ...textsOf(license.params.meta),
    ...license.renewalRequests.map(({ description }) => description),
  ],
});

export const findableInstall = ({
  user,
  provider,
  customer,
  meta,
}: Install | Request): Findable => ({
  parties: [user, provider],
  texts: [customer?.name ?? '', ...textsOf(meta)],
});

/** Returns the words of a search in lower case, without those that only name a kind. */
const wordsOf = (search: string): readonly string[] =>
  search
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '' && !KIND_WORD.test(word));

/**
 * Whether a row contains every word of a search. A number must match completely, so that "1" does not find licence 12.
 * Other words may be parts of texts and of party names.
 */
export function isMatch(search: string, { number, parties, texts }: Findable): boolean {
  const words = wordsOf(search);
  if (words.length === 0) return false;
  const text = texts.join('\n').toLowerCase();
  const all = [text, ...parties.map((party) => partyName(party).toLowerCase())].join('\n');
  return words.every((word) => {
    const digits = NUMBER.exec(word)?.[1];
    if (digits === undefined) return all.includes(word);
    return Number(digits) === number || new RegExp(`\\b${digits}\\b`, 'u').test(text);
  });
}
