import type { Pool } from 'pg';
import type { ClockCheck } from '../app/ports/clocks.ts';
import type { Io } from '../app/ports/io.ts';
import { worstOf } from '../domain/participant-health.ts';
import type { ReadinessCheck } from '../http/kit/deps.ts';
import { createPostgresStore } from '../store/engine/postgres-store.ts';
import { clockReadiness } from './clock-check.ts';
import { databaseCheck } from './database-check.ts';
import type { LedgerSide } from './ledger-side.ts';

const ledgerCheck = (ledger: LedgerSide): ReadinessCheck => ({
  name: 'ledger',
  check: async (io: Io) => {
    await ledger.gateway.ledgerEnd(ledger.streams.projected, io);
  },
});

/**
 * Fails if the process that follows the ledgers has marked the ledger of the provider's participant as foreign, because
 * no request can be answered without that participant.
 */
const historyCheck = (pool: Pool, { streams }: LedgerSide): ReadinessCheck => {
  const { reads } = createPostgresStore(pool);
  return {
    name: 'history',
    check: async (io: Io) => {
      const worst = worstOf(await reads.participantCauses(io), streams.projected);
      if (worst?.kind === 'foreign') throw new Error(worst.detail);
    },
  };
};

/** Returns the checks of every process; each role adds its own. */
export const checksOf = (pool: Pool, ledger: LedgerSide, clocks: ClockCheck): ReadinessCheck[] => [
  databaseCheck(pool),
  ledgerCheck(ledger),
  historyCheck(pool, ledger),
  clockReadiness(clocks),
];
