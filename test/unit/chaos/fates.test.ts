import { expect, test } from 'vitest';
import type { LicenseEvidence } from '../../../chaos/fates.ts';
import { EXPIRY_NOTE, Fates } from '../../../chaos/fates.ts';

/* Violations of an expiry policy that a chaos run must detect. */

const policy = { name: 'expiry', version: 2, reason: 'it has lapsed' };
const end = { note: EXPIRY_NOTE, late_ms: 1_500 };
const ended: LicenseEvidence = {
  lifecycle: 'license-1',
  state: 'expired',
  kept: false,
  contracts: ['00old', '00new'],
  ends: [end],
  asked: [{ commandId: 'tenure:expire:license-1', policy }],
  told: 1,
  explained: 1,
};
const there: LicenseEvidence = {
  ...ended,
  state: 'active',
  ends: [],
  asked: [],
  told: 0,
  explained: 0,
};
const byHand = {
  ...ended,
  ends: [{ note: null, late_ms: 5 }],
  asked: [{ commandId: 'c', policy: null }],
  explained: 0,
};

function judged(fate: 'stays' | 'lapses' | 'ended' | null, found: LicenseEvidence): string[] {
  const fates = new Fates();
  if (fate !== null) fates.set('00old', fate);
  return fates.judge([found], 2).map(({ evidence }) => evidence);
}

test('what became of each is what had to', () => {
  expect(judged('lapses', ended)).toEqual([]);
  expect(judged('stays', there)).toEqual([]);
  expect(judged('ended', byHand)).toEqual([]);
  expect(judged(null, there)).toEqual([]);
  expect(judged('lapses', { ...there, kept: true })).toEqual([]);
});

test.each([
  ['is still there', there],
  ['was ended twice', { ...ended, ends: [end, end] }],
  ['was told of twice', { ...ended, told: 2 }],
  ['says nothing on the ledger', { ...ended, ends: [{ ...end, note: null }] }],
  ['was ended within its grace', { ...ended, ends: [{ ...end, late_ms: 999 }] }],
  ['was ended by somebody', { ...ended, asked: byHand.asked }],
  ['was asked for twice', { ...ended, asked: [...ended.asked, ...ended.asked] }],
  [
    'names a version that was never set',
    { ...ended, asked: [{ commandId: 'c', policy: { ...policy, version: 3 } }] },
  ],
  ['has no reason', { ...ended, asked: [{ commandId: 'c', policy: { ...policy, reason: '' } }] }],
  ['has no line in its history', { ...ended, explained: 0 }],
])('a licence that has lapsed and %s', (_what, found) => {
  expect(judged('lapses', found)).toHaveLength(1);
});

test.each([
  ['the policy ends what is to stay', 'stays', ended],
  ['nobody ends what is to stay', 'stays', { ...ended, asked: [] }],
  ['the policy ends what nobody knows of', null, ended],
  ['the policy ends what its provider ended', 'ended', ended],
  ['what its provider ended is there', 'ended', there],
] as const)('%s', (_what, fate, found) => {
  expect(judged(fate, found).length).toBeGreaterThan(0);
});

test('a licence that the store has lost', () => {
  const fates = new Fates();
  fates.set('00gone', 'stays');
  expect(fates.judge([there], 2)).toHaveLength(1);
});
