import { UPDATES_STREAM, completionsStream } from '../../app/ports/streams.ts';
import type { Evidence } from './evidence.ts';
import { cursorOf } from './evidence.ts';
import type { Violation } from './violation.ts';

const REBUILD =
  'Keep a copy of the database for analysis, then run `tenure projection rebuild`, and report a defect of Tenure.';

const broken = (what: string, subjects: Violation['subjects'], todo = REBUILD): Violation => ({
  invariant: 'I7',
  what,
  subjects,
  todo,
});

/** Checks that each observed move of a cursor begins where the previous one ended. */
function* brokenMoves({ observed }: Evidence): Generator<Violation> {
  const last = new Map<string, bigint>();
  for (const { stream, from, to } of observed?.moves ?? []) {
    const before = last.get(stream);
    if (before !== undefined && before !== from) {
      yield broken(`stream ${stream} was moved from offset ${from}, but its offset was ${before}`, {
        stream,
        offset: from,
      });
    }
    if (to < from) {
      yield broken(`stream ${stream} was moved back from offset ${from} to ${to}`, {
        stream,
        offset: to,
      });
    }
    last.set(stream, to);
  }
}

/** Finds updates that cannot belong to the applied history: two at one offset, or updates outside the applied range. */
function* rowsOutOfPlace(evidence: Evidence): Generator<Violation> {
  const cursor = cursorOf(evidence, UPDATES_STREAM);
  const seen = new Map<bigint, string>();
  for (const { offset, updateId } of evidence.updates) {
    const other = seen.get(offset);
    if (other !== undefined && other !== updateId) {
      yield broken(`updates ${other} and ${updateId} are both at offset ${offset}`, { offset });
    }
    seen.set(offset, updateId);
    if (cursor === undefined || offset <= cursor.offset) continue;
    yield broken(
      `the query store has update ${updateId} at offset ${offset}, beyond its cursor at ${cursor.offset}`,
      { offset, updateId, stream: UPDATES_STREAM },
    );
  }
  for (const { stream, oldest, offset } of evidence.cursors) {
    if (offset >= oldest) continue;
    yield broken(`stream ${stream} is at offset ${offset}, before its first offset ${oldest}`, {
      stream,
      offset,
    });
  }
}

/** Compares the updates in the store with those on the ledger, within the range that was read. */
function* gaps(evidence: Evidence): Generator<Violation> {
  const { ledger } = evidence;
  if (ledger === null) return;
  const rows = new Map(
    evidence.updates
      .filter(({ offset }) => offset > ledger.after && offset <= ledger.upTo)
      .map((row) => [row.offset, row]),
  );
  let last = ledger.after;
  for (const { offset, updateId } of ledger.transactions) {
    if (offset <= last) {
      yield broken(
        `the participant sent update ${updateId} at offset ${offset} after offset ${last}`,
        { offset, updateId },
        'Report a defect of the participant to its operator: its stream sent offsets out of order.',
      );
    }
    last = offset;
    const row = rows.get(offset);
    rows.delete(offset);
    if (row === undefined) {
      yield broken(
        `the query store has no row of update ${updateId} at offset ${offset}, although its cursor is beyond this offset`,
        { offset, updateId, stream: UPDATES_STREAM },
      );
    } else if (row.updateId !== updateId) {
      yield broken(
        `the query store has update ${row.updateId} at offset ${offset}, but the ledger has update ${updateId} at this offset`,
        { offset, updateId },
        'The query store contains another ledger than the configured participant. Correct the address of the participant.',
      );
    }
  }
  for (const { offset, updateId } of rows.values()) {
    yield broken(
      `the query store has update ${updateId} at offset ${offset}, but the ledger has no update at this offset`,
      { offset, updateId },
    );
  }
}

/** Checks that every completion up to the cursor is recorded with its attempt. */
function* missedCompletions(evidence: Evidence): Generator<Violation> {
  const attempts = new Map(
    evidence.changes.flatMap(({ change, attempts: all }) =>
      all.map((attempt) => [attempt.submissionId, { change, attempt }] as const),
    ),
  );
  for (const { participant, elements, isReliable } of evidence.ledger?.completions ?? []) {
    if (!isReliable) continue;
    for (const { submissionId, offset } of elements) {
      const ours = attempts.get(submissionId);
      if (ours === undefined || ours.attempt.answer !== null) continue;
      const { change, attempt } = ours;
      yield broken(
        `${participant} completed attempt ${attempt.n} of ${change.operation} ${change.commandId} at offset ${offset}; the cursor is beyond this offset, but the attempt has no answer`,
        {
          changeId: change.id,
          commandId: change.commandId,
          submissionId,
          offset,
          stream: completionsStream(participant),
        },
        'Report a defect of Tenure. Tenure submits the operation again automatically, with the same command ID.',
      );
    }
  }
}

/** Finds violations of I7: offsets that do not increase, and gaps. */
export const brokenOffsets = (evidence: Evidence): Violation[] => [
  ...brokenMoves(evidence),
  ...rowsOutOfPlace(evidence),
  ...gaps(evidence),
  ...missedCompletions(evidence),
];
