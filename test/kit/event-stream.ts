import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonRecord } from '../../src/domain/json.ts';
import { PATIENCE_MS } from './patience.ts';

/** One message of a stream, as WHATWG HTML 9.2.6 takes it apart. */
export interface Message {
  readonly event: string;
  readonly id: string;
  readonly data: JsonRecord;
}

export interface EventStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Everything that has come. */
  readonly messages: readonly Message[];
  /** The id of the newest block that a blank line has ended: a browser resumes after it. */
  readonly lastEventId: string;
  /** The newest id of all lines: a client that reads line by line resumes after it. */
  readonly position: string;
  /** The whole text. */
  readonly text: string;
  /** Resolves when the other side has ended it, or it was closed. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Waits for the end of a stream. @throws Error when a test has no more patience */
export function toEnd({ ended }: EventStream): Promise<void> {
  const late = sleep(PATIENCE_MS, undefined, { ref: false }).then(() => {
    throw new Error('the event stream has not ended');
  });
  return Promise.race([ended, late]);
}

/** Reads a stream of Server-Sent Events as a browser does, without coming back by itself. */
export async function openEventStream(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<EventStream> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const asked = request(url, { headers, agent: false }, resolve);
  asked.once('error', reject);
  asked.end();
  const response = await promise;
  const messages: Message[] = [];
  let [text, rest, lastEventId] = ['', '', ''];
  const take = (block: string): void => {
    const fields = block.split('\n').map((line) => /^([^:]*):? ?(.*)$/u.exec(line) ?? []);
    const valueOf = (name: string) => fields.findLast(([, found]) => found === name)?.[2];
    lastEventId = valueOf('id') ?? lastEventId;
    const data = valueOf('data');
    if (data === undefined) return;
    const event = valueOf('event') ?? 'message';
    messages.push({ event, id: lastEventId, data: JSON.parse(data) as JsonRecord });
  };
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    text += chunk;
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) take(block);
  });
  response.on('error', () => undefined);
  const ended = new Promise<void>((done) => response.once('close', done));
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    messages,
    get lastEventId() {
      return lastEventId;
    },
    get position() {
      return [...text.matchAll(/^id: (\d+)$/gmu)].at(-1)?.[1] ?? '';
    },
    get text() {
      return text;
    },
    ended,
    close: () => asked.destroy(),
  };
}
