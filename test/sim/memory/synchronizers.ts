import type { Tx } from '../../../src/app/ports/transaction.ts';
import { completionsStream } from '../../../src/app/ports/streams.ts';
import type { Session } from './connection.ts';

/** Writes what is known about a participant's synchronizers and their clocks: see `src/store/engine/proofs.ts`. */
export function createSynchronizersTx(
  session: Session,
): Pick<Tx, 'giveUpSynchronizer' | 'setClocksApart' | 'clocksApart'> {
  return {
    async giveUpSynchronizer(participant, synchronizer, toldAt) {
      session.send('tx.giveUpSynchronizer', async (tx) => {
        await tx.update(tx.tables.cursors, completionsStream(participant), (before) => ({
          ...before,
          givenUp: new Map([...before.givenUp, [synchronizer, toldAt]]),
        }));
      });
    },
    async setClocksApart(participant, clocksApart) {
      session.send('tx.setClocksApart', async (tx) => {
        await tx.update(tx.tables.cursors, completionsStream(participant), (before) => ({
          ...before,
          clocksApart,
        }));
      });
    },
    clocksApart: (participant) =>
      session.run(
        'tx.clocksApart',
        (tx) => tx.tables.cursors.get(tx, completionsStream(participant))?.clocksApart ?? new Map(),
      ),
  };
}
