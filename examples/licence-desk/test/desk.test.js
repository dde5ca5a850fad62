import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { protoFolder, startLocalnet } from 'tenure-localnet';
import { Desk } from '../src/desk.js';
import { watch } from '../src/watch.js';

/*
 * The tests of this file share one network, which has a user on one participant and a provider on the other. Each test
 * begins with the state of the new network.
 */

/** @type {import('tenure-localnet').Localnet<'alice' | 'desk'>} */
let localnet;
/** @type {import('tenure-localnet').Snapshot} */
let fresh;
/** @type {Desk} */
let alice;
/** @type {Desk} */
let desk;

before(async () => {
  localnet = await startLocalnet({ parties: { alice: 'app-user', desk: 'app-provider' } });
  fresh = await localnet.snapshot();
  const { participants, parties } = localnet;
  alice = new Desk({
    url: participants['app-user'].json,
    party: parties.alice,
    token: () => localnet.token('alice'),
  });
  desk = new Desk({
    url: participants['app-provider'].json,
    party: parties.desk,
    token: () => localnet.token('desk'),
  });
});
beforeEach(() => localnet.restore(fresh));
after(() => localnet.close());

/** Makes the user request a licence and the desk create it. Returns the user's licence. */
async function licensed() {
  await alice.ask(localnet.parties.desk);
  await desk.serve();
  const [license] = await alice.licenses();
  assert.ok(license);
  return license;
}

describe('a licence', () => {
  test('is given to the user who asks, and both see it', async () => {
    const license = await licensed();
    assert.equal(license.user, localnet.parties.alice);
    assert.deepEqual(await desk.licenses(), [license]);
  });

  test('is not there any more: each test begins anew', async () => {
    assert.deepEqual(await alice.licenses(), []);
  });

  test('cannot be ended before it has run out', async () => {
    const license = await licensed();
    // A new licence expires at once. The ledger's clock is not the wall clock: it can be advanced by a day.
    const later = localnet.advanceTime({ days: 1 });
    assert.ok(later > license.expiresAt);
    await desk.expire(license.contractId);
    assert.deepEqual(await alice.licenses(), []);
  });

  test('is not renewed once the deadline has passed', async () => {
    const { contractId } = await licensed();
    const offer = {
      contractId,
      dso: localnet.parties.dso,
      payWithinMs: 60_000,
      now: localnet.now(),
    };
    localnet.advanceTime({ minutes: 2 });
    await assert.rejects(desk.renew(offer), {
      code: 'DAML_FAILURE',
      cause: /deadline 'prepareUntil'/u,
    });
    await desk.renew({ ...offer, now: localnet.now() });
  });
});

describe('when things go wrong', () => {
  test('a command that the participant has no time for is sent again', async () => {
    const busy = { kind: 'away', surface: 'json', how: 'reset', times: 1 };
    const [fault] = localnet.faults.add(/** @type {import('tenure-localnet').Fault} */ (busy));
    await licensed();
    assert.equal(localnet.faults.get(fault?.id ?? '')?.state, 'spent');
    assert.equal((await desk.licenses()).length, 1);
  });

  test('a command that the network rejects is not taken for accepted', async () => {
    localnet.faults.add({ kind: 'reject', code: 'LOCAL_VERDICT_TIMEOUT', times: 1 });
    await assert.rejects(alice.ask(localnet.parties.desk), { code: 'LOCAL_VERDICT_TIMEOUT' });
    assert.deepEqual(await desk.licenses(), []);
    await licensed();
  });
});

describe('the watcher', () => {
  /** @type {string[]} */
  let seen;
  /** @type {() => Promise<void>} */
  let stop;
  beforeEach(() => {
    seen = [];
    stop = watch({
      address: localnet.participants['app-provider'].grpc,
      protos: protoFolder,
      party: localnet.parties.desk,
      token: () => localnet.token('desk'),
      onCreated: ({ template }) => seen.push(template),
    });
  });
  afterEach(() => stop());

  test('tells of each contract once, though its stream is cut again and again', async () => {
    const [cut] = localnet.faults.add({ kind: 'cut-at', how: 'reset', chance: 0.5, seed: 'a' });
    await licensed();
    await until(() => seen.includes('License'));
    const each = ['AppInstall', 'AppInstall', 'AppInstallRequest', 'License'];
    assert.deepEqual(seen.toSorted(), each);
    assert.ok((localnet.faults.get(cut?.id ?? '')?.struck ?? 0) > 0);
  });
});

/** @param {() => boolean} isSo */
async function until(isSo) {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}
