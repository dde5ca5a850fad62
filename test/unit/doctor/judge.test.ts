import { describe, expect, test } from 'vitest';
import { completionsStream } from '../../../src/app/ports/streams.ts';
import type { Standstill } from '../../../src/domain/participant-health.ts';
import type { ParticipantName, Party } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { Finding } from '../../../src/doctor/findings.ts';
import { judgeClocks, judgeProcessClocks, judgeRoles } from '../../../src/doctor/judge-clocks.ts';
import type { ParticipantState, ServerState } from '../../../src/doctor/judge.ts';
import {
  judgeHosting,
  judgeLeases,
  judgeLedgers,
  judgeOutbox,
  judgeParticipant,
  judgeQueue,
  judgeServer,
  judgeStreams,
  judgeTypes,
} from '../../../src/doctor/judge.ts';
import { judgeStandstills } from '../../../src/doctor/judge-standstills.ts';

/* Faults that the doctor must find, with its advice for each. Each case is compared with one without the fault. */

const OUR_MS = Date.parse('2030-01-31T12:00:00Z');
const at = (aheadMs: number): string => new Date(OUR_MS + aheadMs).toISOString();
const PROVIDER = trusted<Party>('provider::1220');
const NAME = trusted<ParticipantName>('app-provider');

const standstill = (kind: Standstill['kind'], agoMs: number) =>
  judgeStandstills(
    [{ participant: NAME, kind, since: at(-agoMs), detail: 'it said so', stream: null }],
    OUR_MS,
  );

const server = (over: Partial<ServerState> = {}): ServerState => ({
  version: '18.4',
  at: at(0),
  ourAtMs: OUR_MS,
  isReplica: false,
  refusal: null,
  isDurable: true,
  notifyUsage: 0,
  standbys: { wanted: '', following: 0, waiting: 0, waitedMs: 0 },
  schema: { kind: 'current', number: 20 },
  ...over,
});
const participant = (
  actAs: readonly Party[],
  ledgerEnd = 100n,
  synchronizers: ReadonlyMap<Party, number> | null = new Map(actAs.map((party) => [party, 1])),
): ParticipantState => ({
  name: NAME,
  where: 'localhost:3901',
  answer: { version: '3.4', ledgerUser: 'tenure', actAs, ledgerEnd, synchronizers },
  why: '',
});
const away: ParticipantState = {
  name: NAME,
  where: 'localhost:3901',
  answer: null,
  why: 'refused',
};
const streams = (offset: bigint) =>
  ['updates', completionsStream(NAME)].map((stream) => ({ stream, offset }));
const clocks = (databaseMs: number, ledgerMs: number) =>
  judgeClocks(server({ at: at(databaseMs) }), { at: at(ledgerMs), ourAtMs: OUR_MS }, false);

const processClocks = (aheadMs: number, ledgerApartMs: number | null) =>
  judgeProcessClocks(
    [
      {
        process: 'host:17:8f14e45f-ceea',
        roles: 'api,worker',
        difference: { aheadMs, uncertainMs: 50 },
        ledgerApartMs,
      },
    ],
    10_000,
  );
const lease = (name: string) =>
  judgeLeases([
    { name, holder: 'host', expiresAt: at(0), isHeld: false },
    { name: 'projector', holder: 'host', expiresAt: at(0), isHeld: name !== 'projector' },
  ]);

const levels = (findings: readonly Finding[]) => findings.map(({ level }) => level);

test.each([
  ['a server', judgeServer(server())],
  ['rights', judgeParticipant(participant([PROVIDER]))],
  ['hosting', judgeHosting(PROVIDER, participant([PROVIDER]))],
  ['packages', judgeTypes(['#a:B:C', '#a:B:D'], ['#a:B:C'])],
  ['clocks', clocks(900, -2_000)],
  ['a ledger whose time is set', judgeClocks(server(), { at: at(9e9), ourAtMs: OUR_MS }, true)],
  ['ledgers', judgeLedgers([])],
  ['streams', judgeStreams([participant([PROVIDER])], NAME, streams(100n))],
  ['participants that tell', judgeStandstills([], OUR_MS)],
  ['one that catches up', standstill('behind', 60_000)],
  ['a ledger on which nothing happens', standstill('quiet', 3_600_000)],
  ['clocks of processes', processClocks(-900, 0)],
  ['a queue', judgeQueue({ kind: 'counts', waiting: 12, active: 3, anew: null })],
  ['an outbox', judgeOutbox({ open: 9, due: 4, oldestDueMs: 2_000 })],
] as const)('%s: well', (_name, findings) => {
  expect(new Set(levels(findings))).toEqual(new Set(['well']));
});

test.each<[string, readonly Finding[], RegExp, RegExp]>([
  [
    'tables of an older version',
    judgeServer(server({ schema: { kind: 'behind', number: 19, newest: 20 } })),
    /migration 19 of 20/u,
    /Start this version/u,
  ],
  [
    'tables of a newer version',
    judgeServer(server({ schema: { kind: 'ahead', number: 21, newest: 20 } })),
    /migration 21, but this version of Tenure only knows migrations up to 20/u,
    /Use the version/u,
  ],
  [
    'a migration that was changed',
    judgeServer(server({ schema: { kind: 'changed', fileName: '0007_x.sql' } })),
    /^migration file 0007_x\.sql differs/u,
    /Restore the original file/u,
  ],
  ['a replica', judgeServer(server({ isReplica: true })), /replica/u, /primary/u],
  [
    'a full disk',
    judgeServer(server({ refusal: { words: 'the disk is full', todo: 'Free space.' } })),
    /disk is full/u,
    /Free space/u,
  ],
  ['lazy commits', judgeServer(server({ isDurable: false })), /synchronous_commit/u, /Set /u],
  [
    'no ledger',
    judgeParticipant(away),
    /localhost:3901 cannot be queried: refused/u,
    /Check that/u,
  ],
  ['no rights', judgeParticipant(participant([])), /cannot act as any party/u, /Grant CanActAs/u],
  [
    'a participant that is cut off',
    judgeParticipant(participant([PROVIDER], 100n, new Map([[PROVIDER, 0]]))),
    /app-provider is not connected to any synchronizer for provider::1220/u,
    /reconnect the participant/u,
  ],
  [
    'rights for somebody else',
    judgeHosting(PROVIDER, participant([trusted<Party>('other::1220')])),
    /cannot act as the provider provider::1220/u,
    /Grant CanActAs for the provider party .*correct APP_PROVIDER_PARTY/u,
  ],
  [
    'no provider',
    judgeHosting(null, participant([PROVIDER, trusted<Party>('other::1220')])),
    /APP_PROVIDER_PARTY is not set/u,
    /Set APP_PROVIDER_PARTY/u,
  ],
  [
    'a package that is not there',
    judgeTypes(['#a:B:C'], ['#a:B:C', '#a:B:D']),
    /does not know #a:B:D$/u,
    /Upload and vet the DAR/u,
  ],
  [
    'a database ahead',
    clocks(1_100, 0),
    /database's clock is 1\.1 s ahead of this machine's clock/u,
    /NTP/u,
  ],
  [
    'a database behind',
    clocks(-1_100, 0),
    /database's clock is 1\.1 s behind this machine's clock/u,
    /NTP/u,
  ],
  ['a ledger ahead', clocks(0, 3_600_000), /ledger's clock is 3600\.0 s ahead/u, /NTP/u],
  [
    'a process whose clock is not kept',
    processClocks(1_100, 0),
    /^the clock of process host:17 \(api,worker\) is 1\.1 s ahead of the database's clock$/u,
    /NTP/u,
  ],
  [
    'a process whose clock is wrong',
    processClocks(-3_600_000, 0),
    /host:17 .* 3600\.0 s behind the database's clock; the process refuses requests/u,
    /accepts these requests again automatically/u,
  ],
  [
    'a network whose clocks are wrong',
    processClocks(0, 30_000),
    /host:17 .* a ledger clock that is at least 30\.0 s ahead of .* as a proof/u,
    /operators of the participants/u,
  ],
  ['nobody who numbers events', lease('events'), /lease events/u, /with the role clock\./u],
  ['nobody who looks at the time', lease('clock'), /lease clock/u, /with the role clock\./u],
  ['nobody who follows', lease('projector'), /lease projector/u, /with the role projector\./u],
  [
    'a store behind',
    judgeStreams([participant([PROVIDER])], NAME, streams(99n)),
    /^stream updates has processed offset 99, but the ledger end of participant app-provider is 100$/u,
    /role projector/u,
  ],
  [
    'a participant behind',
    standstill('behind', 600_000),
    /^participant app-provider has been stalled \(behind\) since 2030-01-31T11:50:00.000Z: it said so$/u,
    /continue automatically when the participant has caught up/u,
  ],
  [
    'a synchronizer that was left',
    standstill('gone', 1),
    /^participant app-provider has been stalled \(gone\) since/u,
    /whether the participant will be connected .*"Behind, quiet and gone"/u,
  ],
  [
    'a ledger that is another',
    judgeLedgers([
      {
        kind: 'foreign',
        stream: 'updates',
        participant: NAME,
        detail: 'it ends at 3',
        since: at(0),
      },
    ]),
    /^Tenure has sent no commands to participant app-provider since .*: it ends at 3$/u,
    /Reconnect the participant/u,
  ],
  [
    'a stream that nobody follows',
    judgeStreams([participant([PROVIDER])], NAME, []),
    /^no projector follows stream updates$/u,
    /role projector/u,
  ],
  [
    'no queue',
    judgeQueue({ kind: 'empty' }),
    /^the queue has no tables in the database$/u,
    /role worker/u,
  ],
  [
    'a queue that is damaged',
    judgeQueue({ kind: 'damaged', why: 'its key wait was a hash and no list' }),
    /is unusable: its key wait/u,
    /recreates the tables within seconds/u,
  ],
  [
    'a queue that is away',
    judgeQueue({ kind: 'unreachable', where: 'redis:6379', why: 'refused' }),
    /redis:6379 is unusable: refused/u,
    /REDIS_URL/u,
  ],
  [
    'a queue that takes no write',
    judgeQueue({ kind: 'unwritable', where: 'redis:6379', why: 'its memory is full' }),
    /redis:6379 accepts no jobs: its memory is full/u,
    /Give Redis more memory/u,
  ],
  [
    'effects that nobody takes',
    judgeOutbox({ open: 9, due: 4, oldestDueMs: 31_000 }),
    /^4 effects are due but not dispatched; the oldest has been due for 31 s$/u,
    /role worker/u,
  ],
])('%s: told, with what to do', (_name, findings, what, todo) => {
  const wrong = findings.filter(({ level }) => level === 'wrong');
  expect(wrong[0]?.what).toMatch(what);
  expect(wrong[0]?.todo).toMatch(todo);
});

describe('what could not be looked at is not called well', () => {
  test.each([
    ['clocks', judgeClocks(null, null, false)],
    ['clocks of processes', judgeProcessClocks([], 10_000)],
    [
      'a clock that was not compared yet',
      judgeProcessClocks(
        [{ process: 'host:1:x', roles: 'api', difference: null, ledgerApartMs: null }],
        10_000,
      ),
    ],
    ['hosting', judgeHosting(PROVIDER, away)],
    ['streams', judgeStreams([away], NAME, streams(100n))],
  ] as const)('%s', (_name, findings) => {
    expect(new Set(levels(findings))).toEqual(new Set(['unseen']));
  });
});

test('a participant that does not report its connected synchronizers is not called wrong', () => {
  const findings = judgeParticipant(participant([PROVIDER], 100n, null));
  expect(levels(findings)).toEqual(['well', 'well', 'unseen']);
});

test('an age of what the ledger told of last is not told as a difference of clocks', () => {
  const whatAt = (ledgerMs: number) => clocks(0, ledgerMs)[1];
  expect(whatAt(-40_000)).toMatchObject({
    level: 'well',
    what: "the newest record time of the ledger is 40.0 s old and not ahead of this machine's clock",
  });
  expect(whatAt(500)).toMatchObject({
    level: 'well',
    what: "the ledger's clock is 0.5 s ahead of this machine's clock",
  });
});

test('a ledger on which nothing happens is quiet, and no cause for alarm', () => {
  const findings = clocks(0, -61_000);
  expect(levels(findings)).toEqual(['well', 'well']);
  expect(findings[1]?.what).toContain('the ledger is idle');
  expect(findings[1]?.what).toContain('61.0 s old');
});

test('a deployment without a process that accepts or submits operations is reported', () => {
  const missing = (...roles: readonly string[]) =>
    judgeRoles(roles.map((of) => ({ roles: of }))).map(({ what }) => what);
  expect(missing('api,projector', 'worker')).toEqual([]);
  expect(missing('projector,clock', 'worker')).toEqual([
    'no process with the role api has reported within the last minute',
  ]);
  expect(missing('api')).toEqual([expect.stringContaining('the role worker')]);
  expect(missing()).toHaveLength(2);
});
