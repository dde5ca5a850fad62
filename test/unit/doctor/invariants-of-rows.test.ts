import { describe, expect, test } from 'vitest';
import type { Change } from '../../../src/domain/change.ts';
import type { ContractId, LifecycleId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { violationsIn } from '../../../src/doctor/invariants/check.ts';
import type { Evidence } from '../../../src/doctor/invariants/evidence.ts';
import type { LedgerEvent } from '../../../src/domain/ledger.ts';
import { wrongLifecycles } from '../../../src/doctor/invariants/replay.ts';
import {
  CONTRACTS,
  complete,
  create,
  expire,
  inFlight,
  instant,
  ledgerOf,
  renew,
  sound,
  told,
  waiting,
  withChange,
} from '../../kit/evidence.ts';

describe('I6', () => {
  const contract = (id: string, over: object): Evidence => ({
    ...sound,
    contracts: sound.contracts.map((row) => (row.contractId === id ? { ...row, ...over } : row)),
  });

  test('a choice that consumes after its body ends its contract all the same', () => {
    // Returns the events as Daml shows such a choice: as nonconsuming, with an archival inside it.
    const shown = (events: readonly LedgerEvent[]): LedgerEvent[] =>
      events.flatMap((event): LedgerEvent[] =>
        event.kind === 'exercised' && event.contractId === CONTRACTS.renewal
          ? [
              { ...event, consuming: false, lastDescendantNodeId: 3 },
              { ...event, choice: 'Archive', nodeId: 3, lastDescendantNodeId: 3 },
            ]
          : [event],
      );
    const told = ledgerOf(({ transactions }) => ({
      transactions: transactions.map((found) => ({ ...found, events: shown(found.events) })),
    }));
    expect(wrongLifecycles(told)).toEqual([]);
  });

  test('a choice that is not known ends its lifecycle as gone', () => {
    const later = ledgerOf(({ transactions }) => ({
      transactions: transactions.map((found) => ({
        ...found,
        events: found.events.map((event) =>
          event.kind === 'exercised' && event.contractId === CONTRACTS.license2
            ? { ...event, choice: 'License_Later' }
            : event,
        ),
      })),
    }));
    const stored = (state: string, endedAt = later.lifecycles[1]!.lifecycle.endedAt) => ({
      ...later,
      lifecycles: later.lifecycles.map((entry, index) =>
        index === 1 ? { ...entry, lifecycle: { ...entry.lifecycle, state, endedAt } } : entry,
      ),
    });
    const found = (of: Evidence) => wrongLifecycles(of).map(({ what }) => what);
    expect(found(stored('gone'))).toEqual([]);
    // Version 0.2.0 wrote this state: see docs/decisions/lifecycles.md.
    expect(found(stored('expired'))).toEqual([]);
    expect(found(stored('expired', null))).toContainEqual(
      expect.stringMatching(
        /^lifecycle license-a+ ended as gone at .* by License_Later on 00b+ at offset 16/u,
      ),
    );
  });

  test.each([
    [
      'a payload that was changed',
      contract(CONTRACTS.renewal, { payload: { other: 'payload' } }),
      /LicenseRenewalRequest 00c+ differs from the contract that the ledger created at offset 12, in payload$/u,
    ],
    [
      'a contract that is active although it was archived',
      contract(CONTRACTS.license1, { archived: null }),
      /License 00a+ was archived by Archive at offset 14, but is active in the query store$/u,
    ],
    [
      'a contract that is archived although it is active',
      contract(CONTRACTS.install2, { archived: { offset: 16n, nodeId: 0, at: instant(16) } }),
      /AppInstall 002+ archived at offset 16, but the ledger archived no such contract at this offset$/u,
    ],
    [
      'a contract that the store lacks',
      {
        ...sound,
        contracts: sound.contracts.filter((row) => row.contractId !== CONTRACTS.install2),
      },
      /^the ledger created .*AppInstall 002+ at offset 10, but the query store has no row for this contract$/u,
    ],
    [
      'a contract that the ledger does not know',
      {
        ...sound,
        contracts: [
          ...sound.contracts,
          { ...sound.contracts[1]!, contractId: trusted<ContractId>('00ff') },
        ],
      },
      /License 00ff since offset 10, but the ledger created no such contract at this offset$/u,
    ],
    [
      'an exercise with another result',
      { ...sound, exercises: sound.exercises.map((row) => ({ ...row, result: null })) },
      /^the row of License_Expire on 00b+ at offset 16 differs from the ledger in result$/u,
    ],
    [
      'an exercise that the store lacks',
      { ...sound, exercises: [] },
      /^the query store has no row for License_Renew on 00a+ at offset 12$/u,
    ],
    [
      'a lifecycle that has ended on the ledger alone',
      {
        ...sound,
        lifecycles: sound.lifecycles.map((entry) => ({
          ...entry,
          lifecycle: { ...entry.lifecycle, endedAt: null },
        })),
      },
      /^lifecycle license-a+ ended as expired at .* by License_Expire on 00b+ at offset 16; the query store has state expired, ended never, contract 00b+$/u,
    ],
    [
      'a column of a lifecycle that is not its contract’s',
      {
        ...sound,
        lifecycles: sound.lifecycles.map((entry) => ({
          ...entry,
          lifecycle: { ...entry.lifecycle, expiresAt: instant(50) },
        })),
      },
      /^lifecycle license-a+ differs from its contract 00b+ in expires_at$/u,
    ],
    [
      'a contract that leads to another lifecycle',
      {
        ...sound,
        lineage: new Map([
          ...sound.lineage,
          [CONTRACTS.license2, trusted<LifecycleId>('license-x')],
        ]),
      },
      /^contract 00b+, created at offset 14, belongs to lifecycle license-x in the query store, but to license-a+ on the ledger$/u,
    ],
  ] as const)('%s', (_what, spoiled, sentence) => {
    expect(told(spoiled, 'I6')).toContainEqual(expect.stringMatching(sentence));
  });
});

describe('I7', () => {
  test('an update that the store has skipped, and one that it made up', () => {
    const spoiled = {
      ...sound,
      updates: sound.updates.map((row) => (row.offset === 12n ? { ...row, offset: 13n } : row)),
    };
    expect(told(spoiled, 'I7')).toEqual([
      'the query store has no row of update update-12 at offset 12, although its cursor is beyond this offset',
      'the query store has update update-12 at offset 13, but the ledger has no update at this offset',
    ]);
  });

  test('cursors that jump, fall, or are behind what was applied', () => {
    const moves = [
      { stream: 'updates', from: 4n, to: 12n },
      { stream: 'updates', from: 13n, to: 12n },
    ];
    const spoiled: Evidence = {
      ...sound,
      cursors: [{ stream: 'updates', oldest: 4n, offset: 14n, times: new Map() }],
      observed: { moves, firings: [], proofs: new Map() },
    };
    expect(told(spoiled, 'I7')).toEqual([
      'stream updates was moved from offset 13, but its offset was 12',
      'stream updates was moved back from offset 13 to 12',
      'the query store has update update-16 at offset 16, beyond its cursor at 14',
    ]);
  });

  test('a completion that was passed and not heard, unless the participant withheld it', () => {
    const spoiled = withChange(sound, create.id, (entry) => ({
      ...entry,
      attempts: entry.attempts.map((attempt) => ({ ...attempt, answer: null })),
    }));
    expect(told(spoiled, 'I7')).toEqual([
      'app-provider completed attempt 1 of create-license create at offset 10; the cursor is beyond this offset, but the attempt has no answer',
    ]);
    const { ledger } = spoiled;
    const unreliable = ledger!.completions.map((of) => ({ ...of, isReliable: false }));
    expect(told({ ...spoiled, ledger: { ...ledger!, completions: unreliable } }, 'I7')).toEqual([]);
  });
});

describe('I8', () => {
  test('effects in another order than the mailbox', () => {
    const spoiled = withChange(sound, complete.id, (entry) => ({
      ...entry,
      updates: entry.updates.map((row) => ({ ...row, offset: 11n })),
    }));
    expect(told(spoiled, 'I8')).toEqual([
      `complete-renewal complete is number 3 of lane ${renew.lane} and took effect at offset 11, before number 1, renew, at 12`,
    ]);
  });

  test('a change that was submitted before its turn', () => {
    const spoiled = withChange(sound, waiting.id, (entry) => ({
      ...entry,
      attempts: sound.changes[0]!.attempts,
    }));
    expect(told(spoiled, 'I8')).toEqual([
      `create-license create-3 is number 3 of lane ${waiting.lane} and was submitted, although number 2, create-2, has not ended`,
    ]);
  });
});

describe('I9', () => {
  test('a timer that fired early, and one that fired twice', () => {
    const firing = { timer: 'fx-1', number: 1, dueAt: instant(9), at: instant(8), life: 1 };
    const firings = [firing, { ...firing, at: instant(9) }, { ...firing, at: instant(9), life: 2 }];
    expect(told({ ...sound, observed: { moves: [], firings, proofs: new Map() } }, 'I9')).toEqual([
      `timer fx-1 fired at ${instant(8)}, before its due time ${instant(9)}`,
      `timer fx-1 fired twice as number 1, at ${instant(8)} and at ${instant(9)}`,
    ]);
  });

  test('an attempt without a dispatch, and an effect that outlives its change', () => {
    const spoiled = withChange(sound, create.id, (entry) => ({
      ...entry,
      effect: { ...entry.effect!, dispatchNo: 0, doneAt: null },
    }));
    expect(told(spoiled, 'I9')).toEqual([
      'create-license create was submitted although its effect was never dispatched',
      expect.stringMatching(
        /^create-license create ended as succeeded, although its effect fx-\w+ is still due$/u,
      ),
    ]);
  });

  test('attempts with a hole, and a queued change that may be dispatched', () => {
    const hole = withChange(sound, create.id, (entry) => ({
      ...entry,
      attempts: entry.attempts.map((attempt) => ({ ...attempt, n: 2 })),
    }));
    const spoiled = withChange(hole, waiting.id, (entry) => ({
      ...entry,
      effect: sound.changes[0]!.effect,
    }));
    expect(told(spoiled, 'I9')).toEqual([
      'the attempts of create-license create are not numbered from 1 without a gap: 2',
      expect.stringMatching(
        /^create-license create-3 waits in its mailbox, although its effect fx-\w+ may be dispatched$/u,
      ),
    ]);
  });
});

describe('I10', () => {
  const open = (over: Partial<Change>): Evidence =>
    withChange(sound, inFlight.id, (entry) => ({ ...entry, change: { ...entry.change, ...over } }));

  test('what was doubted and has been accepted since waits for the query store', () => {
    const waitingFor = { ...inFlight.waitingFor!, kind: 'projection' as const };
    const { acceptance } = expire;
    expect(told(open({ state: 'in-doubt', acceptance, waitingFor }), 'I10')).toEqual([]);
    expect(told(open({ state: 'in-doubt', waitingFor }), 'I10')).not.toEqual([]);
  });

  test('what a person has stopped may have been due for long', () => {
    const held = withChange(sound, inFlight.id, (entry) => ({
      ...entry,
      effect: { ...entry.effect!, heldAt: instant(18) },
    }));
    expect(told({ ...held, at: instant(21) }, 'I10')).toEqual([]);
  });

  test.each([
    [
      'no stated wait',
      open({ waitingFor: null }),
      'submitting, but the operation has no recorded reason for waiting',
    ],
    [
      'an effect that is done',
      withChange(sound, inFlight.id, (entry) => ({
        ...entry,
        effect: { ...entry.effect!, doneAt: instant(17) },
      })),
      'submitting, but the outbox has no undispatched effect of the operation',
    ],
    [
      'an effect that nobody dispatches',
      { ...sound, at: instant(21) },
      `submitting, but the operation has been due for 180 s, since ${instant(18)}`,
    ],
    [
      'a stream that nobody follows',
      { ...open({ verifyAt: 17n }), cursors: sound.cursors.slice(0, 1) },
      'submitting, but the operation waits for stream completions:app-provider, which no projector follows',
    ],
    [
      'an acceptance that is to be submitted',
      open({ acceptance: expire.acceptance }),
      'submitting, but the operation was accepted and still waits for queue',
    ],
    [
      'a doubt that asks nobody',
      open({ state: 'in-doubt' }),
      'in-doubt, but the operation waits for queue instead of a person',
    ],
    [
      'another head',
      { ...sound, mailboxes: sound.mailboxes.map((of) => ({ ...of, head: waiting.id })) },
      `submitting, but the head of its lane is ${waiting.id}`,
    ],
  ])('%s', (_what, spoiled, sentence) => {
    expect(told(spoiled, 'I10')).toContain(`create-license create-2 is ${sentence}`);
  });

  test('a lane whose head is gone', () => {
    const headless = sound.mailboxes.map((of) => ({ ...of, head: null }));
    expect(told({ ...sound, mailboxes: headless }, 'I10')).toEqual([
      'create-license create-2 is submitting, but the head of its lane is empty',
      'create-license create-3 is queued, but its lane has no head',
      `1 operations wait in lane ${inFlight.lane}, but the lane has no head`,
    ]);
    const blocked = sound.mailboxes.map((of) => ({ ...of, head: of.head ?? expire.id }));
    expect(told({ ...sound, mailboxes: blocked }, 'I10')).toEqual([
      `lane ${expire.lane} is blocked, because its head is change ${expire.id}, which ended as succeeded`,
    ]);
  });

  test('how long a due effect may lie is for the caller to say', () => {
    const late = { ...sound, at: instant(30) };
    expect(violationsIn(late, { only: ['I10'] })).toHaveLength(1);
    expect(violationsIn(late, { only: ['I10'], overdueMs: Infinity })).toEqual([]);
  });
});

describe('I11', () => {
  const lines = (spoil: (seq: number) => object | null): Evidence => ({
    ...sound,
    lifecycles: sound.lifecycles.map((entry) =>
      entry.lifecycle.kind === 'license'
        ? {
            ...entry,
            history: entry.history.flatMap((line) => {
              const over = spoil(line.seq);
              return over === null ? [] : [{ ...line, ...over }];
            }),
          }
        : entry,
    ),
  });

  test.each([
    [
      'a line without a name',
      lines((seq) => (seq === 2 ? { by: null } : {})),
      'became version 2 by license.renew, but the audit row names no caller',
    ],
    [
      'a hole',
      lines((seq) => (seq === 3 ? null : {})),
      'has no audit row between versions 2 and 4',
    ],
    [
      'no birth',
      lines((seq) => (seq === 1 ? null : {})),
      'has no audit row of its creation: the first audit row is of version 2',
    ],
    [
      'no end',
      lines((seq) => (seq === 8 ? null : {})),
      'is at version 8, but its last audit row is of version 7',
    ],
    [
      'another state',
      lines((seq) => (seq === 8 ? { state: 'active' } : {})),
      'is expired, but its last audit row has the state active',
    ],
    [
      'a step that no machine makes',
      lines((seq) => (seq === 2 ? { state: 'expiring' } : {})),
      'changed from active to expiring by license.renew in version 2, but its state machine has no such transition',
    ],
  ])('%s', (_what, spoiled, sentence) => {
    expect(told(spoiled, 'I11')).toContainEqual(
      expect.stringMatching(new RegExp(`^lifecycle license-a+ ${sentence}$`, 'u')),
    );
  });

  test('what a rebuild has put right is not the machine’s doing', () => {
    const corrected = lines((seq) =>
      seq === 2 ? { state: 'expiring', kind: 'ledger.corrected', offset: 3n } : {},
    );
    const machine = /in version 2, but its state machine has no such transition$/u;
    expect(told(corrected, 'I11').filter((what) => machine.test(what))).toEqual([]);
  });

  test('a step that nobody signed, and one that another signed', () => {
    const unsigned = withChange(sound, expire.id, (entry) => ({ ...entry, history: [] }));
    expect(told(unsigned, 'I11')).toEqual([
      expect.stringMatching(
        /^expire-license expire changed lifecycle license-a+, but its history has no row of this operation$/u,
      ),
    ]);
    const other = withChange(sound, expire.id, (entry) => ({
      ...entry,
      history: entry.history.map((line) => ({ ...line, by: 'somebody' })),
    }));
    expect(told(other, 'I11')).toEqual([
      expect.stringMatching(/names somebody instead of app-provider::1220aa$/u),
    ]);
  });
});
