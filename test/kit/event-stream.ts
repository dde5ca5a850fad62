import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonRecord } from '../../src/domain/json.ts';
import { PATIENCE_MS } from './patience.ts';

/** One message of a stream, parsed as WHATWG HTML 9.2.6 requires. */
export interface Message {
  readonly event: string;
  readonly id: string;
  readonly data: JsonRecord;
}

export interface EventStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** All messages that have arrived. */
  readonly messages: readonly Message[];
  /**
   * The ID of the newest complete block: a block is complete when a blank line follows it. A browser resumes after this
   * ID.
   */
  readonly lastEventId: string;
  /**
   * The newest ID in any line, whether or not its block is complete. A client that reads line by line resumes after
   * this ID.
   */
  readonly position: string;
  /** The whole text that has arrived. */
  readonly text: string;
  /** Resolves when the server has ended the stream, or the test has closed it. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Waits for the end of a stream. @throws Error after the time limit of tests */
export function toEnd({ ended }: EventStream): Promise<void> {
  const late = sleep(PATIENCE_MS, undefined, { ref: false }).then(() => {
    throw new Error('the event stream has not ended');
  });
  return Promise.race([ended, late]);
}

/** Reads a stream of Server-Sent Events as a browser does, but does not reconnect. */
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
