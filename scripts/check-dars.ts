import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LedgerError } from '../localnet/ledger/ledger-error.ts';
import { readDar } from '../localnet/lf/dar.ts';
import { libraryOf } from '../localnet/lf/library.ts';
import type { LfPackage } from '../localnet/lf/package.ts';
import { upgradeDefect } from '../localnet/lf/upgrade.ts';
import { compareVersions } from '../localnet/lf/versions.ts';

/*
 * Reads a folder of DARs, which are not part of this repository, and checks every package as an upgrade of every
 * earlier version. Prints how many upgrades are accepted, which ones are not, and how long the checks took.
 *
 *   node scripts/check-dars.ts <folder of DARs>
 */

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node scripts/check-dars.ts <folder of DARs>');

const packages = new Map<string, LfPackage>();
const files = (await readdir(folder)).filter((file) => file.endsWith('.dar')).sort();
const contents = await Promise.all(files.map((file) => readFile(join(folder, file))));
const refused: string[] = [];
let longestMs = 0;
const start = performance.now();
for (const [index, file] of files.entries()) {
  const from = performance.now();
  try {
    const { main, dependencies } = await readDar(contents[index] ?? Buffer.alloc(0), {
      known: (id) => packages.get(id),
      stored: (id) => packages.get(id),
    });
    for (const each of [main, ...dependencies]) packages.set(each.id, each);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    refused.push(`${file}: ${error.code} ${JSON.stringify(error.metadata).slice(0, 300)}`);
  }
  longestMs = Math.max(longestMs, performance.now() - from);
}
const tookMs = performance.now() - start;
print(
  `${files.length} DARs, ${packages.size} packages, ${tookMs.toFixed(0)} ms; the slowest ${longestMs.toFixed(0)} ms`,
);
for (const line of refused) print(`  refused: ${line}`);

const library = libraryOf(packages.values());
const lineages = Map.groupBy(
  [...packages.values()].filter((each) => !each.isUtility),
  ({ name }) => name,
);
const counts = { forward: 0, forwardRefused: 0, backward: 0, backwardRefused: 0, sameVersion: 0 };
for (const lineage of lineages.values()) {
  const inOrder = lineage.toSorted((a, b) => compareVersions(a.version, b.version));
  for (const [index, past] of inOrder.entries()) {
    for (const present of inOrder.slice(index + 1)) {
      if (past.version === present.version) {
        counts.sameVersion += 1;
        continue;
      }
      counts.forward += 1;
      const defect = upgradeDefect(library, past, present);
      if (defect !== undefined) {
        counts.forwardRefused += 1;
        print(`  ${String(past)} to ${String(present)}: ${defect}`);
      }
    }
    const next = inOrder[index + 1];
    if (next === undefined || next.version === past.version) continue;
    counts.backward += 1;
    if (upgradeDefect(library, next, past) !== undefined) counts.backwardRefused += 1;
  }
}
print(JSON.stringify(counts));
