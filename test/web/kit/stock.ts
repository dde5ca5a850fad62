import { randomUUID } from 'node:crypto';
import type { DemoCaller } from '../../../cli/demo-callers.ts';
import type { World } from '../../e2e/kit/world.ts';
import { control } from './acts.ts';

/** One object of each kind that has a page. */
export interface Stock {
  readonly request: string;
  readonly install: string;
  readonly license: string;
  readonly renewal: string;
  /** The command ID of the operation and, after it, the operation's own ID. */
  readonly command: string;
  readonly operation: string;
  /** The ID of an act on an operation that the ledger has refused; null if there is no operator. */
  readonly act: string | null;
  readonly webhook: string;
}

/** Requests a step. Returns the body of its answer. @throws Error with the answer if the step is refused */
async function step(
  world: World,
  who: DemoCaller,
  path: string,
  body: object = {},
  commandId: string = randomUUID(),
) {
  const glue = path.includes('?') ? '&' : '?';
  const answer = await world.call(who, 'POST', `${path}${glue}commandId=${commandId}`, { body });
  if (answer.status >= 300)
    throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

export const RENEWAL = {
  licenseFeeCc: 100,
  licenseExtensionDuration: 'P30D',
  prepareUntilDuration: 'PT10M',
  settleBeforeDuration: 'PT20M',
  description: 'One more month',
};

/**
 * Creates an operation that the ledger refuses. Then retries it, together with all similar ones, as an operator.
 * Returns the ID of the act.
 */
async function actOn(world: World): Promise<string> {
  const commandId = `refused-${randomUUID()}`;
  const fault = { kind: 'error', code: 'DAML_FAILURE', times: 1, where: { commandId } };
  await control(world, 'POST', 'faults', fault);
  const url = `/app-install-requests?commandId=${commandId}`;
  const refused = await world.call('user', 'POST', url, { body: {} });
  if (refused.status !== 409) throw new Error(`${commandId}: ${refused.status}`);
  const asked = { action: 'retry', filter: { commandId }, reason: 'the ledger was upgraded' };
  const seen = await world.call('operator', 'POST', '/ops/operations:preview', { body: asked });
  const { token, count } = seen.body;
  const applied = await world.call('operator', 'POST', '/ops/operations:apply', {
    body: { token, count },
  });
  if (applied.status !== 202) throw new Error(JSON.stringify(applied.body));
  return applied.body.id as string;
}

/**
 * Creates a licence with a renewal that is not paid, a request that waits for a decision, and everything that belongs
 * to these.
 */
export async function fill(world: World): Promise<Stock> {
  const command = `stock-${randomUUID()}`;
  const accepted = await step(world, 'user', '/app-install-requests', {}, command);
  const installed = await step(
    world,
    'provider',
    `/app-install-requests/${accepted.contractId}:accept`,
    { installMeta: { data: { plan: 'team' } } },
  );
  const made = await step(
    world,
    'provider',
    `/app-installs/${installed.contractId}:create-license`,
    {
      params: { meta: { data: { seats: '5' } } },
    },
  );
  await step(world, 'provider', `/licenses/${made.licenseId}:renew`, RENEWAL);
  await step(world, 'user', `/licenses/${made.licenseId}/comments`, {
    body: 'When does it start?',
  });
  const waiting = await step(world, 'user', '/app-install-requests', {});
  const license = (await world.call('provider', 'GET', `/licenses/${made.licenseId}`)).body;
  const webhook = await world.call('provider', 'POST', '/webhooks', {
    body: { url: 'https://127.0.0.1:9/hook' },
  });
  if (webhook.status !== 201) throw new Error(`/webhooks: ${JSON.stringify(webhook.body)}`);
  const found = await world.call('user', 'GET', `/operations?commandId=${command}`);
  const hasOperator = world.tenure.state.localnet?.sharedSecret === null;
  return {
    request: waiting.contractId,
    install: made.installId,
    license: made.licenseId,
    renewal: license.renewalRequests[0].contractId,
    command,
    operation: found.body.id,
    act: hasOperator ? await actOn(world) : null,
    webhook: webhook.body.id,
  };
}
