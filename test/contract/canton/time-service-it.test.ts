import { expect, test } from 'vitest';
import { change } from '../kit/commands.ts';
import { expectRefused, openSuite } from '../kit/conformance.ts';
import { expire } from '../kit/licensing.ts';
import { newLicense, transact } from '../kit/steps.ts';
import { archivedIn, readUntil } from '../kit/streams.ts';

/* Cases of TimeServiceIT on a ledger with static time, and cases of HealthServiceIT. */

const SERVING = 1;
const STEP_S = 30n;

const { network, ledger, party } = await openSuite({ staticTime: '2030-01-01T00:00:00.000Z' });

interface Time {
  readonly seconds: bigint;
  readonly nanos: number;
}

const now = async (): Promise<Time> => (await ledger.time.getTime({})).currentTime!;
const later = ({ seconds, nanos }: Time, by = STEP_S): Time => ({ seconds: seconds + by, nanos });

test('TimeServiceIT TSTimeIsStatic: time stands still', async () => {
  const before = await now();
  expect(await now()).toEqual(before);
});

test('TimeServiceIT TSTimeCanBeAdvanced: until it is set', async () => {
  const currentTime = await now();
  await ledger.time.setTime({ currentTime, newTime: later(currentTime) });
  expect(await now()).toEqual(later(currentTime));
});

test('TimeServiceIT TSTimeAdvancementCanFail: from another time than the present one', async () => {
  const time = await now();
  await expectRefused(
    ledger.time.setTime({ currentTime: later(time, 1n), newTime: later(time) }),
    'INVALID_ARGUMENT',
    'current_time mismatch',
  );
});

/** Returns a licence that expires one step of time from now, and the user's command that ends it. */
async function ending() {
  const who = await party();
  const expiresAt = later(await now()).seconds * 1_000_000n;
  const { contractId } = await newLicense(ledger, { user: who, provider: who }, expiresAt);
  return () => transact(ledger, change(expire(contractId, who), { actAs: [who] }));
}

test('TimeServiceIT TSFailWhenTimeNotAdvanced: a contract that asks for a later time', async () => {
  const end = await ending();
  await expectRefused(end(), 'DAML_FAILURE', 'deadline-not-exceeded');
});

test('TimeServiceIT TSSucceedWhenTimeAdvanced: and gets it', async () => {
  const end = await ending();
  const currentTime = await now();
  await ledger.time.setTime({ currentTime, newTime: later(currentTime) });
  expect(archivedIn(await end())).toHaveLength(1);
});

test('HealthServiceIT HScheck: asked once', async () => {
  expect(await network.bearing('app-user').health.check({})).toEqual({ status: SERVING });
});

test('HealthServiceIT HSwatch: watched', async () => {
  const { health } = network.bearing('app-user');
  const said = await readUntil(
    (options) => health.watch({}, options),
    (seen) => seen.length > 0,
  );
  expect(said).toEqual([{ status: SERVING }]);
});
