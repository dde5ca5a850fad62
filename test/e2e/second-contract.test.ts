import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommandId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { ProblemDetails } from '../../src/domain/problems.ts';
import { ProblemError } from '../../src/domain/problems.ts';
import { textAt } from '../../src/domain/json.ts';
import { isoToMs } from '../../src/domain/time.ts';
import { SubscriptionWorld } from '../subscription/world.ts';

/*
 * Another contract package runs on the same engine, store, queue, worker and projector. Only its definitions and
 * machines contain anything about subscriptions.
 */

let world: SubscriptionWorld;

beforeAll(async () => {
  world = await SubscriptionWorld.open();
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** Returns the problem with which a request is refused in its call. */
const refusal = (asked: Promise<unknown>): Promise<ProblemDetails> =>
  asked.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: unknown) => {
      if (error instanceof ProblemError) return error.details;
      throw error;
    },
  );

const commandId = (): CommandId => trusted(`subscriptions-${randomUUID()}`);

describe('what is asked for', () => {
  test('takes effect, and is answered in the words of its definition', async () => {
    const body = { vendor: world.vendor.party, plan: 'basic' };
    const asked = await world.ask(world.customer, 'ask-for-subscription', { body });
    expect(asked).toMatchObject({
      state: 'succeeded',
      provider: world.vendor.party,
      appUser: world.customer.party,
      result: { status: 201, body: { contractId: expect.any(String), plan: 'basic' } },
    });
    const target = (asked.result!.body as { contractId: string }).contractId;
    const accepted = await world.ask(world.vendor, 'accept-subscription', {
      target,
      body: { freeMicros: '86400000000' },
    });
    expect(accepted.result).toMatchObject({
      status: 201,
      body: { plan: 'basic' },
      exercised: { result: (accepted.result!.body as { contractId: string }).contractId },
    });
    expect((await world.become(target, 'accepted')).lifecycle.endedAt).not.toBeNull();
    const { contractId, lifecycleId, paidUntil } = accepted.result!.body as Record<string, string>;
    expect(isoToMs(paidUntil!)).toBe(isoToMs(textAt(accepted.fixed, 'paidUntil')!));
    expect((await world.view(contractId!)).lifecycle).toMatchObject({
      id: lifecycleId,
      kind: 'subscription',
      state: 'active',
      expiresAt: paidUntil,
      licenseNum: null,
      context: { plan: 'basic', paidUntil },
    });
  });

  test.each([
    ['decline-subscription', 'vendor', { reason: 'sold out' }, 'declined'],
    ['withdraw-subscription', 'customer', {}, 'withdrawn'],
  ] as const)('%s by the %s ends the request', async (operation, side, body, state) => {
    const target = await world.wish();
    const { result } = await world.ask(world[side], operation, { target, body });
    expect(result).toMatchObject({ status: 204, body: null });
    expect((await world.view(target)).lifecycle).toMatchObject({ state });
  });

  test('again under the same command ID is the recorded change, with the same outcome', async () => {
    const target = await world.subscribe();
    const asked = { target, body: { plan: 'pro' }, commandId: commandId() };
    const first = await world.request(world.vendor, 'change-plan', asked);
    expect(first.replayed).toBe(false);
    const done = await world.outcome(first.change.id);
    const again = await world.request(world.vendor, 'change-plan', asked);
    expect(again).toEqual({ replayed: true, change: done });
    const other = world.request(world.vendor, 'change-plan', { ...asked, body: { plan: 'max' } });
    expect(await refusal(other)).toMatchObject({ code: 'COMMAND_ID_REUSED' });
    expect((await world.view(target)).payload['revision']).toBe('1');
  });
});

describe('what is refused', () => {
  test('by the machine: before its time, and while an invoice is open', async () => {
    const target = await world.subscribe();
    const paidUntil = textAt((await world.view(target)).payload, 'paidUntil');
    const early = world.request(world.customer, 'stop-subscription', { target });
    expect(await refusal(early)).toMatchObject({
      code: 'STEP_NOT_ALLOWED',
      message: `stop is refused: it is paid until ${paidUntil}`,
      extra: { allowedActions: ['bill', 'change-plan'] },
    });
    await world.bill(target);
    const body = { amount: '5.0', periodMicros: '1000000' };
    const second = world.request(world.vendor, 'bill-subscription', { target, body });
    expect(await refusal(second)).toMatchObject({
      code: 'STEP_NOT_ALLOWED',
      message: 'bill is refused: an invoice of this subscription is open',
    });
  });

  test('no longer once its time has come', async () => {
    const target = await world.subscribe('0');
    const { result } = await world.ask(world.customer, 'stop-subscription', { target });
    expect(result).toMatchObject({ status: 204 });
    expect((await world.view(target)).lifecycle.state).toBe('stopped');
    const late = world.request(world.vendor, 'change-plan', { target, body: { plan: 'pro' } });
    expect(await refusal(late)).toMatchObject({
      code: 'LIFECYCLE_ENDED',
      message: expect.stringMatching(/^Subscription 00\w+ is no longer active: it is stopped$/u),
    });
  });

  test('by role, in the words of the package', async () => {
    const target = await world.wish();
    const accept = { target, body: { freeMicros: '0' } };
    expect(
      await refusal(world.request(world.customer, 'accept-subscription', accept)),
    ).toMatchObject({
      code: 'FORBIDDEN',
      message: 'only the provider may accept this Request',
    });
    const body = { vendor: world.vendor.party, plan: 'basic' };
    expect(
      await refusal(world.request(world.vendor, 'ask-for-subscription', { body })),
    ).toMatchObject({
      code: 'FORBIDDEN',
      message: 'a vendor does not subscribe to its own plans',
    });
    const stranger = { ...world.customer, party: trusted<typeof world.customer.party>('x::1220') };
    expect(
      await refusal(world.request(stranger, 'withdraw-subscription', { target })),
    ).toMatchObject({ message: expect.stringContaining('x::1220') });
  });

  test('by the ledger: its own code is told, and the subscription goes on', async () => {
    const target = await world.subscribe();
    const body = { amount: '0.0', periodMicros: '1000000' };
    const refused = await world.ask(world.vendor, 'bill-subscription', { target, body });
    expect(refused).toMatchObject({
      state: 'rejected',
      error: {
        code: 'LEDGER_REFUSED',
        message: 'a rule of the contract was not met',
        ledgerCode: expect.any(String),
      },
    });
    expect((await world.view(target)).lifecycle.state).toBe('active');
    await world.bill(target);
  });
});

describe('contention', () => {
  test('is tried again, and takes effect once', async () => {
    const target = await world.subscribe();
    const id = commandId();
    await world.control.fault({
      kind: 'reject',
      code: 'LOCAL_VERDICT_LOCKED_CONTRACTS',
      times: 2,
      where: { commandId: id },
    });
    const asked = { target, body: { plan: 'pro' }, commandId: id };
    const change = await world.ask(world.vendor, 'change-plan', asked);
    expect(change.state).toBe('succeeded');
    const attempts = await world.attempts(change.id);
    expect(attempts.map(({ answer }) => answer?.ledgerCode)).toEqual([
      'LOCAL_VERDICT_LOCKED_CONTRACTS',
      'LOCAL_VERDICT_LOCKED_CONTRACTS',
      null,
    ]);
    expect((await world.view(target)).payload).toMatchObject({ plan: 'pro', revision: '1' });
  });

  test('of many on one contract: each has its turn on the contract that the one before has left', async () => {
    const target = await world.subscribe();
    const plans = Array.from({ length: 6 }, (_, n) => `plan-${n}`);
    const changes = await Promise.all(
      plans.map((plan) => world.ask(world.vendor, 'change-plan', { target, body: { plan } })),
    );
    expect(changes.map(({ state }) => state)).toEqual(plans.map(() => 'succeeded'));
    const revisions = changes.map(({ result }) => (result!.body as { revision: string }).revision);
    expect(revisions.toSorted()).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  test('with another client: what it has replaced is replaced again', async () => {
    const target = await world.subscribe();
    await world.changePlanBeside(target, 'beside');
    const asked = { target, body: { plan: 'ours' } };
    expect(await world.ask(world.vendor, 'change-plan', asked)).toMatchObject({
      state: 'succeeded',
      result: { body: { revision: '2' } },
    });
  });

  test('for one request: the second is refused for what it has become', async () => {
    const target = await world.wish();
    const [accepted, withdrawn] = await Promise.all([
      world.ask(world.vendor, 'accept-subscription', { target, body: { freeMicros: '0' } }),
      world
        .ask(world.customer, 'withdraw-subscription', { target })
        .catch((error: unknown) => ({ state: 'rejected', error })),
    ]);
    const states = [accepted.state, withdrawn.state].toSorted();
    expect(states).toEqual(['rejected', 'succeeded']);
    const { state } = (await world.view(target)).lifecycle;
    expect(state).toBe(accepted.state === 'succeeded' ? 'accepted' : 'withdrawn');
  });
});

describe('a contract that is replaced', () => {
  test('keeps its lifecycle: every contract that it had leads to it', async () => {
    const target = await world.subscribe();
    const { lifecycle: before } = await world.view(target);
    const { contractId } = await world.done(world.vendor, 'change-plan', {
      target,
      body: { plan: 'pro' },
    });
    const { lifecycle: after } = await world.view(target);
    expect(after).toMatchObject({ id: before.id, contractId, state: 'active' });
    expect(after.context).toMatchObject({ plan: 'pro' });
    expect((await world.view(contractId!)).lifecycle).toEqual(after);
    expect((await world.history(target)).map(({ kind }) => kind)).toEqual([
      'ledger.created',
      'subscription.changePlan',
      'ledger.subscriptionReplaced',
      'command.succeeded',
    ]);
  });

  test('is found by what needs it: an invoice is paid on the contract of the moment', async () => {
    const target = await world.subscribe();
    const invoice = await world.bill(target);
    const { lifecycle } = await world.view(invoice);
    expect(lifecycle).toMatchObject({ kind: 'invoice', state: 'open' });
    expect(lifecycle.lane).toBe((await world.view(target)).lifecycle.lane);
    await world.done(world.vendor, 'change-plan', { target, body: { plan: 'pro' } });
    const paid = await world.done(world.customer, 'pay-invoice', { target: invoice });
    const { payload } = await world.view(target);
    expect(payload).toMatchObject({ plan: 'pro', revision: '2', paidUntil: paid['paidUntil'] });
    expect((await world.view(invoice)).lifecycle.state).toBe('paid');
    // Billing is possible again for the next invoice. That invoice is then voided.
    const next = await world.bill(target);
    await world.done(world.vendor, 'void-invoice', { target: next, body: { reason: 'a mistake' } });
    expect((await world.view(next)).lifecycle.state).toBe('voided');
  });
});

/** Returns the parts of the projection that follow from the ledger. */
async function projected({ under: { pool } }: SubscriptionWorld): Promise<unknown> {
  const tables = {
    contract: '*',
    lifecycle:
      'id, kind, state, context, lane, provider, app_user, contract_id, expires_at, ended_at',
    lineage: '*',
    history: 'lifecycle_id, seq, kind, state, contract_id',
  };
  const all = Object.entries(tables).map(async ([table, columns]) => {
    const { rows } = await pool.query(`select ${columns} from ${table} t order by t::text`);
    return rows;
  });
  return Promise.all(all);
}

describe('what is not told', () => {
  test.each([
    ['change-plan', { plan: 'pro' }],
    ['bill-subscription', { amount: '5.0', periodMicros: '1000000' }],
  ])('%s: neither answer nor completion comes, and its effect tells', async (operation, body) => {
    const target = await world.subscribe();
    const id = commandId();
    const faults = [
      await world.control.fault({ kind: 'drop-after', where: { commandId: id, method: 'Submit' } }),
      await world.control.fault({ kind: 'withhold', where: { commandId: id } }),
    ];
    const change = await world.ask(world.vendor, operation, { target, body, commandId: id });
    expect(change.state).toBe('succeeded');
    expect((await world.view(target)).lifecycle.state).toBe('active');
    for (const { id: fault } of faults) {
      await expect.poll(async () => (await world.control.told(fault)).struck).toBeGreaterThan(0);
    }
    await world.control.clear();
  });

  test('what was pruned before it was heard is in doubt, and a person decides', async () => {
    await using own = await SubscriptionWorld.open();
    const target = await own.subscribe();
    const other = await own.subscribe();
    const invoice = await own.bill(target);
    await own.unfollow();
    await own.control.fault({ kind: 'drop-after', where: { method: 'Submit' } });
    const { change } = await own.request(own.customer, 'pay-invoice', { target: invoice });
    const answer = async () => (await own.attempts(change.id))[0]?.answer?.verdict;
    await expect.poll(answer).toBe('unknown');
    await own.control.clear();
    await own.changePlanBeside(other, 'beside');
    await own.control.fault({ kind: 'deduplication-window', ms: 0 });
    for (const participant of ['app-provider', 'app-user']) {
      await own.control.fault({ kind: 'prune', where: { participant } });
    }
    await own.follow({ isReady: false });
    expect(await own.rebuild()).toMatchObject({ pruned: true, changes: { open: 1, inDoubt: 1 } });
    const doubtful = await own.reach(change.id, 'in-doubt');
    expect(doubtful.waitingFor?.kind).toBe('person');
    const asked = { changeId: change.id, reason: 'the bank says so' };
    expect(await own.decide({ ...asked, decision: 'took-effect' })).toMatchObject({
      state: 'succeeded',
      result: { status: 200 },
    });
    expect((await own.view(invoice)).lifecycle.state).toBe('gone');
  });
});

test('a projection that is built anew says the same', async () => {
  await using own = await SubscriptionWorld.open();
  const target = await own.subscribe();
  await own.bill(target);
  await own.done(own.vendor, 'change-plan', { target, body: { plan: 'pro' } });
  const ended = await own.subscribe('0');
  await own.done(own.vendor, 'stop-subscription', { target: ended });
  const before = await projected(own);
  const contracts = { active: 2, added: 0, corrected: 0, ended: 0 };
  expect(await own.rebuild()).toMatchObject({ contracts });
  expect(await projected(own)).toEqual(before);
  // A rebuild with the definitions of this contract package repairs the damaged rows.
  const { id } = (await own.view(target)).lifecycle;
  await own.under.pool.query(
    `update lifecycle set context = '{"plan": "wrong"}', expires_at = null where id = $1`,
    [id],
  );
  await own.under.pool.query('delete from contract where contract_id = $1', [
    (await own.view(target)).lifecycle.contractId,
  ]);
  expect(await own.rebuild()).toMatchObject({
    contracts: { ...contracts, added: 1 },
    lifecycles: { begun: 0, corrected: 1, gone: 0 },
  });
  const { lifecycle, payload } = await own.view(target);
  expect(lifecycle).toMatchObject({ id, state: 'active', context: { plan: 'pro' } });
  expect(lifecycle.expiresAt).toBe(payload['paidUntil']);
});
