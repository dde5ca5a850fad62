import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processEnvironment } from '../../src/main/config.ts';
import type { RunningTenure } from '../../embedded/run.ts';
import { runTenure } from '../../embedded/run.ts';
import type { LocalnetAddresses } from '../../src/main/run-state.ts';
import type { Wallet } from '../wallet.ts';
import { openWallet } from '../wallet.ts';
import { DEMO_PASSWORD } from '../demo-callers.ts';
import { table } from '../table.ts';
import { YEAR, walkYear } from './demo-year.ts';
import { fetchToken } from './token.ts';

/** The only variables that the demo takes from the shell, so that its other settings have no effect. */
const OWN_WORLD = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TENURE_LOG_LEVEL'];

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface Session {
  readonly apiUrl: string;
  readonly wallet: Wallet;
  readonly tokens: Readonly<Record<'provider' | 'user', string>>;
}

const SHORT = 18;
const shorten = (id: string): string => (id.length > SHORT ? `${id.slice(0, SHORT)}…` : id);

async function call(
  session: Session,
  who: 'provider' | 'user',
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<Answer> {
  const answer = await fetch(`${session.apiUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${session.tokens[who]}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json') === true;
  return { status: answer.status, body: isJson ? JSON.parse(text) : text };
}

/** Returns the ledger offset at which an operation took effect, as the operation reports it. */
async function offsetOf(
  session: Session,
  who: 'provider' | 'user',
  commandId: string,
): Promise<string> {
  const { body } = await call(session, who, 'GET', `/operations/${encodeURIComponent(commandId)}`);
  const { attempts } = body as { attempts: readonly { offset?: number }[] };
  return String(attempts.at(-1)?.offset ?? '?');
}

/** Returns the contract IDs in an answer, each with the name of its member. */
function contractsIn(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    typeof value === 'string' && /^00[0-9a-f]{64}/u.test(value)
      ? [`${name} ${shorten(value)}`]
      : [],
  );
}

function print(step: string, status: number, ms: number, details: readonly string[]): void {
  console.log(
    `${step.padEnd(24)} ${status}  ${`${ms.toFixed(0)} ms`.padStart(7)}  ${details.join('  ')}`,
  );
}

/**
 * Performs one step: calls, checks the status and prints the result. @throws Error if the status is not the expected
 * one
 */
async function step<Body>(
  session: Session,
  name: string,
  who: 'provider' | 'user',
  path: string,
  expected: number,
  body: object,
): Promise<Body> {
  const commandId = `demo-${randomUUID()}`;
  const began = performance.now();
  const answer = await call(session, who, 'POST', `${path}?commandId=${commandId}`, body);
  const ms = performance.now() - began;
  if (answer.status !== expected) {
    throw new Error(`${name}: answered ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  const offset = await offsetOf(session, who, commandId);
  print(name, answer.status, ms, [`offset ${offset}`, ...contractsIn(answer.body)]);
  return answer.body as Body;
}

async function listLicenses(session: Session, who: 'provider' | 'user'): Promise<void> {
  const began = performance.now();
  const { status, body } = await call(session, who, 'GET', '/licenses');
  const licenses = body as readonly { licenseNum: number; contractId: string }[];
  const found = licenses.map(
    ({ licenseNum, contractId }) => `#${licenseNum} ${shorten(contractId)}`,
  );
  print(`list, as the ${who}`, status, performance.now() - began, found);
  if (licenses.length !== 1)
    throw new Error(`the demo expected one licence at the end, but found ${licenses.length}`);
}

interface Renewal {
  readonly contractId: string;
  readonly requestId: string;
  readonly allocationCid: string | null;
}

const PAYMENT_SEEN_MS = 10_000;
const LOOK_AGAIN_MS = 100;

/** Returns the renewal request of a licence once it exists or, with `paid`, once its allocation has been seen. */
async function renewalOf(session: Session, license: string, paid: boolean): Promise<Renewal> {
  const deadline = performance.now() + PAYMENT_SEEN_MS;
  for (;;) {
    const { body } = await call(session, 'provider', 'GET', `/licenses/${license}`);
    const [renewal] = (body as { renewalRequests: readonly Renewal[] }).renewalRequests;
    if (renewal !== undefined && (!paid || renewal.allocationCid !== null)) return renewal;
    if (performance.now() > deadline) throw new Error(`no renewal of ${license} appeared in time`);
    await sleep(LOOK_AGAIN_MS);
  }
}

/** The provider requests a fee, the user allocates it in the wallet, and the provider collects it. */
async function renew(session: Session, license: string): Promise<void> {
  await step(session, 'renew', 'provider', `/licenses/${license}/renew`, 201, {
    licenseFeeCc: 100,
    licenseExtensionDuration: 'P30D',
    prepareUntilDuration: 'PT10M',
    settleBeforeDuration: 'PT20M',
    description: 'one more month',
  });
  const { requestId } = await renewalOf(session, license, false);
  const began = performance.now();
  await session.wallet.tap('1000.0');
  const allocation = await session.wallet.accept(requestId);
  print('pay, in the wallet', 200, performance.now() - began, [
    `allocation ${shorten(allocation)}`,
  ]);
  const { contractId } = await renewalOf(session, license, true);
  const complete = `/licenses/${license}/complete-renewal`;
  await step(session, 'complete renewal', 'provider', complete, 200, {
    renewalRequestContractId: contractId,
    allocationContractId: allocation,
  });
}

async function walk(session: Session): Promise<void> {
  const meta = { data: { reason: 'demo' } };
  const request = await step<{ contractId: string }>(
    session,
    'request installation',
    'user',
    '/app-install-requests',
    201,
    { meta },
  );
  const install = await step<{ contractId: string }>(
    session,
    'accept',
    'provider',
    `/app-install-requests/${request.contractId}/accept`,
    201,
    { installMeta: meta, meta: {} },
  );
  const params = { params: { meta: { data: {} } } };
  const first = await step<{ installId: string; licenseId: string }>(
    session,
    'create licence',
    'provider',
    `/app-installs/${install.contractId}/create-license`,
    201,
    params,
  );
  // The contract of the install has been replaced, but its first ID still leads to the install.
  const second = await step<{ licenseId: string }>(
    session,
    'create licence',
    'provider',
    `/app-installs/${install.contractId}/create-license`,
    201,
    params,
  );
  await renew(session, second.licenseId);
  await step(session, 'expire', 'provider', `/licenses/${first.licenseId}/expire`, 200, {
    meta: { data: { description: 'the demo has ended' } },
  });
  await listLicenses(session, 'provider');
  await listLicenses(session, 'user');
}

async function sessionOf(tenure: RunningTenure, localnet: LocalnetAddresses): Promise<Session> {
  const [provider, user] = await Promise.all([
    fetchToken(localnet, 'provider'),
    fetchToken(localnet, 'user'),
  ]);
  const wallet = openWallet(localnet.userWalletUrl, user);
  return { apiUrl: tenure.state.apiUrl, wallet, tokens: { provider, user } };
}

/** Runs a year of renewals instead of the usual steps. Its calls throw if the answer is an error. */
async function walkThroughYear(session: Session, networkUrl: string): Promise<void> {
  await walkYear({
    wallet: session.wallet,
    networkUrl,
    tell: (line) => console.log(line),
    async call(who, method, path, body) {
      const answer = await call(session, who, method, path, body);
      if (answer.status < 300) return answer.body;
      throw new Error(`${path}: answered ${answer.status} ${JSON.stringify(answer.body)}`);
    },
  });
}

const YEAR_DONE =
  'Done: twelve months, each paid once and extended once; one payment by hand waits for the provider.';

const DONE =
  'Done: seven operations, each with one effect on the ledger; one licence left, valid for a month.';

const SIGN_IN = `Sign in as app-provider, app-user or operator (public demo credentials of LocalNet), with
password ${DEMO_PASSWORD}. Everything runs until you press Ctrl-C, and is then deleted.`;

/** Prints all addresses, and waits until interrupted. @throws the error if Tenure ends for another reason */
async function stayUp({ state, ended }: RunningTenure, signal: AbortSignal): Promise<void> {
  const rows = state.addresses.map(({ name, url }) => [name, url]);
  console.log(`\n${table(['', ''], rows).trimStart()}\n\n${SIGN_IN}`);
  if (!signal.aborted) await Promise.race([once(signal, 'abort'), ended]);
}

/**
 * Starts everything on free ports in a temporary folder, runs a licence through its lifecycle over REST, and cleans up.
 *
 * @param options `watch`: everything keeps running after the demo, until a signal; `subscription`: runs a year of
 *   renewals instead
 */
export async function demo(
  options: { readonly watch?: boolean; readonly subscription?: boolean } = {},
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tenure-demo-'));
  const environment = Object.fromEntries(
    Object.entries(processEnvironment()).filter(([name]) => OWN_WORLD.includes(name)),
  );
  const stopping = new AbortController();
  const onSignal = () => stopping.abort();
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  try {
    const began = performance.now();
    await using tenure = await runTenure({
      environment: {
        // During the year of renewals the ledger's clock differs from this machine's, which would be logged all the
        // time.
        TENURE_LOG_LEVEL: options.subscription === true ? 'silent' : 'warn',
        ...environment,
        ...(options.subscription === true ? YEAR : {}),
        TENURE_DATA_DIR: dataDir,
        BACKEND_PORT: '0',
      },
      ports: 'free',
      signal: stopping.signal,
    });
    console.log(
      `Everything runs in ${dataDir} (ready in ${(performance.now() - began).toFixed(0)} ms)\n`,
    );
    const { localnet } = tenure.state;
    if (localnet === null) throw new Error('the demo starts its own LocalNet');
    await Promise.race([
      sessionOf(tenure, localnet).then((session) =>
        options.subscription === true
          ? walkThroughYear(session, localnet.networkUrl)
          : walk(session),
      ),
      once(stopping.signal, 'abort').then(() => {
        throw new Error('interrupted');
      }),
    ]);
    console.log(`\n${options.subscription === true ? YEAR_DONE : DONE}`);
    if (options.watch === true) await stayUp(tenure, stopping.signal);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
