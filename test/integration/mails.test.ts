import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { eventSource } from '../../src/app/engine/lanes/events.ts';
import { CLOCK_LEASE } from '../../src/app/ports/leases.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { Party } from '../../src/domain/ids.ts';
import { MAIL_TARGET, OPERATORS_TARGET } from '../../src/domain/mail.ts';
import { openMail, withMail } from '../../src/main/mail-side.ts';
import type { Deliverer } from '../../src/ops/deliverer.ts';
import { startDeliverer } from '../../src/ops/deliverer.ts';
import { createAlarms } from '../../src/store/desk/alarms.ts';
import { createLeases } from '../../src/store/engine/lease.ts';
import { DELIVERIES_CHANNEL } from '../../src/store/sql/channels.ts';
import { openListener } from '../../src/store/sql/listen.ts';
import { createDeliveries } from '../../src/store/webhooks/deliveries.ts';
import { freePort } from '../../embedded/free-port.ts';
import type { EventWorld } from '../kit/event-world.ts';
import { eventOf, startEventWorld } from '../kit/event-world.ts';
import { PROVIDER, USER } from '../kit/http-api.ts';
import { change, io } from '../kit/store-rows.ts';
import { arrive, save } from '../kit/store-under-test.ts';

/*
 * Mails to customers: from the subscription to the arrival at a mail server in this process, and unsubscribing by the
 * links in the mails.
 */

interface Arrived {
  readonly to: string;
  readonly raw: string;
}

const arrived: Arrived[] = [];
/** Messages that the server has received but not accepted. */
const declined: Arrived[] = [];
/** How the server answers a recipient or, if the refusal is temporary, a message. By default it accepts both. */
const refusals = new Map<string, number>();
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onRcptTo({ address }, _session, callback) {
    const code = refusals.get(address);
    if (code === undefined || code < 500) return callback();
    return callback(Object.assign(new Error('so it is'), { responseCode: code }));
  },
  onData(stream, session, callback) {
    let raw = '';
    stream.on('data', (chunk: Buffer) => {
      raw += String(chunk);
    });
    stream.on('end', () => {
      const to = session.envelope.rcptTo.map(({ address }) => address).join();
      const code = refusals.get(to);
      (code === undefined ? arrived : declined).push({ to, raw });
      callback(code === undefined ? null : Object.assign(new Error('no'), { responseCode: code }));
    });
  },
});

const PUBLIC_URL = 'https://app.example';
let world: EventWorld;
let deliverer: Deliverer;
const stack = new AsyncDisposableStack();
const soon = { interval: 10, timeout: 10_000 };

beforeAll(async () => {
  const port = await freePort();
  const mail = {
    smtpUrl: `smtp://127.0.0.1:${port}`,
    from: { name: 'Provider AG', address: 'licences@provider.example' },
    publicUrl: PUBLIC_URL,
    operators: { emails: ['oncall@provider.example'], leastSeverity: 'critical' as const },
  };
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  world = await startEventWorld();
  stack.use(world);
  const { pool, deps, database } = world.api;
  const deliveries = createDeliveries(pool);
  world.sequencer((epoch, io) => deliveries.fanOut(eventSource(PROVIDER), epoch, io));
  const targets = {
    defectOf: async () => 'no webhook here',
    post: async () => ({ status: 500, retryAfterMs: null }),
    close: async () => {},
  };
  const mailed = withMail(targets, { mail }, PROVIDER);
  Object.assign(deps, { targetDefect: (url: URL, who: Party) => mailed.defectOf(url, who) });
  const parts = { pool, ledger: { providerParty: PROVIDER } };
  deliverer = startDeliverer({
    deliveries,
    post: targets.post,
    mail: openMail({ ...parts, config: { mail, isProduction: true } }),
    wallClock: { nowMs: Date.now },
    random: () => 0.5,
    log: deps.log,
  });
  stack.defer(() => deliverer.stop());
  const wake = () => deliverer.wake();
  const listener = openListener({ url: database.url, applicationName: 'test-mails' });
  stack.defer(() => listener.stop());
  listener.on(DELIVERIES_CHANNEL, { onMessage: wake, onGap: wake });
});
afterAll(async () => {
  await stack.disposeAsync();
  await new Promise<void>((resolve) => server.close(resolve));
});
beforeEach(async () => {
  arrived.length = 0;
  declined.length = 0;
  refusals.clear();
  await world.api.pool.query('delete from webhook');
  await world.api.pool.query('delete from customer');
});

const ask = async (method: 'GET' | 'POST', url: string, payload?: object, who: Party = PROVIDER) =>
  world.api.app.inject({
    method,
    url,
    headers: { authorization: await world.api.as(who) },
    ...(payload === undefined ? {} : { payload }),
  });

/** Creates a customer with these addresses, and a subscription to mails. */
async function subscribed(emails: readonly string[], name = 'ACME') {
  const customer = { party: USER, name, emails, timeZone: 'Europe/Zurich' };
  expect((await ask('POST', '/customers', customer)).statusCode).toBe(201);
  const made = await ask('POST', '/webhooks', { url: MAIL_TARGET });
  expect([made.statusCode, made.json().types]).toEqual([201, ['tenure.license.*']]);
  return async () => {
    const log = await ask('GET', `/webhooks/${made.json().id}/deliveries`);
    return log.json<{ state: string; lastAttempt?: { status: number; error: string } }[]>();
  };
}

const remind = (subject: string, over = {}) =>
  save(world.api.store, {
    events: [
      eventOf(subject, {
        type: 'tenure.license.expiring',
        data: { provider: PROVIDER, user: USER, expiresAt: '2030-01-31T12:00:00Z' },
        ...over,
      }),
    ],
  });

const header = ({ raw }: Arrived, name: string): string | undefined =>
  new RegExp(`^${name}: ((?:.|\r\n[ \t])*)`, 'imu').exec(raw)?.[1]?.replaceAll(/\r\n[ \t]/gu, ' ');
/** Makes all deliveries due now that are planned for later. */
const hurry = async () => {
  await world.api.pool.query('update webhook set not_before = now()');
  await world.api.pool.query(`update delivery set due_at = now() where state = 'pending'`);
  deliverer.wake();
};
const linkIn = (mail: Arrived): string =>
  /<https:\/\/app\.example(\/unsubscribe\/[\w-]{22})>/u.exec(
    header(mail, 'List-Unsubscribe') ?? '',
  )![1]!;

test('a reminder reaches every address of the customer, with the headers of a mail that can be ended', async () => {
  const log = await subscribed(['one@acme.example', 'two@acme.example']);
  await remind('license-1');
  await remind('license-2', { type: 'tenure.license.invented' });
  await remind('license-3', { data: { provider: PROVIDER, user: 'stranger::1220' } });
  await vi.waitFor(
    async () =>
      expect((await log()).map(({ state }) => state)).toEqual([
        'delivered',
        'delivered',
        'delivered',
      ]),
    soon,
  );
  const statuses = (await log()).map(({ lastAttempt }) => lastAttempt?.status);
  expect(statuses.filter((status) => status === 204)).toHaveLength(2);
  expect(statuses).toContain(250);
  expect(arrived.map(({ to }) => to).toSorted()).toEqual(['one@acme.example', 'two@acme.example']);
  const [first, second] = arrived as [Arrived, Arrived];
  expect(header(first, 'From')).toBe('Provider AG <licences@provider.example>');
  expect(header(first, 'To')).toBe(`ACME <${first.to}>`);
  expect(header(first, 'Subject')).toBe('Your licence is about to expire');
  expect(header(first, 'Message-ID')).toMatch(/^<evt_\d+\.[\da-f]{32}@provider\.example>$/u);
  expect(header(first, 'Message-ID')).not.toBe(header(second, 'Message-ID'));
  expect(header(first, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
  expect(linkIn(first)).not.toBe(linkIn(second));
  expect(first.raw).toContain('31 January 2030 at 13:00 CET');
});

test('a temporary failure is tried again under the same Message-ID, and a refused address stops no other', async () => {
  refusals.set('later@acme.example', 451).set('never@acme.example', 550);
  const log = await subscribed(['fine@acme.example', 'later@acme.example', 'never@acme.example']);
  await remind('license-1');
  await vi.waitFor(
    async () =>
      expect((await log())[0]?.lastAttempt?.error).toBe('the mail server answered 451 to DATA'),
    soon,
  );
  expect(arrived.map(({ to }) => to)).toEqual(['fine@acme.example']);
  refusals.delete('later@acme.example');
  await hurry();
  await vi.waitFor(async () => expect((await log())[0]?.state).toBe('delivered'), soon);
  expect(arrived.map(({ to }) => to)).toEqual(['fine@acme.example', 'later@acme.example']);
  const ids = [...declined, ...arrived.slice(1)].map((mail) => header(mail, 'Message-ID'));
  expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
});

test('a delivery that is repeated as a whole has the same messages', async () => {
  refusals.set('never@acme.example', 550);
  const log = await subscribed(['fine@acme.example', 'never@acme.example']);
  await remind('license-1');
  await vi.waitFor(async () => expect((await log())[0]?.state).toBe('delivered'), soon);
  expect((await log())[0]?.lastAttempt).toMatchObject({
    status: 250,
    error: '1 of 2 messages are refused for good: the mail server answered 550 to RCPT TO',
  });
  await world.api.pool.query(
    `update delivery set state = 'pending', due_at = now(), finished_at = null`,
  );
  await hurry();
  await vi.waitFor(() => expect(arrived).toHaveLength(2), soon);
  const [first, second] = arrived as [Arrived, Arrived];
  expect(header(second, 'Message-ID')).toBe(header(first, 'Message-ID'));
  expect(linkIn(second)).toBe(linkIn(first));
});

test('a name with line breaks adds no header', async () => {
  await subscribed(['one@acme.example'], 'ACME\r\nBcc: spy@evil.example\r\n\r\nHello');
  await remind('license-1');
  await vi.waitFor(() => expect(arrived).toHaveLength(1), soon);
  const [mail] = arrived as [Arrived];
  expect(mail.to).toBe('one@acme.example');
  expect(header(mail, 'Bcc')).toBeUndefined();
  expect(header(mail, 'To')).toBe('"ACME Bcc: spy@evil.example Hello" <one@acme.example>');
});

/** Returns the addresses of the customer that have unsubscribed, as the provider reads them in the list and alone. */
async function unsubscribed(): Promise<readonly string[]> {
  const [customer] = (await ask('GET', '/customers')).json();
  const read = await ask('GET', `/customers/${customer.id}`);
  expect(read.json().unsubscribedEmails).toEqual(customer.unsubscribedEmails);
  return customer.unsubscribedEmails;
}

test('to look at a link changes nothing; to press the button ends the mails to the address alone', async () => {
  const log = await subscribed(['One@acme.example', 'two@acme.example']);
  await remind('license-1');
  await vi.waitFor(() => expect(arrived).toHaveLength(2), soon);
  const link = linkIn(arrived.find(({ to }) => to.startsWith('One'))!);
  const page = await world.api.app.inject({ method: 'GET', url: link });
  expect([page.statusCode, page.body]).toEqual([
    200,
    expect.stringContaining('<form method="post">'),
  ]);
  await remind('license-2');
  await vi.waitFor(() => expect(arrived).toHaveLength(4), soon);
  expect(await unsubscribed()).toEqual([]);
  const press = (url: string, payload: string, type = 'application/x-www-form-urlencoded') =>
    world.api.app.inject({ method: 'POST', url, payload, headers: { 'content-type': type } });
  expect((await press(`${link.slice(0, -1)}_`, '')).statusCode).toBe(404);
  expect((await press(link, 'x'.repeat(8 * 1024 + 1))).statusCode).toBe(413);
  expect((await press(link, '{}', 'application/json')).statusCode).toBe(415);
  const body =
    '--b\r\ncontent-disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--';
  expect((await press(link, body, 'multipart/form-data; boundary=b')).statusCode).toBe(200);
  expect((await press(link, 'List-Unsubscribe=One-Click')).statusCode).toBe(200);
  await remind('license-3');
  await vi.waitFor(
    async () =>
      expect((await log()).map(({ state }) => state)).toEqual([
        'delivered',
        'delivered',
        'delivered',
      ]),
    soon,
  );
  expect(arrived.slice(4).map(({ to }) => to)).toEqual(['two@acme.example']);
  expect(await unsubscribed()).toEqual(['One@acme.example']);
});

test('only the provider subscribes to mails, and only where mail is configured', async () => {
  const refused = await ask('POST', '/webhooks', { url: MAIL_TARGET }, USER);
  expect(refused.json()).toMatchObject({
    code: 'WEBHOOK_TARGET_REFUSED',
    message: expect.stringContaining('only the provider'),
  });
  const other = await ask('POST', '/webhooks', { url: 'mailto:spy@evil.example' });
  expect([other.statusCode, other.json().code]).toEqual([422, 'WEBHOOK_TARGET_REFUSED']);
  const off = withMail({} as never, { mail: null }, PROVIDER);
  expect(await off.defectOf(new URL(MAIL_TARGET), PROVIDER)).toContain('TENURE_SMTP_URL');
  expect(await off.defectOf(new URL(MAIL_TARGET), trusted<Party>('other::1220'))).toContain(
    'provider',
  );
});

test('an alarm that begins, becomes critical or ends is one event, and a critical one reaches the operators by mail', async () => {
  const made = await ask('POST', '/webhooks', { url: OPERATORS_TARGET });
  expect([made.statusCode, made.json().types]).toEqual([201, ['tenure.alarm.*']]);
  const { store, pool } = world.api;
  const lease = await createLeases(pool).acquire(CLOCK_LEASE, 'test', 60_000, io());
  const alarms = createAlarms(pool);
  const stream = await world.follow(PROVIDER, { query: '?type=tenure.alarm.*' });
  const stuck = change({ provider: PROVIDER, callerParty: PROVIDER, appUser: USER });
  await arrive(store, stuck);
  const since = '2026-01-01T00:00:00Z';
  const replace = (...kinds: readonly ('ledger' | 'person' | 'queue')[]) =>
    alarms.replace(
      kinds.map((kind) => ({
        changeId: stuck.id,
        kind,
        since,
        detail: 'a\r\nBcc: spy@evil.example',
      })),
      lease!,
      io(),
    );
  await replace('ledger');
  await replace('queue');
  await replace('person');
  await replace('person');
  await replace();
  await replace();
  type Told = { type: string; data: { kind: string; severity: string } };
  const told = () =>
    stream.messages.flatMap(({ event, data }) =>
      event === 'message' ? [data as unknown as Told] : [],
    );
  await vi.waitFor(() => expect(told()).toHaveLength(3), soon);
  expect(told().map(({ type, data }) => [type, data.kind, data.severity])).toEqual([
    ['tenure.alarm.raised', 'ledger', 'warning'],
    ['tenure.alarm.raised', 'person', 'critical'],
    ['tenure.alarm.cleared', 'person', 'critical'],
  ]);
  await vi.waitFor(() => expect(arrived).toHaveLength(2), soon);
  arrived.sort(
    (a, b) => (a.raw.includes('Alarm over') ? 1 : -1) - (b.raw.includes('Alarm over') ? 1 : -1),
  );
  expect(arrived.map((mail) => [mail.to, header(mail, 'Subject')])).toEqual([
    ['oncall@provider.example', `Alarm, critical: ${stuck.operation} waits for person`],
    ['oncall@provider.example', `Alarm over, critical: ${stuck.operation} waits for person`],
  ]);
  const [first] = arrived as [Arrived];
  expect([header(first, 'Bcc'), header(first, 'List-Unsubscribe')]).toEqual([undefined, undefined]);
  const text = first.raw.replaceAll('=\r\n', '');
  expect(text).toContain(`${PUBLIC_URL}/ui/operations/${stuck.id}`);
  // A mail that is sent again has the same ID.
  const states = async () => {
    const log = await ask('GET', `/webhooks/${made.json().id}/deliveries`);
    return log.json<{ state: string }[]>().map(({ state }) => state);
  };
  const delivered = Array.from({ length: 3 }, () => 'delivered');
  await vi.waitFor(async () => expect(await states()).toEqual(delivered), soon);
  await pool.query(`update delivery set state = 'pending', due_at = now(), finished_at = null`);
  await hurry();
  // Mails are delivered at least once, so a busy machine may send one more often.
  await vi.waitFor(() => expect(arrived.length).toBeGreaterThanOrEqual(4), soon);
  expect(new Set(arrived.map((mail) => header(mail, 'Message-ID'))).size).toBe(2);
});
