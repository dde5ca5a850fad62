import { expect, test } from 'vitest';
import { cancelChange } from '../../src/app/desk/cancel-change.ts';
import { decideDoubt } from '../../src/app/desk/decide-doubt.ts';
import { doubt } from '../../src/app/engine/outcomes/outcomes.ts';
import { WorkingSet } from '../../src/app/engine/lanes/working-set.ts';
import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import type { Change } from '../../src/domain/change.ts';
import { trusted } from '../../src/domain/ids.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { Crowd, WAITING } from './kit/crowd.ts';
import type { Stage } from './kit/held-up.ts';
import { IO } from './kit/io.ts';

/*
 * Lanes in which more changes wait than one transaction can end. Each `follow` and each turn of a lane is one
 * transaction, and nothing is kept in memory. So if a process were killed in between, it would leave exactly the state
 * that these tests read.
 */

const RENEWAL = {
  licenseFeeCc: '100',
  description: 'one more hour',
  licenseExtensionMicros: '3600000000',
  prepareUntilMicros: '3600000000',
  settleBeforeMicros: '7200000000',
};

const person = (stage: Stage) => ({
  party: stage.system.ledger.provider,
  roles: new Set(['operator'] as const),
  via: 'bearer' as const,
  tenantId: '',
  subject: 'olga',
  name: 'Olga',
});

const because = (stage: Stage) => ({ by: person(stage), reason: 'a test' });

test('the end of a lifecycle refuses all that wait for it, a bounded number at a time and in order', async () => {
  await using crowd = await Crowd.open('install');
  const { system } = crowd.stage;
  const cancel = await crowd.ask('cancel-install');
  await crowd.fill('create-license');
  await system.work();
  await crowd.turn(() => system.follow(), 1);
  expect(crowd.mailbox).toMatchObject({ head: null, waiting: WAITING - LIMITS.refusedTogetherMax });
  expect(await system.findings()).not.toContainEqual(expect.objectContaining({ invariant: 'I10' }));
  // Neither a new request nor the cancellation of the last change overtakes the changes that wait.
  const late = await crowd.ask('create-license');
  expect(late).toMatchObject({ state: 'queued', mailboxNo: crowd.mailbox!.nextNo - 1 });
  const last = crowd.changes.at(-2)!;
  await cancelChange(system.deps, last.id, because(crowd.stage), IO);
  expect(crowd.mailbox?.head).toBeNull();
  const left = WAITING - LIMITS.refusedTogetherMax;
  for (let turns = 0; turns < Math.floor(left / LIMITS.refusedTogetherMax) - 1; turns += 1)
    await crowd.turn(() => system.continueLanes());
  await system.settle();
  const [head, ...rest] = crowd.changes;
  expect(head).toMatchObject({ id: cancel.id, state: 'succeeded' });
  for (const { id, state, error } of rest) {
    if (id === last.id) expect(state).toBe('cancelled');
    else expect(error?.code).toBe('LIFECYCLE_ENDED');
  }
  expect(system.contents.interruptedLanes()).toEqual([]);
  await expect(crowd.ask('create-license')).rejects.toMatchObject({
    details: { code: 'LIFECYCLE_ENDED' },
  });
  expect(await system.findings()).toEqual([]);
});

test.for([
  ['an operator cancels the head', 'cancel'],
  ['a person decides about the head', 'decide'],
] as const)('%s of a lane whose lifecycle another client has ended', async ([, how]) => {
  await using crowd = await Crowd.open('install');
  const { stage } = crowd;
  const { system } = stage;
  const head = await crowd.ask('create-license');
  await crowd.fill('create-license');
  expect(await stage.others.cancelInstall(stage.the('install').contractId)).toBe(true);
  await system.follow();
  expect(crowd.ended).toBe(0);
  if (how === 'cancel') {
    await crowd.turn(() => cancelChange(system.deps, head.id, because(stage), IO), 1);
  } else {
    await system.store.transact(IO, async (tx) => {
      const ws = new WorkingSet(NEWEST_MODEL);
      ws.add(await tx.lock([crowd.lane]));
      const times = { ledgerNowMs: system.nowMs, ledgerCertainMs: system.nowMs };
      doubt(ws, ws.change(head.id)!, 'nobody knows', {
        now: new Date(system.nowMs).toISOString(),
        ...times,
      });
      await tx.save(ws.writes());
    });
    const decided = { changeId: head.id, decision: 'no-effect', reason: 'it was seen' } as const;
    await crowd.turn(() => decideDoubt(system.deps, person(stage), decided, IO), 1);
  }
  expect(await crowd.turns()).toBe(Math.ceil(WAITING / LIMITS.refusedTogetherMax) - 1);
  expect(crowd.changes.slice(1).every(({ error }) => error?.code === 'LIFECYCLE_ENDED')).toBe(true);
  expect(await system.findings()).toEqual([]);
});

test('the first change that is taken ends the turns, and what was asked for later comes after it', async () => {
  await using crowd = await Crowd.open('license');
  const { system } = crowd.stage;
  await crowd.ask('renew-license', RENEWAL);
  await crowd.fill('renew-license', RENEWAL);
  const taken = await crowd.ask('renew-license', { ...RENEWAL, allowConcurrent: true });
  await system.work();
  await crowd.turn(() => system.follow(), 1);
  const late = await crowd.ask('renew-license', { ...RENEWAL, allowConcurrent: true });
  expect(late.state).toBe('queued');
  await crowd.turns();
  expect(crowd.mailbox).toMatchObject({ head: taken.id, waiting: 1 });
  await system.settle();
  const refused = crowd.changes.filter(({ error }) => error?.code === 'STEP_NOT_ALLOWED');
  expect(refused).toHaveLength(WAITING);
  expect(crowd.changes.slice(-2).map(({ state }) => state)).toEqual(['succeeded', 'succeeded']);
  expect(await system.findings()).toEqual([]);
});

test('a caller finds no room in a full mailbox, a policy and a repetition do', async () => {
  await using crowd = await Crowd.open('license');
  const { stage } = crowd;
  const { system } = stage;
  const deps = { ...system.deps, mailboxMax: 2 };
  const head = await crowd.ask('renew-license', RENEWAL);
  const lines = () => system.contents.changes().length;
  const asked = (n: number) =>
    system.ask(
      system.ledger.provider,
      {
        operation: 'renew-license',
        target: stage.the('license').id,
        commandId: trusted<Change['commandId']>(`full-${n}`),
        body: RENEWAL,
      },
      deps,
    );
  const first = await asked(1);
  await asked(2);
  const before = lines();
  await expect(asked(3)).rejects.toMatchObject({
    details: { code: 'MAILBOX_FULL', status: 429, extra: { waiting: 2 } },
  });
  expect(lines()).toBe(before);
  expect(await asked(1)).toMatchObject({ change: { id: first.change.id }, replayed: true });
  const policy = {
    name: 'expiry',
    version: 1,
    reason: 'x',
    lapsesAt: null,
    graceMs: null,
  } as const;
  const commandId = trusted<Change['commandId']>('of-a-policy');
  const request = {
    operation: 'expire-license',
    target: stage.the('license').id,
    commandId,
  } as const;
  await system.ask(system.ledger.provider, { ...request, body: {}, policy }, deps);
  expect(crowd.mailbox).toMatchObject({ head: head.id, waiting: 3 });
});
