import { readFileSync, readdirSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReleaseInterface } from '../../scripts/release-interface.ts';
import { describe as describeStatement, releaseFile } from '../../scripts/release-interface.ts';
import { readPosition } from '../../src/http/routes/events/event-query.ts';
import { idOfJob, parseJob } from '../../src/queue/job.ts';
import type { TestDatabase } from '../kit/postgres.ts';
import { testDatabase } from '../kit/postgres.ts';

/*
 * During an upgrade, processes of a release run on the schema of the next version, and each of the two versions
 * processes jobs of the other. The statements and jobs on which a release relies were recorded when it was released.
 */

const releases = readdirSync('test/fixtures/releases');

test('there are releases to look at', () => {
  expect(releases.length).toBeGreaterThan(0);
});

describe.each(releases)('processes of release %s', (version) => {
  const kept = JSON.parse(readFileSync(releaseFile(version), 'utf8')) as ReleaseInterface;
  let database: TestDatabase;
  let client: Client;
  beforeAll(async () => {
    database = await testDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database[Symbol.asyncDispose]();
  });

  test('find every statement of theirs as it was, on the schema of this version', async () => {
    const names = Object.keys(kept.statements);
    expect(names.length).toBeGreaterThan(100);
    const broken: string[] = [];
    for (const [name, statement] of Object.entries(kept.statements)) {
      const now = await describeStatement(client, statement.text).catch(() => null);
      if (JSON.stringify(now) !== JSON.stringify(statement)) broken.push(name);
    }
    expect(broken).toEqual([]);
  });

  test('put jobs on the queue that this version takes under the same id', () => {
    for (const { id, data } of kept.jobs) {
      const read = parseJob(data);
      expect([read, idOfJob(read)]).toEqual([data, id]);
    }
  });

  test('have told ids of events that this version goes on from', () => {
    for (const id of kept.eventIds) expect(readPosition(id, {})).toBe(BigInt(id));
  });
});
