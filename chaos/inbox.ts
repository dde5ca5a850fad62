import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '../embedded/until.ts';
import type { Broken } from './broken.ts';
import type { Draws } from './draws.ts';
import { rowsOf } from './rows.ts';

/*
 * The receiver of webhooks in a chaos run: a server that fails and does not answer at times, and records the messages
 * that it has accepted.
 */

const PROMISE = 'every event is delivered to whoever may see it';
const SIGNED_WITHIN_S = 300;

/**
 * The ways in which the receiver misbehaves: it answers with an error, it does not answer, or it breaks connections.
 */
const MOODS = ['fails', 'hangs', 'breaks'] as const;
type Mood = (typeof MOODS)[number];

interface Spell {
  readonly fromMs: number;
  readonly toMs: number;
  readonly mood: Mood;
}

/**
 * The minimum and maximum of the pause between two periods of misbehaviour, and then those of the length of such a
 * period.
 */
const GAP_MS = [7_000, 14_000] as const;
const SPELL_MS = [500, 2_500] as const;

function spellsOf(draws: Draws, durationMs: number): Spell[] {
  const spells: Spell[] = [];
  for (let fromMs = draws.between(...GAP_MS); fromMs < durationMs;) {
    const toMs = fromMs + draws.between(...SPELL_MS);
    spells.push({ fromMs, toMs, mood: draws.pick(MOODS) });
    fromMs = toMs + draws.between(...GAP_MS);
  }
  return spells;
}

/** Verifies a signature as the documentation tells receivers to do. */
function isGenuine(headers: IncomingMessage['headers'], body: string, secret: string): boolean {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`]),
  );
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  const isFresh = Math.abs(Date.now() / 1_000 - Number(timestamp)) < SIGNED_WITHIN_S;
  return (
    isFresh &&
    (signatures ?? '').split(' ').some((one) => {
      const given = Buffer.from(one.replace(/^v1,/u, ''), 'base64');
      return given.length === expected.length && timingSafeEqual(given, expected);
    })
  );
}

/** The messages of one webhook that were answered with 200, and how often each was received. */
export interface Taken {
  readonly webhookId: string;
  readonly messages: ReadonlyMap<string, number>;
}

interface Box extends Taken {
  readonly secret: string;
  readonly messages: Map<string, number>;
}

/** The messages that must be delivered to a webhook. */
export interface Owed {
  readonly webhook_id: string;
  readonly messages: readonly string[];
}

export class Inbox implements AsyncDisposable {
  readonly #server: Server;
  readonly #boxes = new Map<string, Box>();
  readonly #strange: string[] = [];
  readonly #hanging = new Set<ServerResponse>();
  readonly #spells: readonly Spell[];
  /**
   * IDs of messages that the receiver has refused once. It does not refuse a message twice, because after three
   * failures Tenure would try it again only minutes later.
   */
  readonly #missed = new Set<string>();
  #beganMs: number | null = null;
  /** The number of requests that were not answered with 200. */
  refused = 0;

  constructor(draws: Draws, durationMs: number) {
    this.#spells = spellsOf(draws, durationMs);
    this.#server = createServer((request, response) => {
      void this.#take(request, response).catch(() => response.destroy());
    });
  }

  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  urlFor(name: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${name}`;
  }

  /** Makes the inbox accept messages at the URL with this name. */
  expect(name: string, webhookId: string, secret: string): void {
    this.#boxes.set(name, { webhookId, secret, messages: new Map() });
  }

  /** Starts the schedule of the periods in which the receiver misbehaves. */
  begin(): void {
    this.#beganMs = performance.now();
  }

  /** Ends the misbehaviour, and closes all requests that have not been answered. */
  calm(): void {
    this.#beganMs = null;
    for (const response of this.#hanging) response.destroy();
  }

  get taken(): readonly Taken[] {
    return [...this.#boxes.values()];
  }

  /** Messages that no webhook of the run should have sent. */
  get strange(): readonly string[] {
    return this.#strange;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  #mood(): Mood | undefined {
    if (this.#beganMs === null) return undefined;
    const atMs = performance.now() - this.#beganMs;
    return this.#spells.find(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs)?.mood;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const id = String(request.headers['webhook-id']);
    const mood = this.#mood();
    const message = `${request.url} ${id}`;
    if (mood !== undefined && !this.#missed.has(message)) {
      this.#missed.add(message);
      this.refused += 1;
      if (mood === 'breaks') return void response.destroy();
      if (mood === 'fails') return void response.writeHead(500).end();
      this.#hanging.add(response);
      response.once('close', () => this.#hanging.delete(response));
      return undefined;
    }
    const box = this.#boxes.get((request.url ?? '').slice(1));
    if (box === undefined || !isGenuine(request.headers, body, box.secret)) {
      this.#strange.push(`${message}: its signature is not genuine`);
      return void response.writeHead(401).end();
    }
    if (`evt_${(JSON.parse(body) as { readonly id: string }).id}` !== id) {
      this.#strange.push(`${message}: it carries another event: ${body}`);
    }
    box.messages.set(id, (box.messages.get(id) ?? 0) + 1);
    return void response.writeHead(200).end();
  }
}

/**
 * The rows of the view `event`. The view is not used, because it would unpack a batch of 200 events again for each of
 * its events.
 */
const EVENTS = `
  select b.first + e.n - 1 as seq, e.type, e.subject, e.parties
  from event_batch b cross join lateral rows from (jsonb_to_recordset(b.events) as (
    type text, subject text, parties text[])) with ordinality as e(type, subject, parties, n)`;

/** Reads the messages that must be delivered. The query reads the events themselves and not the deliveries. */
const OWED = `
  with event as materialized (${EVENTS})
  select w.id as webhook_id,
    array(select 'evt_' || e.seq from event e
          where e.seq > w.after_seq and w.party = any(e.parties) and not starts_with(e.type, 'tenure.audit.')
          order by e.seq) as messages
  from webhook w`;

/**
 * Finds operations without an event of their beginning or end, and ended lifecycles without an event of their end. Rows
 * and events of operations are grouped before they are joined, because the planner might choose a nested loop to join
 * thousands with thousands.
 */
const UNTOLD = `
  with event as materialized (${EVENTS})
  select max(o.command_id) as what
  from (
    select c.id::text as subject, c.command_id, 'tenure.operation.' || c.state as ending, null as type from change c
    union all
    select e.subject, null, null, e.type from event e where starts_with(e.type, 'tenure.operation.')
  ) o
  group by o.subject
  having max(o.command_id) is not null
    and (count(*) filter (where o.type = 'tenure.operation.accepted') = 0
         or cardinality(array_positions(array_agg(o.type), max(o.ending))) <> 1)
  union all
  select l.id from lifecycle l
    left join (select distinct e.subject from event e where e.type = 'tenure.lifecycle.ended') ended
      on ended.subject = l.id
  where (l.ended_at is not null) <> (ended.subject is not null)
  limit 20`;

/** Counts events without a number, and messages that wait for delivery. */
const WAITING = `
  select (select count(*) from event_arrival)
    + (select s.last - c.last from event_sequence s, webhook_cursor c)
    + (select count(*) from delivery where state = 'pending') as waiting`;

/** Returns how many events have no number, plus how many messages wait for delivery. */
export async function untoldIn(databaseUrl: string): Promise<number> {
  const [row] = await rowsOf<{ waiting: string }>(databaseUrl, WAITING);
  return Number(row?.waiting);
}

const owedIn = (databaseUrl: string): Promise<Owed[]> => rowsOf<Owed>(databaseUrl, OWED);

const some = (ids: readonly string[]): string => `${ids.length}: ${ids.slice(0, 20).join(', ')}`;

/**
 * Compares the accepted messages with the events.
 *
 * @param owed messages that must have been accepted
 * @param allowed messages that may have been accepted
 */
export function judgeInbox(
  { taken, strange }: Pick<Inbox, 'taken' | 'strange'>,
  owed: readonly Owed[],
  allowed: readonly Owed[],
): Broken[] {
  const of = (all: readonly Owed[], webhookId: string): ReadonlySet<string> =>
    new Set(all.find(({ webhook_id: id }) => id === webhookId)?.messages);
  const wrong = taken.flatMap(({ webhookId, messages }) => {
    const lost = [...of(owed, webhookId)].filter((id) => !messages.has(id));
    const may = of(allowed, webhookId);
    const more = [...messages.keys()].filter((id) => !may.has(id));
    return [
      ...(lost.length === 0 ? [] : [`${webhookId} was not told of ${some(lost)}`]),
      ...(more.length === 0 ? [] : [`${webhookId} was told of what is not for it, ${some(more)}`]),
    ];
  });
  return [...strange, ...wrong].map((evidence) => ({ promise: PROMISE, evidence }));
}

/** Checks the inbox while Tenure runs. Between the two reads, a licence may lapse and its events may be delivered. */
export async function checkInbox(inbox: Inbox, databaseUrl: string): Promise<Broken[]> {
  const owed = await owedIn(databaseUrl);
  await until('every event is delivered', async () => (await untoldIn(databaseUrl)) === 0);
  const taken = inbox.taken.map((box) => ({ ...box, messages: new Map(box.messages) }));
  return judgeInbox({ taken, strange: inbox.strange }, owed, await owedIn(databaseUrl));
}

export async function checkEvents(databaseUrl: string): Promise<Broken[]> {
  const rows = await rowsOf<{ what: string }>(databaseUrl, UNTOLD);
  return rows.map(({ what }) => ({
    promise: 'what begins and what ends is an event, once',
    evidence: what,
  }));
}
