import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Event } from '../../proto/gen/com/daml/ledger/api/v2/event.ts';
import type { GetUpdatesResponse } from '../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import { APP_INSTALL, LICENSE } from '../../src/domain/licensing.ts';
import {
  int64,
  none,
  party,
  recordValue,
  text,
  textMap,
  timestamp,
  unlabelled,
  variant,
} from '../contract/kit/values.ts';
import {
  P,
  PROVIDER,
  ProjectorWorld,
  U,
  USER,
  reached,
  readiness,
} from '../kit/projector-world.ts';
import { io } from '../kit/store-rows.ts';
import { consumes, creates, newContract } from '../kit/told-ledger.ts';

type Created = Extract<Event['event'], { $case: 'created' }>['value'];
type Transaction = Extract<GetUpdatesResponse['update'], { $case: 'transaction' }>['value'];

const withTransaction = (
  told: GetUpdatesResponse,
  changed: Partial<Transaction>,
): GetUpdatesResponse =>
  told.update?.$case === 'transaction'
    ? { update: { $case: 'transaction', value: { ...told.update.value, ...changed } } }
    : told;

const withEvent =
  (change: (created: Created) => Created) =>
  (told: GetUpdatesResponse): GetUpdatesResponse => {
    const events = told.update?.$case === 'transaction' ? told.update.value.events : [];
    return withTransaction(told, {
      events: events.map(({ event }) =>
        event?.$case === 'created'
          ? { event: { ...event, value: change(event.value) } }
          : { event },
      ),
    });
  };

/* Unexpected elements in streams. Each is either applied correctly, or stops its stream with a reason. */

const PARTIES = { provider: party(PROVIDER), user: party(USER) };
const LICENSE_FIELDS = {
  ...PARTIES,
  licenseNum: int64(1n),
  expiresAt: timestamp(1_767_225_600_000_000n),
};
const install = (fields: Parameters<typeof newContract>[1] = {}) =>
  newContract(APP_INSTALL, { ...PARTIES, numLicensesCreated: int64(0n), ...fields }, [PROVIDER]);
const license = (fields: Parameters<typeof newContract>[1] = {}) =>
  newContract(LICENSE, { ...LICENSE_FIELDS, ...fields }, [PROVIDER]);
const REFUSED = { submissionId: 's', status: { code: 9, message: 'no', details: [] } };
const broken = { sum: undefined } as const;

const stored = async (world: ProjectorWorld): Promise<bigint[]> => {
  const { rows } = await world.under.pool.query<{ offset: bigint }>(
    'select "offset" from ledger_update order by 1',
  );
  return rows.map(({ offset }) => offset);
};

test.each([
  ['a value of a kind that is not known here', license({ note: broken }), 'note: a value without'],
  [
    'a contract that lacks what it must have',
    newContract(LICENSE, PARTIES, [PROVIDER]),
    'licenseNum',
  ],
  [
    'a record without labels',
    { ...license(), payload: unlabelled(license().payload) },
    'without labels',
  ],
])('%s stops the updates before it, and nothing else', async (_what, unreadable, says) => {
  await using world = await ProjectorWorld.open();
  const projector = await world.ready();
  const before = world.ledger.create(install());
  await expect.poll(() => reached(projector)).toBe(before);
  const at = world.ledger.create(unreadable);
  world.ledger.create(install());
  await expect.poll(() => readiness(projector)).toContain(says);
  expect(readiness(projector)).toContain(`has stopped at offset ${before}: `);
  expect(readiness(projector)).toContain(`${world.ledger.idAt(at)} at offset ${at}`);
  expect(readiness(projector)).toContain(unreadable.contractId);
  expect(projector.status()).toMatchObject({ state: 'following' });
  expect(projector.status().broken.get('updates')).toMatchObject({ needsPerson: true });
  expect(world.log.filter(({ level }) => level === 'warn')).toHaveLength(1);
  // The other streams continue.
  const told = [world.ledger.complete(REFUSED), world.userLedger.checkpoint()];
  await expect.poll(() => reached(projector, `completions:${P}`)).toBe(told[0]);
  await expect.poll(() => reached(projector, `completions:${U}`)).toBe(told[1]);
  expect(await stored(world)).toEqual([before]);
  // A version that can read the element continues where this version has stopped.
  await projector.stop();
  const mended = world.ledger.updates.find(({ offset }) => offset === at)?.message
    .update as never as {
    value: { events: unknown[] };
  };
  mended.value.events = [creates(license())(at, 0)];
  const next = world.start();
  await expect.poll(() => readiness(next)).toBe('ok');
  await expect.poll(() => stored(world)).toEqual([before, at, at + 1n]);
});

test('an element that was damaged on the way is read again, and nobody is asked', async () => {
  await using world = await ProjectorWorld.open();
  const script = world.ledger.script(world.peer);
  const usual = script.updates!;
  // Invalid elements: unreadable, meaningless, impossible to apply, or with a wrong offset or ID.
  const damages: ((told: GetUpdatesResponse) => GetUpdatesResponse)[] = [
    withEvent((created) => ({ ...created, createArguments: undefined })),
    withEvent((created) => ({ ...created, contractId: `${created.contractId}\u{fffd}` })),
    withEvent((created) => ({ ...created, contractId: randomBytes(4_000).toString('hex') })),
    (told) => withTransaction(told, { offset: 1n }),
    (told) => withTransaction(told, { offset: 1_000_000n }),
    (told) => withTransaction(told, { updateId: 'u-\u0001' }),
  ];
  let damaged = 0n;
  script.updates = async function* updates(request, context) {
    for await (const told of usual(request, context)) {
      const { update } = told;
      const isNew = update?.$case === 'transaction' && update.value.offset > damaged;
      const damage = isNew && update.value.offset > 1n ? damages.shift() : undefined;
      if (isNew) damaged = update.value.offset;
      yield damage === undefined ? told : damage(told);
    }
  };
  const projector = await world.ready();
  const all: bigint[] = [];
  for (let n = 0; n < 7; n += 1) {
    all.push(world.ledger.create(install()));
    await expect.poll(() => reached(projector)).toBe(all.at(-1));
  }
  expect(damages).toEqual([]);
  expect(await stored(world)).toEqual(all);
  expect(world.log.filter(({ level }) => level === 'warn')).toEqual([]);
});

test('what the store refuses stops its stream alone, and what came with it gets through', async () => {
  await using world = await ProjectorWorld.open();
  const projector = await world.ready();
  const one = install();
  const before = world.ledger.create(one);
  // The name of this choice is too long for an index.
  const at = world.ledger.transact([consumes(one, randomBytes(4_000).toString('hex'))]);
  const after = world.ledger.create(install());
  const told = world.ledger.complete(REFUSED);
  await expect.poll(() => readiness(projector)).toContain(`transaction ${world.ledger.idAt(at)}`);
  expect(readiness(projector)).toContain(`has stopped at offset ${before}: CANNOT_APPLY`);
  await expect.poll(() => reached(projector, `completions:${P}`)).toBe(told);
  expect(await stored(world)).toEqual([before]);
  expect(after).toBeGreaterThan(at);
});

test('texts and references of others, however strange, are stored', async () => {
  await using world = await ProjectorWorld.open();
  const projector = await world.ready();
  const id = randomBytes(8_000).toString('hex');
  const reference = recordValue({
    settlement: recordValue({ settlementRef: recordValue({ id: text(id) }) }),
  });
  const one = install({ meta: textMap({ 'a\0': 'b\0c' }), allocation: reference });
  const at = world.ledger.create(one);
  await expect.poll(() => reached(projector)).toBe(at);
  const view = await world.store.reads.lifecycle(one.contractId, io());
  expect(view?.payload['meta']).toEqual({ 'a\uFFFD': 'b\uFFFDc' });
  expect(view?.payload['allocation']).toMatchObject({ settlement: { settlementRef: { id } } });
});

test('an upgraded package is followed as before: other id, new fields, new constructors, fields in another order', async () => {
  await using world = await ProjectorWorld.open();
  const projector = await world.ready();
  const old = install();
  world.ledger.create(old);
  const upgraded = { packageId: 'b'.repeat(64) };
  const newer = newContract(
    APP_INSTALL,
    {
      tier: variant('Platinum', text('from the next version')),
      numLicensesCreated: int64(1n),
      note: none,
      user: party(USER),
      provider: party(PROVIDER),
    },
    [PROVIDER],
    upgraded,
  );
  const made = newContract(LICENSE, { ...LICENSE_FIELDS, seats: int64(5n) }, [PROVIDER], upgraded);
  const result = recordValue({
    installId: { sum: { $case: 'contractId', value: newer.contractId } },
    more: variant('New', none),
  });
  const at = world.ledger.transact([
    consumes({ ...old, ...upgraded }, 'AppInstall_CreateLicense', 2, result),
    creates(newer),
    creates(made),
  ]);
  await expect.poll(() => reached(projector)).toBe(at);
  const view = await world.store.reads.lifecycle(old.contractId, io());
  expect(view).toMatchObject({
    lifecycle: {
      contractId: newer.contractId,
      context: { numLicensesCreated: '1' },
      endedAt: null,
    },
    payload: { tier: { tag: 'Platinum', value: 'from the next version' }, note: null },
  });
  const contract = await world.store.reads.contract(made.contractId, io());
  expect(contract).toMatchObject({ packageId: upgraded.packageId, payload: { seats: '5' } });
});

test('a contract that comes from another synchronizer is known from then on; one that leaves stays', async () => {
  await using world = await ProjectorWorld.open();
  const projector = await world.ready();
  const [here, there] = [install(), install()];
  world.ledger.create(here);
  const move = (events: readonly object[]) => {
    const offset = world.ledger.end + 1n;
    const value = {
      updateId: world.ledger.idAt(offset),
      commandId: '',
      workflowId: '',
      offset,
      events: events.map((event) => ({ event })),
      recordTime: { seconds: 1_767_225_700n, nanos: 0 },
      synchronizerId: 'other::1220',
    };
    return world.ledger.tell(offset, {
      update: { $case: 'reassignment', value: value as never },
    });
  };
  const assigned = (contract: typeof here) => {
    const created = creates(contract)(world.ledger.end + 1n, 0).event?.value;
    return { $case: 'assigned', value: { source: 'a', target: 'b', createdEvent: created } };
  };
  move([{ $case: 'unassigned', value: { contractId: here.contractId } }]);
  move([assigned(here), assigned(there)]);
  const topology = world.ledger.end + 1n;
  world.ledger.tell(topology, {
    update: { $case: 'topologyTransaction', value: { offset: topology } as never },
  });
  await expect.poll(() => reached(projector)).toBe(topology);
  for (const { contractId } of [here, there]) {
    const view = await world.store.reads.lifecycle(contractId, io());
    expect(view?.lifecycle).toMatchObject({ contractId, version: 1, endedAt: null });
    expect(await world.store.reads.contract(contractId, io())).toMatchObject({ archived: null });
  }
});
