import type { BrowserContext, Page, Request } from 'playwright-core';
import { createLedgerClients, openChannel } from '../../contract/kit/clients.ts';
import { activeIds } from '../../contract/kit/steps.ts';
import type { World } from '../../e2e/kit/world.ts';
import { PATIENCE_MS } from '../../kit/patience.ts';
import { queryOnce } from '../../kit/postgres-query.ts';

/*
 * Helpers for an act of a person: they perform it in the browser, record the requests that the browser sends, and read
 * the effect on the ledger.
 */

/** Opens the dialog that requests an installation, and confirms it. */
export async function askInstall(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'Request an installation' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Ask', exact: true }).click();
}

/**
 * Waits until the act has taken effect.
 *
 * @param timeout in milliseconds
 */
export const isDone = (page: Page, timeout = PATIENCE_MS): Promise<void> =>
  page.getByText('Done', { exact: true }).first().waitFor({ timeout });

/** Calls LocalNet's control routes, such as those for faults. @throws Error if the call is refused */
export async function control(
  { tenure }: World,
  method: 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<void> {
  const answer = await fetch(`${tenure.state.localnet!.networkUrl}/control/${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`LocalNet answered ${answer.status} ${await answer.text()}`);
}

/** A fault that holds submissions back until it is removed. */
export const HELD = { kind: 'hold', where: { method: 'Submit' } } as const;

/** One request with a command ID, as the browser sent it. */
export interface Try {
  readonly commandId: string;
  atMs: number;
  /** The status of the answer; null until it has arrived. */
  status: number | null;
  /** The number of seconds after which the answer permits another request. */
  retryAfterS: number | null;
}

/** Returns a list to which all requests of commands are added that are sent from now on, in order. */
export function watchTries(context: BrowserContext): readonly Try[] {
  const tries: Try[] = [];
  const byRequest = new WeakMap<Request, Try>();
  context.on('request', (request) => {
    const commandId = new URL(request.url()).searchParams.get('commandId');
    if (request.method() !== 'POST' || commandId === null) return;
    const one: Try = { commandId, atMs: Date.now(), status: null, retryAfterS: null };
    byRequest.set(request, one);
    tries.push(one);
  });
  context.on('response', (response) => {
    const one = byRequest.get(response.request());
    if (one === undefined) return;
    one.status = response.status();
    // The browser's own time is used, because this process may get the notification late.
    one.atMs = response.request().timing().startTime;
    const asked = response.headers()['retry-after'];
    one.retryAfterS = asked === undefined ? null : Number(asked);
  });
  return tries;
}

/** Returns how many active contracts the user has, read directly from the user's participant and not through Tenure. */
export async function onLedger(world: World): Promise<number> {
  const { environment, localnet } = world.tenure.state;
  const channel = openChannel(`127.0.0.1:${environment['APP_USER_LEDGER_PORT']}`);
  try {
    const clients = createLedgerClients(channel, () => world.tokenOf('user'));
    return (await activeIds(clients, localnet!.userParty)).length;
  } finally {
    channel.close();
  }
}

/** Returns whether the server has recorded the command. */
export async function isRecorded({ tenure }: World, commandId: string): Promise<boolean> {
  const sql = 'select count(*) as n from change where command_id = $1';
  const [row] = await queryOnce<{ n: string }>(tenure.state.databaseUrl, sql, [commandId]);
  return Number(row?.n) === 1;
}
