import { UPDATES_STREAM, completionsStream } from '../../app/ports/streams.ts';
import type { Evidence } from './evidence.ts';
import { cursorOf } from './evidence.ts';
import type { Violation } from './violation.ts';

const REBUILD =
  'Keep a copy of the database for the analysis, then `tenure projection rebuild`; report this as a defect.';

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
      yield broken(`${stream} was moved from offset ${from}, but stood at ${before}`, {
        stream,
        offset: from,
      });
    }
    if (to < from) {
      yield broken(`${stream} was moved back from offset ${from} to ${to}`, { stream, offset: to });
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
      `the store holds update ${updateId} at offset ${offset}, beyond its cursor at ${cursor.offset}`,
      { offset, updateId, stream: UPDATES_STREAM },
    );
  }
  for (const { stream, oldest, offset } of evidence.cursors) {
    if (offset >= oldest) continue;
    yield broken(`${stream} stands at offset ${offset}, before its beginning at ${oldest}`, {
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
        `the participant told update ${updateId} at offset ${offset} after offset ${last}`,
        { offset, updateId },
        'Report this to whoever runs the participant: its stream went back.',
      );
    }
    last = offset;
    const row = rows.get(offset);
    rows.delete(offset);
    if (row === undefined) {
      yield broken(
        `the store has a gap: update ${updateId} at offset ${offset} is missing, although its cursor is past it`,
        { offset, updateId, stream: UPDATES_STREAM },
      );
    } else if (row.updateId !== updateId) {
      yield broken(
        `the store has update ${row.updateId} at offset ${offset}, where the ledger has ${updateId}`,
        { offset, updateId },
        'The store follows another ledger than the one that is configured: point it to the right one.',
      );
    }
  }
  for (const { offset, updateId } of rows.values()) {
    yield broken(
      `the store has update ${updateId} at offset ${offset}, where the ledger shows none`,
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
        `${participant} completed attempt ${attempt.n} of ${change.operation} ${change.commandId} at offset ${offset}; the cursor is past it, and the attempt has no answer`,
        {
          changeId: change.id,
          commandId: change.commandId,
          submissionId,
          offset,
          stream: completionsStream(participant),
        },
        'Report this as a defect. The operation goes on by itself: it is submitted again under the same command ID.',
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
