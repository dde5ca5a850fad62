import { MAIN_LIMITS } from '../../src/main/limits.ts';
import type { Io } from '../../src/app/ports/io.ts';
import { erasePerson, exportPerson } from '../../src/store/callers/privacy.ts';
import { closePool, openPool } from '../../src/store/sql/pool.ts';
import { databaseAddress } from '../database-address.ts';

/** The part that no command can erase. */
const LEDGER_KEEPS =
  'The ledger keeps parties, contracts, comments and free text that were submitted to it: Tenure cannot erase them there.';

async function withPool<T>(
  use: (pool: Awaited<ReturnType<typeof openPool>>, io: Io) => Promise<T>,
) {
  const { signal } = new AbortController();
  const url = await databaseAddress();
  const applicationName = 'tenure-privacy';
  const pool = await openPool({ url, max: 1, applicationName, pipelined: true, signal });
  try {
    return await use(pool, { signal, deadlineMs: MAIN_LIMITS.secretsMs });
  } finally {
    await closePool(pool, MAIN_LIMITS.closeMs);
  }
}

/** Prints the off-ledger data of a person as JSON. */
export async function exportData(subject: string): Promise<void> {
  const found = await withPool((pool, io) => exportPerson(pool, subject, io));
  console.log(JSON.stringify({ subject, ...found, ledger: LEDGER_KEEPS }, null, 2));
}

/** Erases a person: without `--yes`, only says what there is. */
export async function erase(subject: string, { yes = false }: { yes?: boolean }): Promise<void> {
  if (!yes) {
    const { people, sessions } = await withPool((pool, io) => exportPerson(pool, subject, io));
    console.log(
      `Erases ${people.length} pseudonyms and ${sessions.length} sessions; --yes does it.`,
    );
    console.log(LEDGER_KEEPS);
    return;
  }
  const erased = await withPool((pool, io) => erasePerson(pool, subject, io));
  console.log(`Erased ${erased.pseudonyms} pseudonyms and ended ${erased.sessions} sessions.`);
  console.log(
    `Rows of the audit log keep their pseudonyms and free text. ${erased.operations} operations name the person until retention deletes them.`,
  );
  console.log(LEDGER_KEEPS);
}
