import { expect, onTestFinished, test } from 'vitest';
import { drawsOf } from '../../../chaos/draws.ts';
import { Inbox, judgeInbox } from '../../../chaos/inbox.ts';
import { newSecret, signedHeaders } from '../../../src/domain/webhook-signature.ts';

/*
 * The target of webhooks in a chaos run: which deliveries it accepts, and which mistakes of Tenure as the sender it
 * reports.
 */

async function inbox() {
  const opened = new Inbox(drawsOf('test'), 0);
  onTestFinished(() => opened[Symbol.asyncDispose]());
  await opened.open();
  const secret = newSecret();
  opened.expect('user', 'wh_1', secret);
  const send = async (event: string, messageId = `evt_${event}`, by = secret): Promise<number> => {
    const body = JSON.stringify({ id: event });
    const headers = signedHeaders(messageId, body, [by], Date.now());
    return (await fetch(opened.urlFor('user'), { method: 'POST', headers, body })).status;
  };
  return { opened, send };
}

const owed = (...messages: string[]) => [{ webhook_id: 'wh_1', messages }];

test('what is owed is taken, also again', async () => {
  const { opened, send } = await inbox();
  expect([await send('1'), await send('2'), await send('2')]).toEqual([200, 200, 200]);
  const due = owed('evt_1', 'evt_2');
  expect(judgeInbox(opened, due, due)).toEqual([]);
});

test('what is lost, what is not for it, what is not genuine and what is another event are seen', async () => {
  const { opened, send } = await inbox();
  await send('1');
  expect(await send('3', 'evt_3', newSecret())).toBe(401);
  await send('4', 'evt_5');
  const due = owed('evt_2', 'evt_5');
  expect(judgeInbox(opened, due, due).map(({ evidence }) => evidence)).toEqual([
    expect.stringContaining('evt_3: its signature'),
    expect.stringContaining('evt_5: it carries another event'),
    'wh_1 was not told of 1: evt_2',
    'wh_1 was told of what is not for it, 1: evt_1',
  ]);
});

test('an event after what is owed was read may be delivered, and need not be', async () => {
  const { opened, send } = await inbox();
  await send('1');
  await send('2');
  expect(judgeInbox(opened, owed('evt_1'), owed('evt_1', 'evt_2', 'evt_3'))).toEqual([]);
});
