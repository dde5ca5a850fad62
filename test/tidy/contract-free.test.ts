import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sourceFiles } from './files.ts';

/*
 * The engine, the store, the queue, the projector, the ledger adapter and the workers must work with any contract
 * package. So lines in them that name licences are counted, and the counts may only become smaller.
 */

const FOLDERS = [
  'src/app/engine',
  'src/store',
  'src/queue',
  'src/projector',
  'src/ledger',
  'workers',
];
/** Folders with features of the product for licences, which no contract package provides: plans, keys, seats, files. */
const PRODUCT = ['src/store/product', 'src/store/validation', 'src/store/subscriptions'];
const isIn = (file: string, folders: readonly string[]): boolean =>
  folders.some((folder) => file.startsWith(`${folder}/`));
const WORDS = /licen[cs]e|renewal/iu;

/** For each file, the reviewed number of lines that name licences or renewals. The list may only become shorter. */
const REVIEWED: Readonly<Record<string, number>> = {
  // Policies have two timers. One of them withdraws renewals, and its table is `renewal_policy`.
  'src/store/desk/figures.ts': 1,
  'src/store/policies/policies.ts': 19,
  'src/store/policies/policy-reach.ts': 1,
  'src/store/policies/timers.ts': 3,
  // Comments on licences are found by their payloads.
  'src/store/engine/contracts.ts': 7,
  // This file joins renewals with the allocations that pay for them, for views and before a settlement.
  'src/store/engine/settlements.ts': 49,
  // This file uses the column `license_num`, by which a refusal finds similar lifecycles.
  'src/store/engine/find.ts': 2,
  // This file handles lanes that version 0.2.0 derived from licences' numbers.
  'src/store/engine/lanes.ts': 11,
  // This file writes the column `license_num`, and decides which kinds have timers and which renewals delay an expiry.
  'src/store/engine/save.ts': 14,
  // This file has the column `license_num`, which any definition may fill, and the tables of policies and of the
  // product.
  'src/store/rows/lifecycle-row.ts': 3,
};

const linesOf = (text: string): number =>
  text.split('\n').filter((line) => WORDS.test(line)).length;

/** Returns a message if the number of lines in the file is not the reviewed one. */
function complaint(file: string, found: number): string | null {
  const reviewed = REVIEWED[file] ?? 0;
  if (found > reviewed) {
    return `${file}: ${found} lines name licences or renewals, ${reviewed} are reviewed; say it for any contract`;
  }
  if (found === reviewed) return null;
  return `${file}: ${found} lines are left of ${reviewed}: lower the number, or take the file off the list`;
}

const foundIn = (files: readonly string[]): Map<string, number> =>
  new Map(files.map((file) => [file, linesOf(readFileSync(file, 'utf8'))]));

test('what is for any contract names licences no more than was reviewed', () => {
  const files = sourceFiles().filter((file) => isIn(file, FOLDERS) && !isIn(file, PRODUCT));
  expect(files.length).toBeGreaterThan(100);
  const found = foundIn(files);
  for (const file of Object.keys(REVIEWED)) if (!found.has(file)) found.set(file, 0);
  expect([...found].flatMap(([file, lines]) => complaint(file, lines) ?? [])).toEqual([]);
});

test('the check bites', () => {
  expect(linesOf("// A licence.\nconst license = RENEWALS; // license\n'licensing'\n")).toBe(2);
  expect(complaint('src/app/engine/lanes/lane.ts', 1)).toMatch(/1 lines .*, 0 are reviewed/u);
  const [[listed, reviewed]] = Object.entries(REVIEWED) as [[string, number]];
  expect(complaint(listed, reviewed + 1)).toMatch(/are reviewed/u);
  expect(complaint(listed, reviewed - 1)).toMatch(/lower the number/u);
  expect(complaint(listed, reviewed)).toBeNull();
});
