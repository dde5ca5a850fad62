import type { Draws } from '../../../../chaos/draws.ts';

/** IDs and names that exist on the tested ledger, grouped by the kind of field that may contain them. */
export interface Words {
  readonly parties: readonly string[];
  readonly users: readonly string[];
  readonly contracts: readonly string[];
  readonly packages: readonly string[];
  readonly modules: readonly string[];
  readonly entities: readonly string[];
  readonly choices: readonly string[];
  readonly labels: readonly string[];
  readonly blobs: readonly Uint8Array[];
  readonly synchronizer: string;
  readonly ledgerEnd: bigint;
}

const LONG = 70_000;

/** Texts that often make programs fail. */
const ODD_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '-1',
  '0',
  '1e9',
  '9'.repeat(40),
  '0.12345678901',
  '::',
  'a::b',
  '#',
  '#x:y',
  '__proto__',
  'constructor',
  'toString',
  '\u{10FFFF}',
  '\uFFFD',
  '\u202E',
  '../..',
  '%00',
  '{"a":1}',
  `<script>`,
  "'; drop table contract; --",
  'x'.repeat(256),
  '00'.repeat(33),
  'é'.repeat(130),
  'x'.repeat(LONG),
];

/** Paths that occur in update masks for users and parties. */
const UPDATE_PATHS = [
  'is_deactivated',
  'primary_party',
  'metadata',
  'metadata.annotations',
  'local_metadata.annotations',
];

const ODD_NUMBERS = [
  0n,
  1n,
  2n,
  10n,
  100n,
  10_001n,
  -1n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 53n + 1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
  253_402_300_799_999_999n,
  253_402_300_800_000_000n,
  -62_135_596_800_000_000n,
  -62_135_596_800_000_001n,
];

/** Returns the IDs and names that fit a field with this name. */
function ofName(name: string, words: Words): readonly string[] {
  if (/part(?:y|ies)|act_as|read_as|requesting/u.test(name)) return words.parties;
  if (/user/u.test(name)) return words.users;
  if (/contract/u.test(name)) return words.contracts;
  if (/package/u.test(name)) return words.packages;
  if (/module/u.test(name)) return words.modules;
  if (/entity/u.test(name)) return words.entities;
  if (/choice/u.test(name)) return words.choices;
  if (/label/u.test(name)) return words.labels;
  if (/synchronizer/u.test(name)) return [words.synchronizer];
  if (/identity_provider/u.test(name)) return [''];
  if (name === 'paths') return UPDATE_PATHS;
  return [...words.labels, ...words.parties, ...words.contracts];
}

/** Returns a text that usually fits the field, but sometimes does not. */
export function textFor(name: string, words: Words, draws: Draws): string {
  const fitting = ofName(name, words);
  return draws.next() < 0.6 && fitting.length > 0 ? draws.pick(fitting) : draws.pick(ODD_TEXTS);
}

export function integerFor(words: Words, draws: Draws): bigint {
  if (draws.next() < 0.4) return words.ledgerEnd + BigInt(draws.between(-3, 1));
  return draws.pick(ODD_NUMBERS);
}

export function bytesFor(words: Words, draws: Draws): Uint8Array {
  const kind = draws.next();
  if (kind < 0.4 && words.blobs.length > 0) {
    const blob = Uint8Array.from(draws.pick(words.blobs));
    // The blob is either used as it is, or with one wrong bit.
    if (draws.next() < 0.7 && blob.length > 0) {
      const at = draws.between(0, blob.length - 1);
      blob[at] = (blob[at] ?? 0) ^ (1 << draws.between(0, 7));
    }
    return blob;
  }
  const size = draws.pick([0, 1, 32, 33, 300, LONG]);
  return Uint8Array.from({ length: size }, () => draws.between(0, 255));
}
