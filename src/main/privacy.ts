import type { Pool } from 'pg';
import type { Io } from '../app/ports/io.ts';
import type { Erasure, Person, PersonalData } from '../store/desk/privacy.ts';
import { erasePerson, exportPerson } from '../store/desk/privacy.ts';
import { closePool, openPool } from '../store/sql/pool.ts';
import { MAIN_LIMITS } from './limits.ts';

/** A person, named by the subject in the person's tokens, and the database that stores the person's data. */
export interface PersonInDatabase extends Person {
  readonly databaseUrl: string;
}

async function onDatabase<T>(
  { databaseUrl: url, ...person }: PersonInDatabase,
  use: (pool: Pool, person: Person, io: Io) => Promise<T>,
): Promise<T> {
  const { signal } = new AbortController();
  const applicationName = 'tenure-privacy';
  const options = { applicationName, pinsSchema: true, pipelined: true, signal };
  const pool = await openPool({ url, max: 1, ...options });
  try {
    return await use(pool, person, { signal, deadlineMs: MAIN_LIMITS.secretsMs });
  } finally {
    await closePool(pool, MAIN_LIMITS.closeMs);
  }
}

export const readPersonalData = (
  person: PersonInDatabase,
): Promise<PersonalData & { readonly party: string }> => onDatabase(person, exportPerson);

export const erasePersonalData = (person: PersonInDatabase): Promise<Erasure> =>
  onDatabase(person, erasePerson);
