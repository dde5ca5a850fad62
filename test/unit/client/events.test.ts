import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../client/index.ts';
import type { Told } from '../../../client/index.ts';
import { EventParser } from '../../../client/events.ts';
import { problemBody, startScripted } from './scripted-api.ts';

/* The event stream as the client reads it. Also tests how the client waits for operations with and without a stream. */

const WHOLE =
  '\uFEFFretry: 2000\n:\nid: 4\r\ndata: {"a":1,\r\ndata: "b": 2}\r\n\r\nevent: gap\rid:7\rdata: {}\r\rid: 9\n\ndata\n\n';
const MESSAGES = [
  { event: 'message', id: '4', data: '{"a":1,\n"b": 2}' },
  { event: 'gap', id: '7', data: '{}' },
  { event: 'message', id: '9', data: '' },
];

test('a stream is read alike wherever the network cuts it', () => {
  for (let at = 0; at <= WHOLE.length; at += 1) {
    const parser = new EventParser();
    const messages = [...parser.push(WHOLE.slice(0, at)), ...parser.push(WHOLE.slice(at))];
    expect([at, messages]).toEqual([at, MESSAGES]);
  }
});

const eventText = (id: number, data: object): string =>
  `id: ${id}\ndata: ${JSON.stringify({ id: String(id), type: 'tenure.comment.made', data })}\n\n`;

function stream(response: ServerResponse, ...texts: readonly string[]): 'taken' {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const text of texts) response.write(text);
  return 'taken';
}

test('a cut loses no event and repeats none', async () => {
  const stopping = new AbortController();
  const asked: (string | null)[] = [];
  await using server = await startScripted(({ url }, response) => {
    asked.push(url.searchParams.get('after'));
    if (asked.length === 2)
      return stream(response, eventText(3, {}), 'event: gap\nid: 8\ndata: {}\n\n');
    // The connection ends in the middle of the second event.
    stream(response, eventText(2, {}), eventText(3, {}).slice(0, 12));
    setImmediate(() => response.destroy());
    return 'taken';
  });
  const client = createClient({ url: server.url });
  const told: Told[] = [];
  const { signal } = stopping;
  const types = ['tenure.comment.made'];
  await expect(async () => {
    for await (const one of client.events({ after: '1', types, signal })) {
      told.push(one);
      if (told.length === 3) stopping.abort(new Error('seen'));
    }
  }).rejects.toThrow('seen');
  expect(told.map(({ kind, id }) => [kind, id])).toEqual([
    ['event', '2'],
    ['event', '3'],
    ['gap', '8'],
  ]);
  expect(asked).toEqual(['1', '2']);
  expect(server.arrived[0]!.url.search).toContain('type=tenure.comment.made');
});

describe('waiting', () => {
  const operation = (state: string) => ({ body: { commandId: 'c', state, attempts: [] } });
  const ended = `data: {"id":"1","type":"tenure.operation.succeeded","data":{"commandId":"c"}}\n\n`;

  test('polls while the stream is refused', async () => {
    const states = ['queued', 'succeeded'];
    await using server = await startScripted(({ url }) =>
      url.pathname === '/events'
        ? { status: 403, body: problemBody('FORBIDDEN') }
        : operation(states.shift() ?? 'queued'),
    );
    expect((await createClient({ url: server.url }).wait('c')).state).toBe('succeeded');
  });

  test('ends with the event, on one stream for all that wait, which ends with the last one', async () => {
    let [open, opened] = [0, 0];
    let isOver = false;
    await using server = await startScripted(({ url }, response) => {
      if (url.pathname !== '/events') return operation(isOver ? 'succeeded' : 'queued');
      open += 1;
      opened += 1;
      response.once('close', () => (open -= 1));
      setTimeout(() => {
        isOver = true;
        response.write(ended);
      }, 100);
      return stream(response, ':\n');
    });
    const client = createClient({ url: server.url });
    const began = performance.now();
    await Promise.all([client.wait('c'), client.wait('c'), client.wait('c')]);
    // While the stream is open, nothing but an event makes the client query within 15 s.
    expect([opened, performance.now() - began < 10_000]).toEqual([1, true]);
    await expect.poll(() => open).toBe(0);
  });
});
