import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MAY_IMPORT, folderOf, forbiddenImports } from './imports.ts';
import { sourceFiles } from './files.ts';

const files = sourceFiles().filter((file) => folderOf(file) !== undefined);

test('every folder imports only what the table allows', () => {
  expect(files.flatMap((file) => forbiddenImports(file, readFileSync(file, 'utf8')))).toEqual([]);
});

test('no source file is outside the table', () => {
  const elsewhere = sourceFiles().filter(
    (file) =>
      folderOf(file) === undefined && !/^(test|bench|scripts)\//u.test(file) && file.includes('/'),
  );
  expect(elsewhere).toEqual([]);
});

test('the check sees files: a table that matches nothing proves nothing', () => {
  expect(files.length).toBeGreaterThan(50);
  const seen = new Set(files.map((file) => folderOf(file)));
  for (const folder of [
    'src/domain',
    'machines',
    'src/app/engine/lanes',
    'src/ledger',
    'localnet',
    'proto/gen',
  ]) {
    expect(seen).toContain(folder);
  }
});

test.each([
  ['machines/renewal.machine.ts', `import { db } from '../src/store/db.ts'`],
  ['src/store/licenses.ts', `import type { x } from '../ledger/gateway.ts'`],
  ['src/app/engine/lanes/step.ts', `export { y } from '../../../http/server.ts'`],
  ['src/app/engine/lanes/step.ts', `import type { Act } from '../../desk/retry-change.ts'`],
  ['src/app/ports/store.ts', `import type { Lane } from '../engine/lanes/lane.ts'`],
  ['src/app/engine/doubts/a.ts', `import { settle } from '../outcomes/settle.ts'`],
  ['src/app/step.ts', `import 'node:fs'`],
  ['src/http/licenses.ts', `const z = await import('../store/pool.ts')`],
  ['localnet/ledger.ts', `import { LIMITS } from '../src/domain/limits.ts'`],
  ['localnet/ledger/ledger.ts', `import type { Call } from '../grpc/call.ts'`],
  ['localnet/lf/types.ts', `import { Parties } from '../ledger/parties.ts'`],
  ['localnet/topology/keys.ts', `import { replay } from '../interactive/replay.ts'`],
  ['src/domain/ids.ts', `import { x } from '../app/ports/ports.ts'`],
  ['src/store/engine/lane.ts', `import { sums } from '../desk/costs.ts'`],
  ['src/store/callers/tenants.ts', `import { stop } from '../desk/bulk-acts.ts'`],
  ['src/http/kit/reply.ts', `import { body } from '../routes/ops/ops.ts'`],
  ['src/http/routes/events/a.ts', `import { hook } from '../webhooks/webhooks.ts'`],
  ['web/src/parts/a.tsx', `import { AskDialog } from '../acts/ask-dialog.tsx'`],
  ['web/src/api/a.ts', `import { Button } from '../parts/button.tsx'`],
  ['web/src/pages/settings/a.tsx', `import { One } from '../lifecycles/life.tsx'`],
  ['web/src/pages/desk/a.tsx', `import { Shell } from '../../shell/shell.tsx'`],
  ['web/src/acts/a.ts', `import { LIMITS } from '../../../src/domain/limits.ts'`],
  ['src/odd/place.ts', `import 'node:fs'`],
])('the check bites: %s', (file, source) => {
  expect(forbiddenImports(file, source)).toHaveLength(1);
});

test('arrows go one way: what a folder may import does not come back to it', () => {
  const reached = (folder: string, seen = new Set<string>()): ReadonlySet<string> => {
    for (const next of MAY_IMPORT[folder] ?? []) {
      if (!seen.has(next)) reached(next, seen.add(next));
    }
    return seen;
  };
  const circles = Object.keys(MAY_IMPORT).filter((folder) => reached(folder).has(folder));
  // These circles are permitted: routes use the names of schemas, and the schemas are collected from the routes.
  expect(circles.filter((folder) => !/^src\/http\/(kit|routes|schemas)/u.test(folder))).toEqual([
    'cli',
    'chaos',
  ]);
});

test('the table names only folders that mean something here', () => {
  for (const allowed of Object.values(MAY_IMPORT).flat())
    expect(Object.keys(MAY_IMPORT)).toContain(allowed);
});
