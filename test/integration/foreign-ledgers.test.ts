import { expect, test } from 'vitest';
import { viewOperation } from '../../src/app/desk/operation-view.ts';
import { requestChange } from '../../src/app/engine/requests/request-change.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { Change } from '../../src/domain/change.ts';
import { trusted } from '../../src/domain/ids.ts';
import { LICENSE } from '../../src/domain/licensing.ts';
import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import type { Projector } from '../../src/projector/status.ts';
import { overdue } from '../../src/app/desk/overdue.ts';
import { submitCommand } from '../../workers/submit-command.ts';
import {
  ProjectorWorld,
  P,
  PROVIDER,
  U,
  USER,
  ledgerDeps,
  openPeer,
  reached,
  readiness,
} from '../kit/projector-world.ts';
import { askForRebuild } from '../../src/main/rebuild-request.ts';
import { change, effectId, io, newContractId } from '../kit/store-rows.ts';
import { arrive, dispatchAll } from '../kit/store-under-test.ts';
import { newSubmissionId } from '../kit/submission-ids.ts';

/*
 * Another ledger replaces the one that Tenure follows. Tenure detects and records this, and deletes the record when the
 * first ledger is back.
 */

const ready = (projector: Projector) =>
  expect.poll(() => readiness(projector), { timeout: 15_000, interval: 50 });
const marks = (world: ProjectorWorld) => world.store.reads.participantCauses(io());
const via = (participant: typeof P, over: Partial<Change> = {}): Change =>
  change({
    submitter: { participant, ledgerUser: 'backend', actAs: PROVIDER },
    body: { provider: PROVIDER },
    ...over,
  });

/** Follows both participants until each of them has sent an update by which its ledger can be recognised later. */
async function following(world: ProjectorWorld): Promise<Projector> {
  const projector = await world.ready();
  const at = world.ledger.transact([]);
  await expect.poll(() => reached(projector)).toBe(at);
  return projector;
}

/** Replaces the ledger behind the provider's participant by one with this history, or restores the first one. */
async function putThere(world: ProjectorWorld, history: string): Promise<void> {
  await world.restartPeer(() => {
    const { updates, end } = world.ledger;
    updates.length = 0;
    world.ledger.end = 0n;
    Object.assign(world.ledger, { history });
    while (world.ledger.end < end) world.ledger.transact([]);
    return Promise.resolve();
  });
}

test('what waits for it says so and goes on by itself when the right one is back', async () => {
  await using world = await ProjectorWorld.open();
  const { store, under } = { store: world.store, under: world.under };
  const projector = await following(world);
  const [mine, other] = [via(P), via(U)];
  await arrive(store, mine);
  await putThere(world, 'other');
  await expect.poll(() => marks(world)).not.toEqual([]);
  const [mark] = await marks(world);
  expect(mark).toMatchObject({ stream: 'updates', participant: P });
  expect(mark?.detail).toContain('the participant has another ledger');
  await arrive(store, other);
  expect(await dispatchAll(under.outbox)).toEqual([{ id: effectId(other), dispatchNo: 1 }]);

  const view = await viewOperation(store.reads, mine, io());
  expect(view.waitingFor).toEqual({
    kind: 'foreign',
    since: mark?.since,
    detail: `Tenure sends nothing to participant app-provider until an operator acts: ${mark?.detail}`,
  });
  expect((await viewOperation(store.reads, other, io())).waitingFor).toMatchObject({
    kind: 'queue',
  });
  const nowMs = Date.parse(mark?.since ?? '');
  const causes = await store.reads.participantCauses(io());
  expect(overdue(mine, nowMs, causes)).toMatchObject({ kind: 'foreign' });

  await putThere(world, 'u');
  await expect.poll(() => marks(world), { timeout: 30_000 }).toEqual([]);
  await ready(projector).toBe('ok');
  // The effect was due when it was blocked, so it is dispatched at once, with the next dispatch number.
  expect(await dispatchAll(under.outbox)).toEqual([{ id: effectId(mine), dispatchNo: 2 }]);
});

test('nothing new is accepted meanwhile, and what was is still answered', async () => {
  await using world = await ProjectorWorld.open();
  await following(world);
  const deps = {
    ...ledgerDeps([]),
    store: world.store,
    model: NEWEST_MODEL,
    hosting: {
      provider: PROVIDER,
      projected: P,
      submitterFor: async (actAs: typeof USER) => ({
        participant: U,
        ledgerUser: 'backend',
        actAs,
      }),
    },
  };
  const caller: Caller = {
    party: USER,
    roles: new Set(['user']),
    via: 'bearer',
    tenantId: 't',
    subject: 's',
    name: 's',
  };
  const ask = (commandId: string) =>
    requestChange(
      deps,
      caller,
      {
        operation: 'request-install',
        target: null,
        commandId: trusted(commandId),
        body: { provider: PROVIDER },
      },
      io(),
    );
  const first = await ask('one');
  await putThere(world, 'other');
  await expect.poll(() => marks(world)).not.toEqual([]);
  await expect(ask('two')).rejects.toMatchObject({
    details: { code: 'STORE_NOT_READY', status: 503 },
  });
  expect(await ask('one')).toMatchObject({ change: { id: first.change.id }, replayed: true });
});

test('a mark outlives what could be told; a rebuild that a person asks for ends it', async () => {
  await using world = await ProjectorWorld.open();
  const projector = await following(world);
  await putThere(world, 'other');
  await expect.poll(() => marks(world)).not.toEqual([]);
  await projector.stop();
  // The first ledger is back, but the update by which Tenure recognised it has been pruned.
  await putThere(world, 'u');
  const at = world.ledger.end;
  world.ledger.updates.length = 0;
  world.ledger.prunedUpTo = at;
  const next = world.start();
  await ready(next).toContain('the end of the foreign ledger could not be recorded');
  expect(await marks(world)).toHaveLength(1);
  const asked = { databaseUrl: world.under.url, by: 'somebody', waitMs: 20_000 };
  await askForRebuild({ ...asked, isDryRun: true });
  expect(await marks(world)).toHaveLength(1);
  await askForRebuild({ ...asked, isDryRun: false });
  expect(await marks(world)).toEqual([]);
  await ready(next).toBe('ok');
});

test('whoever has lost the lease marks nothing', async () => {
  await using world = await ProjectorWorld.open();
  const projector = await following(world);
  await projector.stop();
  const epoch = await world.under.leases.acquire('projector', 'another', 60_000, io());
  const mark = { stream: 'updates', participant: P, reason: 'r' };
  const marked = await world.store.transact(io(), (tx) => tx.markForeign(mark, (epoch ?? 0n) - 1n));
  expect(marked).toBe(false);
  expect(await marks(world)).toEqual([]);
});

test('two workers that nobody has told find it before they send anything', async () => {
  await using world = await ProjectorWorld.open();
  const projector = await following(world);
  await projector.stop();
  const commands: string[] = [];
  const { store, outbox } = world.under;
  await using peers = new AsyncDisposableStack();
  const worker = () => {
    const peer = peers.adopt(openPeer(P, world.peer.address), (one) => one.close());
    const { gateway } = ledgerDeps([peer], store);
    return gateway;
  };
  const [one, two] = [worker(), worker()];
  const listen = () => {
    world.ledger.script(world.peer).submit = ({ commandId }) => void commands.push(commandId);
  };
  const work = async (gateway: typeof one, of: Change) => {
    await arrive(store, of);
    const [due] = await dispatchAll(outbox);
    const answers: unknown[] = [];
    const deps = {
      outbox,
      gateway,
      prepare: async () => ({
        command: {
          kind: 'exercise' as const,
          template: LICENSE,
          contractId: newContractId(),
          choice: 'License_Expire',
          argument: { actor: PROVIDER, meta: { values: {} } },
        },
        disclosed: [],
      }),
      newSubmissionId,
      recordAnswer: async (_: unknown, __: unknown, answer: unknown) => void answers.push(answer),
    };
    await submitCommand({ effectId: effectId(of), dispatchNo: due?.dispatchNo ?? 0 }, deps, io());
    return answers;
  };
  listen();
  for (const gateway of [one, two]) expect(await work(gateway, via(P))).toEqual([]);
  expect(commands).toHaveLength(2);
  commands.length = 0;
  await putThere(world, 'other');
  listen();
  for (const gateway of [one, two]) {
    await expect
      .poll(() => work(gateway, via(P)))
      .toMatchObject([{ code: 'FOREIGN_LEDGER', takesNoTry: true, waitsFor: 'foreign' }]);
  }
  expect(commands).toEqual([]);
});
