import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEventWorld } from '../kit/event-world.ts';
import type { EventStream } from '../kit/event-stream.ts';
import { OTHER_USER, PROVIDER, USER } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import { asOperator } from '../kit/http-ops.ts';
import { forFile } from '../kit/for-file.ts';

/* Events about acts that change neither an operation nor a lifecycle: comments, and acts of operators. */

const world = await forFile(startEventWorld());
world.sequencer();
const [provider, user] = await Promise.all([asking(world.api, PROVIDER), asking(world.api, USER)]);

let following: { stop: () => Promise<void> };
beforeEach(() => {
  following = world.api.ledger.follow();
});
afterEach(async () => {
  await following.stop();
  await world.closeStreams();
});

const eventsOf = ({ messages }: EventStream, type: string) =>
  messages.map(({ data }) => data).filter((event) => event['type'] === type);

async function newLicense(): Promise<string> {
  const made = await user.post('/app-install-requests?commandId=request');
  const accepted = await provider.post(
    `/app-install-requests/${made.json().contractId}:accept?commandId=accept`,
    { installMeta: {} },
  );
  const created = await provider.post(
    `/app-installs/${accepted.json().contractId}:create-license?commandId=create`,
    { params: {} },
  );
  return created.json().licenseId;
}

test('a comment is told to both sides of its licence, and to no other', async () => {
  const license = await newLicense();
  const [theirs, own, others] = await Promise.all(
    [PROVIDER, USER, OTHER_USER].map((party) => world.follow(party)),
  );
  const commented = await user.post(`/licenses/${license}/comments?commandId=comment`, {
    body: 'Extended by phone.',
  });
  expect(commented.statusCode).toBe(201);
  const told = (stream: EventStream | undefined) => eventsOf(stream!, 'tenure.comment.made');
  for (const stream of [theirs, own]) {
    await expect.poll(() => told(stream)).toHaveLength(1);
    expect(told(stream)[0]).toMatchObject({
      data: { provider: PROVIDER, user: USER, licenseNum: 1, commenter: USER },
    });
    expect(JSON.stringify(told(stream))).not.toContain('phone');
  }
  // The events of the provider's operation come after those of the comment. So if the other user received events about
  // the comment, they would have arrived by now.
  expect(told(others)).toEqual([]);
});

test.each([
  [
    'a pause',
    { act: 'paused', object: 'pause:operation:renew-license' },
    'POST',
    '/ops/pauses',
    { mode: 'pause', scope: 'operation', name: 'renew-license', reason: 'looking at it' },
  ],
  [
    'a policy',
    { act: 'set-renewal-policy', object: 'policy:renewal' },
    'PUT',
    '/policies/renewal',
    { complete: true, withdrawLapsed: false },
  ],
] as const)('%s is told to its party, without who and why', async (...given) => {
  const [, data, method, url, payload] = given;
  const [stream, others] = await Promise.all([world.follow(PROVIDER), world.follow(USER)]);
  const authorization =
    method === 'PUT' ? await world.api.as(PROVIDER) : await asOperator(world.api);
  const done = await world.api.app.inject({ method, url, payload, headers: { authorization } });
  expect(done.statusCode).toBeLessThan(300);
  await expect.poll(() => eventsOf(stream, 'tenure.audit.recorded')).toHaveLength(1);
  expect(eventsOf(stream, 'tenure.audit.recorded')[0]).toMatchObject({
    subject: data.object,
    data,
  });
  expect(JSON.stringify(stream.messages)).not.toContain('looking at it');
  expect(eventsOf(others, 'tenure.audit.recorded')).toEqual([]);
});
