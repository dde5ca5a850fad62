import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventBody } from '../../../src/http/routes/events/event-body.ts';

test('an event stream whose caller has ended is cut although its client takes nothing', async () => {
  async function* parts() {
    for (;;) {
      await setImmediate();
      yield 'part';
    }
  }
  const ended = new AbortController();
  const body = eventBody(parts(), 60_000, ended.signal);
  const closed = once(body, 'close');
  body.read();
  ended.abort();
  await closed;
  expect(body.destroyed).toBe(true);
});
