import { expect, test } from 'vitest';
import type { AnnotatedLedgerUser, OtherCell, OwnCell } from '../../../src/domain/cell.ts';
import {
  belongingOf,
  cellOfSubmission,
  newCellId,
  submissionIdOf,
} from '../../../src/domain/cell.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { SubmissionId } from '../../../src/domain/ids.ts';
import { judgeCells } from '../../../src/doctor/judge-cells.ts';

const UUID = '0b7f3d1e-6f52-4f0c-9a70-0c9a5f0f2d11';
const [OLDER, OURS, YOUNGER] = [1_000, 2_000, 3_000].map((ms) => newCellId(ms, 'beef'));

const own = (claimedAt: string | null = null): OwnCell => ({ id: OURS!, claimedAt });
const user = (annotation: string | null): AnnotatedLedgerUser => ({
  participant: 'app-provider',
  ledgerUser: 'backend',
  annotation,
});
const seen = (cell: string, over: Partial<OtherCell> = {}): OtherCell => ({
  participant: 'app-provider',
  ledgerUser: 'backend',
  cell,
  commandId: 'c-1',
  recordedAt: '2026-11-25T12:00:00.000Z',
  ...over,
});

test('a submission names its cell, and nothing else passes for one', () => {
  expect(cellOfSubmission(submissionIdOf({ id: OURS! }, UUID))).toBe(OURS);
  for (const other of [
    UUID,
    `tenure:${UUID}`,
    `${OURS}:`,
    `x${OURS}:${UUID}`,
    `${OURS}:${UUID}x`,
  ]) {
    expect(cellOfSubmission(trusted<SubmissionId>(other)), other).toBeNull();
  }
});

test('of two cells the smaller name is that of the older one', () => {
  const year = (n: number): string => newCellId(Date.UTC(n, 0, 1), n === 2026 ? 'ffff' : '0000');
  expect(year(2026)).toMatch(/^[0-9a-f]{12}ffff$/u);
  // The order is also right for times whose numbers have different lengths.
  for (const [older, younger] of [[1971, 2026] as const, [2026, 2027] as const]) {
    expect(year(older) < year(younger)).toBe(true);
  }
});

test('an annotation decides whose a ledger user is', () => {
  expect(belongingOf(own(), user(null), [])).toEqual({ kind: 'unannotated' });
  expect(belongingOf(own(), user(OURS!), [])).toEqual({ kind: 'ours' });
  expect(belongingOf(own(), user(YOUNGER!), [])).toEqual({ kind: 'annotated', cell: YOUNGER });
  expect(belongingOf(own(), user(OURS!), [seen(OLDER!)])).toMatchObject({ isOlder: false });
});

test('of two that submit as a user without one, the younger gives way', () => {
  expect(belongingOf(own(), user(null), [seen(YOUNGER!), seen(OLDER!)])).toMatchObject({
    kind: 'seen',
    other: { cell: OLDER },
    isOlder: true,
  });
  expect(belongingOf(own(), user(null), [seen(YOUNGER!)])).toMatchObject({ isOlder: false });
  expect(belongingOf(own(), user(null), [seen(OURS!)])).toEqual({ kind: 'unannotated' });
});

test('another user, another participant and what was before a claim say nothing', () => {
  const elsewhere = [
    seen(OLDER!, { participant: 'app-user' }),
    seen(OLDER!, { ledgerUser: 'other' }),
  ];
  expect(belongingOf(own(), user(null), elsewhere)).toEqual({ kind: 'unannotated' });
  const [before, after] = ['2026-11-25T11:59:59.999Z', '2026-11-25T12:00:00.001Z'];
  expect(belongingOf(own(after), user(null), [seen(OLDER!)])).toEqual({ kind: 'unannotated' });
  expect(belongingOf(own(before), user(null), [seen(OLDER!)])).toMatchObject({ isOlder: true });
});

test('the doctor names the other cell, and says what to do', () => {
  expect(judgeCells(own(), [user(OURS!), user(null)], [])).toMatchObject([
    { level: 'well' },
    // An administrator who has to write the annotation finds the cell's name in this sentence.
    { level: 'well', what: expect.stringMatching(`no cell annotation.*${OURS}`) },
  ]);
  const [annotated] = judgeCells(own(), [user(OLDER!)], []);
  const [met] = judgeCells(own(), [user(OURS!)], [seen(YOUNGER!)]);
  for (const [finding, other] of [
    [annotated, OLDER],
    [met, YOUNGER],
  ] as const) {
    expect(finding).toMatchObject({ area: 'ledger', level: 'wrong' });
    expect(finding?.what).toContain(other);
    expect(finding?.todo).toContain('tenure cell claim');
  }
});
