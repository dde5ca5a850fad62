import { LIMITS } from '../../../src/domain/limits.ts';
import type { Callers } from './callers.ts';
import { callerFor } from './callers.ts';
import type { Cluster } from './cluster.ts';
import { operatorOf } from './desk.ts';
import type { Market } from './market.ts';
import type { World } from './world.ts';

/*
 * The number of operations that wait in one lane. It is more than two transactions can end. Such a lane occurs once in
 * a history with this fault.
 */

const WAITING = 2 * LIMITS.refusedTogetherMax + 20;
const ASK_MS = 40_000;
const BODY = { meta: { data: { words: 'one of many' } } };

/**
 * An operator pauses the cancellation of an install. Then creations of licences wait in the mailbox behind the
 * cancellation. After the pause the install ends, through its cancellation or through another client.
 */
export async function fillMailboxOnce(
  world: World,
  cluster: Cluster,
  callers: Callers,
  market: Market,
): Promise<void> {
  const { filling: random, clock, ledger, trace, weather } = world;
  if (weather.rateOf('long-mailbox') === 0) return;
  await clock.pass(random.between(1_000, 20_000));
  const { provider } = ledger;
  while (market.held(provider, 'install').length === 0 && !weather.isFair) await clock.pass(1_000);
  const by = operatorOf(world);
  const asked = {
    scope: 'operation',
    name: 'cancel-install',
    mode: 'pause',
    reason: 'a test',
  } as const;
  const paused = await cluster.callApi((api) => api.pause(asked, by), ASK_MS);
  if (weather.isFair || paused.kind !== 'value') return;
  world.disasters += 1;
  const target = random.pick(market.held(provider, 'install')).contract.contractId;
  const caller = callerFor(provider, provider);
  const cancel = callers.newAsked(caller, { operation: 'cancel-install', target, body: BODY });
  await callers.ask(cancel);
  const request = { operation: 'create-license', target, body: { params: BODY } } as const;
  const creations = Array.from({ length: WAITING }, () => callers.newAsked(caller, request));
  await Promise.all(creations.map((one) => callers.ask(one)));
  const accepted = creations.filter(({ changeId }) => changeId !== null).length;
  weather.count('long-mailbox', accepted < WAITING ? 'in part' : 'full');
  trace.add('callers', `${accepted} creations of a licence wait behind a cancellation`);
  while ((await cluster.callApi((api) => api.resume(paused.value.id, by), ASK_MS)).kind === 'gone')
    await clock.pass(1_000);
  await callers.await(cancel, 60_000);
  for (const { contract } of market.held(provider, 'install')) {
    if (contract.contractId !== target) continue;
    const choice = { entity: 'Licensing.AppInstall:AppInstall', choice: 'AppInstall_Cancel' };
    const argument = { actor: provider, meta: { values: {} } };
    await market.directly(provider, { ...choice, contractId: target, argument });
  }
  world.disasters -= 1;
}
