import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/*
 * The modules that a command loads before it begins. No command may wait for a library that only a running Tenure
 * needs.
 */

const IMPORT = /^(?:import|export) (?!type\b)[^;]*?from '(?<from>[^']+)'/gmu;

/**
 * Returns the packages that are loaded together with a file: those that it imports, directly or through other files.
 */
function packagesOf(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return new Set();
  seen.add(file);
  const imported = [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(
    ({ groups }) => groups?.['from'] ?? '',
  );
  const found = imported.map((from) =>
    from.startsWith('.') ? packagesOf(join(dirname(file), from), seen) : new Set([from]),
  );
  return new Set(found.flatMap((some) => [...some]).filter((name) => !name.startsWith('node:')));
}

test.each([
  ['cli/main.ts', ['@bomb.sh/tab/commander', 'commander']],
  ['cli/api/run.ts', ['cli-table3']],
  ['cli/commands/history.ts', ['cli-table3']],
  ['cli/commands/machines.ts', ['cli-table3']],
  ['cli/commands/policy-set.ts', ['cli-table3']],
  ['cli/commands/bulk.ts', ['@clack/prompts', 'cli-table3']],
])('%s loads %o and no other package', (file, packages) => {
  expect([...packagesOf(file)].toSorted()).toEqual(packages);
});
