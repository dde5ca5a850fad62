import { describe, expect, it } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { again, change, completionOf, ledgerEnd, SUBMIT_AND_WAIT } from './kit/commands.ts';
import { USER_ADMIN } from './kit/identities.ts';
import { createRequest } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeIds } from './kit/steps.ts';

/*
 * A call that ends before its command reveals nothing about the command. In these tests, confirmation takes longer than
 * the command service waits.
 */

const network = await forFile(openNetwork({ latencyMs: 400, commandDeadlineMs: 50 }));
const ledger = network.as(USER_ADMIN);

const UNDECIDED = ['SUBMISSION_ALREADY_IN_FLIGHT', 'DUPLICATE_COMMAND'];

describe('a SubmitAndWait that the participant gives up', () => {
  it('is DEADLINE_EXCEEDED, and its command is still accepted, once', async () => {
    const user = await network.party('user', USER_ADMIN);
    const commands = change(createRequest({ user, provider: user }), { actAs: [user] });
    const begin = await ledgerEnd(ledger);
    const refusal = await refusalOf(ledger.commands.submitAndWait({ commands }));
    expect(refusal).toMatchObject({ status: 'DEADLINE_EXCEEDED', reason: 'REQUEST_TIME_OUT' });
    expect(refusal.metadata).toMatchObject({ category: '3', definite_answer: 'false' });
    expect(refusal.retryDelayMs).toBe(1_000);

    const retried = await SUBMIT_AND_WAIT.submit(ledger, again(commands));
    expect(retried).toMatchObject({ kind: 'refused' });
    expect(UNDECIDED).toContain(retried.kind === 'refused' && retried.refusal.reason);

    const completion = await completionOf(ledger, commands, begin);
    expect(completion.status?.code).toBe(0);
    expect(await activeIds(ledger, user)).toHaveLength(1);
    const late = await SUBMIT_AND_WAIT.submit(ledger, again(commands));
    expect(late.kind).toBe('refused');
    expect(await activeIds(ledger, user)).toHaveLength(1);
  });
});

describe('a SubmitAndWait that the caller abandons', () => {
  it('goes on without its caller', async () => {
    const user = await network.party('user', USER_ADMIN);
    const commands = change(createRequest({ user, provider: user }), { actAs: [user] });
    const begin = await ledgerEnd(ledger);
    const leaving = new AbortController();
    const abandoned = ledger.commands.submitAndWait({ commands }, { signal: leaving.signal });
    // When the participant has begun the first submission, it refuses the same change because it is in flight.
    const isRegistered = async () => {
      const refusal = await refusalOf(ledger.submission.submit({ commands: again(commands) }));
      return refusal.reason === 'SUBMISSION_ALREADY_IN_FLIGHT';
    };
    expect(await isRegistered()).toBe(true);
    leaving.abort();
    await expect(abandoned).rejects.toMatchObject({ name: 'AbortError' });

    const completion = await completionOf(ledger, commands, begin);
    expect(completion.status?.code).toBe(0);
    expect(await activeIds(ledger, user)).toHaveLength(1);
  });
});
