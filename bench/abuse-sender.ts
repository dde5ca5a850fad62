/*
 * Sends as much load as one tenant can send, from a process of its own. `bench/abuse.bench.ts` starts this program with
 * a file that contains a {@link SenderOrder}. The program prints the number of answers by kind and status.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

export type SentKind = 'reads' | 'writes' | 'streams' | 'logins' | 'slow';

export interface SenderOrder {
  readonly apiUrl: string;
  /** Tokens of one tenant, each for another subject. */
  readonly tokens: readonly string[];
  readonly seconds: number;
  /** For each kind, how many requests are open at the same time. */
  readonly atOnce: Readonly<Record<SentKind, number>>;
}

const order = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as SenderOrder;
const { apiUrl, tokens } = order;
const over = AbortSignal.timeout(order.seconds * 1_000);
const dispatcher = new Agent({ connections: 1_024 });

let sent = 0;
const nextToken = (): string => tokens[(sent += 1) % tokens.length] ?? '';

async function send(path: string, authorization: string, method: 'GET' | 'POST' = 'GET') {
  const headers = { authorization: `Bearer ${authorization}` };
  const options = { method, headers, dispatcher, signal: over };
  const { statusCode, body } = await request(`${apiUrl}${path}`, options);
  await body.dump({ limit: Infinity, signal: over });
  return statusCode;
}

/** Opens a connection, begins a request, and sends nothing more. */
async function slow(): Promise<number> {
  const { hostname, port } = new URL(apiUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined).write('GET /livez HTTP/1.1\r\nHost: ');
  over.addEventListener('abort', () => socket.destroy(), { once: true });
  return new Promise((resolve) => socket.once('close', () => resolve(0)));
}

const SENDS: Readonly<Record<SentKind, () => Promise<number>>> = {
  reads: () => send('/app-install-requests', nextToken()),
  writes: () => send(`/app-install-requests?commandId=${randomUUID()}`, nextToken(), 'POST'),
  streams: () => send('/events', nextToken()),
  logins: () => send('/licenses', `${nextToken().slice(0, -36)}${randomUUID()}`),
  slow,
};

async function sendAll(kind: SentKind): Promise<Record<string, number>> {
  const answers: Record<string, number> = {};
  const senders = Array.from({ length: order.atOnce[kind] }, async () => {
    while (!over.aborted) {
      const status = await SENDS[kind]().catch(() => 0);
      answers[status] = (answers[status] ?? 0) + 1;
      // Pauses after a refusal, so that this client does not use the processor time that the server needs.
      if (status !== 200 && status !== 201) await sleep(20);
    }
  });
  await Promise.all(senders);
  return answers;
}

const kinds = Object.keys(SENDS) as SentKind[];
const found = await Promise.all(kinds.map(async (kind) => [kind, await sendAll(kind)] as const));
console.log(JSON.stringify(Object.fromEntries(found)));
process.exit();
