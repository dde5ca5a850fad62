import type { Term } from '../app/engine/lanes/leased.ts';
import { LeaseLostError } from '../app/engine/lanes/leased.ts';
import type { Books } from '../app/ports/books.ts';
import type { Io, Log } from '../app/ports/io.ts';
import { sleep } from '../app/ports/wakeup.ts';
import type { Party } from '../domain/ids.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Duty } from './scheduler.ts';
import { OPS_LIMITS } from './limits.ts';

export interface BooksDeps {
  readonly books: Books;
  /** The provider whose licences are covered by the reminders. */
  readonly provider: Party;
  /** How many days before the end of a licence its reminders are due. */
  readonly reminderDays: readonly number[];
  readonly log: Log;
}

/** Calls `part` until no work is left, with a pause after each call for other work. @throws LeaseLostError */
async function inParts(term: Term, part: (io: Io) => Promise<boolean | null>): Promise<void> {
  for (;;) {
    const hasMore = await part({ signal: term.signal, deadlineMs: LIMITS.databaseStatementMs });
    if (hasMore === null) throw new LeaseLostError();
    if (!hasMore || term.signal.aborted) return;
    await sleep(OPS_LIMITS.booksPauseMs, term.signal);
  }
}

/** Brings the books (payments, receipts, roll-ups) up to date; one statement without work. @throws LeaseLostError */
export async function lookAtBooks(deps: BooksDeps, term: Term): Promise<void> {
  const { books, provider, reminderDays, log } = deps;
  const io: Io = { signal: term.signal, deadlineMs: LIMITS.databaseStatementMs };
  const { hasUpdates, hasReminders } = await books.news(reminderDays, provider, io);
  if (hasUpdates) await inParts(term, (each) => books.read(term.epoch, each));
  // The rows that were just read may have made reminders due.
  if (!hasUpdates && !hasReminders) return;
  await inParts(term, async (each) => {
    const done = await books.remind(reminderDays, provider, term.epoch, each);
    if (done !== null && done.told > 0) log.info({ told: done.told }, 'recorded reminders');
    return done === null ? null : done.hasMore;
  });
}

/** Returns the duty that records payments, receipts and roll-ups from the projection, and announces due reminders. */
export const keepBooks = (deps: BooksDeps): Duty => ({
  name: 'books',
  async run(term) {
    while (!term.signal.aborted) {
      await lookAtBooks(deps, term);
      await sleep(OPS_LIMITS.booksLookMs, term.signal);
    }
  },
});
