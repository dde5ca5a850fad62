import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../embedded/postgres/embedded-postgres.ts';
import { trusted } from '../src/domain/ids.ts';
import type { EffectId } from '../src/domain/ids.ts';
import type { EffectJob } from '../src/queue/job.ts';
import { idOfJob, jobDataOf } from '../src/queue/job.ts';
import { migrate } from '../src/store/sql/migrate.ts';
import { declaredStatements } from '../src/store/sql/statement.ts';
import type { KeptJob, KeptStatement } from './release-interface.ts';
import { describe, loadStatements, releaseFile } from './release-interface.ts';

/*
 * Stores the interface of this version when it is released: the statements, jobs and event IDs on which its running
 * processes rely. See release-interface.ts. Run this script once, when the version in package.json is changed for the
 * release.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
};
const signal = AbortSignal.timeout(120_000);
const dataDir = await mkdtemp(join(tmpdir(), 'tenure-release-'));
const statements: Record<string, KeptStatement> = {};
try {
  const server = await startEmbeddedPostgres({ dataDir, signal, durability: 'none' });
  const client = new Client({ connectionString: server.url });
  try {
    await migrate({ url: server.url, signal });
    await loadStatements(root);
    await client.connect();
    const texts = [...declaredStatements()].toSorted(([a], [b]) => a.localeCompare(b));
    for (const [name, text] of texts) statements[name] = await describe(client, text);
  } finally {
    await client.end();
    await server.stop();
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
const effects = [1, 2].map((dispatchNo) => ({
  effectId: trusted<EffectId>('0197f3c2-6f1d-7c3a-9a51-3f0c2f6f8e11'),
  dispatchNo,
}));
const [one, other] = effects as [EffectJob, EffectJob];
const jobs: KeptJob[] = [jobDataOf([one]), jobDataOf([other]), jobDataOf([one, other])].map(
  (data) => ({ id: idOfJob(data), data }),
);
const eventIds = ['1', '9007199254740993'];
const file = join(root, releaseFile(version));
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify({ statements, jobs, eventIds }, null, 2)}\n`);
