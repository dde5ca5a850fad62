import { expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { change, ledgerEnd } from './kit/commands.ts';
import { USER_ADMIN } from './kit/identities.ts';
import { create, createRequest, REQUEST, requestArguments } from './kit/licensing.ts';
import { openSides } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';

/*
 * If trailers are larger than a client accepts, the client closes the connection together with all its calls. Errors
 * repeat the caller's own text, whatever its size.
 */

const { network, ledger, sides } = await forFile(openSides());
const LONG = 70_000;

const submit = (options: object, template = REQUEST) =>
  refusalOf(
    network.as(USER_ADMIN).commands.submitAndWait({
      commands: {
        ...change(create(template, requestArguments(sides)), { actAs: [sides.user] }),
        ...options,
      },
    }),
  );

test.each([
  ['a submission ID', { submissionId: 'x'.repeat(LONG) }],
  ['a command ID beyond ASCII', { commandId: '\u{10FFFF}'.repeat(LONG) }],
  ['a workflow ID', { workflowId: 'é'.repeat(LONG) }],
])('%s of any length is refused in words', async (_what, options) => {
  const refusal = await submit(options);
  expect(refusal.status).toBe('INVALID_ARGUMENT');
  expect(refusal.message.length).toBeLessThan(600);
  await expect(ledgerEnd(ledger)).resolves.toBeTypeOf('bigint');
});

test('a name of a template beyond ASCII is refused in words', async () => {
  const refusal = await submit({}, { ...REQUEST, entityName: 'É'.repeat(LONG) });
  expect(refusal.status).not.toBe('INTERNAL');
});

test('calls beside one that is refused for its size are answered', async () => {
  const [refused, ...others] = await Promise.allSettled([
    submit({ submissionId: 'x'.repeat(LONG) }),
    ...Array.from({ length: 20 }, () =>
      ledger.commands.submitAndWait({
        commands: change(createRequest(sides), { actAs: [sides.user] }),
      }),
    ),
  ]);
  expect(refused.status).toBe('fulfilled');
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 'fulfilled'));
});
