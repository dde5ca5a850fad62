import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { describe, expect, test } from 'vitest';
import type { DecideDoubt } from '../../src/app/desk/decide-doubt.ts';
import { decideDoubt } from '../../src/app/desk/decide-doubt.ts';
import { doubt } from '../../src/app/engine/outcomes/outcomes.ts';
import { WorkingSet } from '../../src/app/engine/lanes/working-set.ts';
import type { Change } from '../../src/domain/change.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, POLICY, Stage, lost } from './kit/held-up.ts';
import { IO } from './kit/io.ts';

/*
 * An operator's decision about an operation in doubt ends that operation. A lifecycle ends only by a ledger update. So
 * a wrong decision makes the record of one operation untrue, but no contract is lost. An operator who decides without a
 * readable update is responsible for the decision, and the doctor reports nothing.
 */

const operatorOf = (party: Change['callerParty']) => ({
  party,
  roles: new Set(['operator'] as const),
  via: 'bearer' as const,
  tenantId: '',
  subject: 'olga',
  name: 'Olga',
});

/** Submits an expiry whose result is unknown. */
async function inDoubt(stage: Stage): Promise<Change> {
  const { system } = stage;
  await system.work();
  const [change] = stage.expiries();
  await system.store.transact(IO, async (tx) => {
    const ws = new WorkingSet(NEWEST_MODEL);
    ws.add(await tx.lock([change!.lane]));
    const now = new Date(system.nowMs).toISOString();
    doubt(ws, ws.change(change!.id)!, 'nobody knows', {
      now,
      ledgerNowMs: system.nowMs,
      ledgerCertainMs: system.nowMs,
    });
    await tx.save(ws.writes());
  });
  return change!;
}

/** Opens a stage on which a user has asked for the end of its licence. */
async function asked(answering: Stage['ledger']['answering'] = async () => lost) {
  const stage = await Stage.open();
  stage.ledger.answering = answering;
  stage.system.pass(MINUTE_MS);
  await stage.ask(stage.system.ledger.users[0], 'expire-license', 'license');
  return { stage, change: await inDoubt(stage) };
}

const decide = (
  { system }: Stage,
  { id: changeId }: Change,
  over: Partial<DecideDoubt> = {},
  by = system.ledger.provider,
): Promise<Change> =>
  decideDoubt(
    system.deps,
    operatorOf(by),
    { changeId, decision: 'took-effect', reason: 'somebody said so', ...over },
    IO,
  );

const standing = { state: 'active', endedAt: null };

test('that it took effect ends the operation, and the licence only if it did', async () => {
  const { stage, change } = await asked();
  await using _stage = stage;
  expect(await decide(stage, change)).toMatchObject({ state: 'succeeded' });
  expect(stage.the('license')).toMatchObject(standing);
  stage.ledger.answering = (real) => real();
  await stage.do(stage.system.ledger.provider, 'expire-license', 'license');
  expect(stage.the('license').state).toBe('expired');
  expect(await stage.system.findings()).toEqual([]);
});

test('an update that comes after the decision ends the licence as any other does', async () => {
  const { stage, change } = await asked(async (real) => {
    expect(await real()).toBeNull();
    return lost;
  });
  await using _stage = stage;
  await decide(stage, change);
  expect(stage.the('license')).toMatchObject(standing);
  await stage.system.follow();
  expect(stage.the('license').state).toBe('expired');
  expect(await stage.system.findings()).toEqual([]);
});

test('what still stands when all attempts are over has not been ended, whatever anybody says', async () => {
  const { stage, change } = await asked();
  await using _stage = stage;
  const { contractId } = stage.the('license');
  stage.system.pass(HOUR_MS);
  // The participant answers, and the ledger's time passes the time after which the attempt can have no effect.
  await stage.live(10 * MINUTE_MS);
  await expect(decide(stage, change)).rejects.toMatchObject({
    details: {
      code: 'DECISION_CONTRADICTED',
      message: expect.stringContaining(
        `contract ${contractId}, which the operation would have ended, is still active on the ledger at`,
      ),
      extra: { contractId, followedTo: expect.any(String), overAt: expect.any(String) },
    },
  });
  expect(await decide(stage, change, { decision: 'no-effect' })).toMatchObject({ state: 'failed' });
});

test('a licence whose policy was told that it had ended it is ended after all', async () => {
  await using stage = await Stage.open();
  const { system } = stage;
  await system.setExpiry(POLICY);
  stage.ledger.answering = async () => lost;
  system.pass(DAY_MS + MINUTE_MS);
  await system.fire(() => stage.expiries().length === 1);
  await decide(stage, await inDoubt(stage));
  expect(stage.the('license')).toMatchObject(standing);
  stage.ledger.answering = (real) => real();
  await stage.fireAgain();
  expect(stage.expiries()).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded' }]);
  expect(stage.the('license').state).toBe('expired');
  expect(await system.findings()).toEqual([]);
});

describe('what acted as the provider', () => {
  test.each(['took-effect', 'no-effect', 'submit-again'] as const)(
    'is not for the operators of whoever asked for it to decide: %s',
    async (decision) => {
      const { stage, change } = await asked();
      await using _stage = stage;
      const [user] = stage.system.ledger.users;
      await expect(decide(stage, change, { decision }, user)).rejects.toMatchObject({
        details: { code: 'FORBIDDEN', message: expect.stringContaining('acted as the provider') },
      });
      expect(stage.expiries()).toMatchObject([{ state: 'in-doubt' }]);
    },
  );
});
