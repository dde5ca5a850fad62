import { readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { glob } from 'tinyglobby';
import type { JobData } from '../src/queue/job.ts';

/*
 * The parts of a release on which its running processes rely, and which another release that runs at the same time may
 * change: the statements that processes prepare, the jobs on the queue, and the IDs of events. They are stored for each
 * release in test/fixtures/releases.
 */

/** A statement as a server describes it. The names of its result columns follow from its text. */
export interface KeptStatement {
  readonly text: string;
  readonly takes: string;
  readonly answers: string;
}

export interface KeptJob {
  readonly id: string;
  readonly data: JobData;
}

export interface ReleaseInterface {
  readonly statements: Readonly<Record<string, KeptStatement>>;
  readonly jobs: readonly KeptJob[];
  readonly eventIds: readonly string[];
}

export const releaseFile = (version: string): string =>
  `test/fixtures/releases/${version}/interface.json`;

/** Loads every module that declares statements. This registers all statements. */
export async function loadStatements(root: string): Promise<void> {
  const files = await glob(['src/**/*.ts'], { cwd: root, absolute: true });
  for (const file of files) {
    if (readFileSync(file, 'utf8').includes('/statement.ts')) await import(file);
  }
}

const TYPES = `
  select coalesce(parameter_types::text, '') as takes, coalesce(result_types::text, '') as answers
  from pg_prepared_statements where name = 'kept'`;

/**
 * Makes the server prepare a statement, and returns its description. @throws Error with the server's message if this
 * fails
 */
export async function describe(client: Client, text: string): Promise<KeptStatement> {
  await client.query(`prepare kept as ${text}`);
  try {
    const { rows } = await client.query<Omit<KeptStatement, 'text'>>(TYPES);
    const { takes = '', answers = '' } = rows[0] ?? {};
    return { text, takes, answers };
  } finally {
    await client.query('deallocate kept');
  }
}
