import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { createServer as createHttp2Server } from 'node:http2';
import type { IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Status as GrpcStatus } from 'nice-grpc';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Commands } from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { LedgerAnswer } from '../../src/domain/answer.ts';
import type { CommandId, Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { allowPlaintext, openParticipant } from '../../src/ledger/channel.ts';
import type { AccessTokens, TokenAnswer } from '../../src/app/ports/access-tokens.ts';
import type { Participant } from '../../src/ledger/channel.ts';
import { createLedgerGateway } from '../../src/ledger/gateway.ts';
import { TokenError } from '../../src/ledger/outcome.ts';
import type { LedgerRights } from '../../src/ledger/rights.ts';
import { redacted, refuse, ScriptedParticipant, tokenOf } from './kit/scripted-participant.ts';
import { freePort } from '../../embedded/free-port.ts';
import { NAME, PARTY, expireRequest } from './kit/gateway-request.ts';
import { isUnreachable } from '../../src/domain/participant-health.ts';

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const OTHER_PARTY = trusted<Party>('other::1220ab');
const REQUEST = expireRequest(1);

/**
 * Tokens with numbers: the first one is `token-1`, and a new one follows each time that the current one is rejected.
 */
class NumberedTokens implements AccessTokens {
  n = 1;
  current = (): Promise<TokenAnswer> =>
    Promise.resolve({ kind: 'token', token: `token-${this.n}` });
  renew = (rejected: string): Promise<TokenAnswer> => {
    if (rejected === `token-${this.n}`) this.n += 1;
    return this.current();
  };
}

/** An uncompressed message with a length of zero. */
const EMPTY_MESSAGE = Buffer.alloc(5);

let peer: ScriptedParticipant;
const opened: Participant[] = [];

beforeEach(async () => {
  peer = await ScriptedParticipant.start();
});
afterEach(async () => {
  for (const participant of opened.splice(0)) participant.close();
  await peer[Symbol.asyncDispose]();
});

function open(address = peer.address, tokens: AccessTokens = new NumberedTokens()): Participant {
  const participant = openParticipant({ name: NAME, address, tokens, [allowPlaintext]: true });
  opened.push(participant);
  return participant;
}

function gatewayTo(participant: Participant, ledgerUser = 'backend', actAs = [PARTY]) {
  const rights = { ledgerUser, actAs, readAs: actAs };
  return createLedgerGateway({
    argumentsOf: NEWEST_MODEL.argumentsOf,
    participants: [participant],
    rights: { of: () => rights, refresh: () => Promise.resolve(rights) },
  });
}

interface Asked {
  readonly signal?: AbortSignal;
  readonly deadlineMs?: number;
}
const ioOf = (asked: Asked) => ({
  signal: new AbortController().signal,
  deadlineMs: 5_000,
  ...asked,
});

const submit = (
  participant: Participant,
  request = REQUEST,
  asked: Asked = {},
): Promise<LedgerAnswer | null> => gatewayTo(participant).submit(request, ioOf(asked));

const reach = (participant: Participant, asked: Asked = {}): Promise<LedgerAnswer | null> =>
  gatewayTo(participant).reach(NAME, ioOf(asked));

describe('a submission', () => {
  test('that is taken carries everything that makes it safe to repeat', async () => {
    const seen: Commands[] = [];
    const traces: (string | undefined)[] = [];
    peer.script.submit = (commands, { metadata }) => {
      seen.push(commands);
      traces.push(metadata.get('traceparent'));
    };
    expect(await submit(open(), { ...REQUEST, traceparent: TRACEPARENT })).toBeNull();
    expect(traces).toEqual([TRACEPARENT]);
    expect(seen[0]).toMatchObject({
      commandId: 'command-1',
      submissionId: 'submission-1',
      workflowId: 'lifecycle-1',
      userId: 'backend',
      actAs: [PARTY],
      // The offset 0 is the beginning of the ledger. It must be sent, and not be omitted because it is the default
      // value.
      deduplicationPeriod: { $case: 'deduplicationOffset', value: 0n },
    });
  });

  test('of another ledger user is not sent, whoever asked for it, unless its type has no effect', async () => {
    const seen: Commands[] = [];
    peer.script.submit = (commands) => void seen.push(commands);
    const rotated = gatewayTo(open(), 'rotated');
    const changed = { code: 'LEDGER_USER_CHANGED', takesNoTry: true, definite: true };
    for (const id of ['command-1', 'tenure:retry:1:1', 'tenure:expire:1', 'tenure:tick:1']) {
      const commandId = trusted<CommandId>(id);
      const answer = await rotated.submit({ ...REQUEST, commandId }, ioOf({}));
      expect(answer).toMatchObject({ ...changed, ledgerUser: 'rotated' });
    }
    const { template, argument } = NEWEST_MODEL.tick(PARTY, PARTY);
    const create = { kind: 'create' as const, template, argument };
    expect(await rotated.submit({ ...REQUEST, command: create }, ioOf({}))).toMatchObject(changed);
    // Only a process whose ledger user may act as the party can submit the change; this one may not.
    const nobody = await gatewayTo(open(), 'rotated', []).submit(REQUEST, ioOf({}));
    expect(nobody).toMatchObject({
      code: 'LEDGER_USER_CHANGED',
      class: 'unknown',
      takesNoTry: true,
    });
    expect(nobody?.ledgerUser).toBeUndefined();
    expect(seen).toEqual([]);
    const timeAdvance = NEWEST_MODEL.tick(PARTY, PARTY);
    const probe = { ...REQUEST.command, kind: 'probe' as const, choice: 'License_Expire' };
    for (const command of [timeAdvance, probe]) {
      expect(await rotated.submit({ ...REQUEST, command }, ioOf({}))).toBeNull();
    }
    expect(seen).toMatchObject([{ userId: 'rotated', actAs: [PARTY] }, { userId: 'rotated' }]);
    const [exercise] = seen[1]?.commands ?? [];
    const { contractId } = exercise?.command?.$case === 'exercise' ? exercise.command.value : {};
    expect(contractId).toMatch(/^00[0-9a-f]{64}ca121220[0-9a-f]{64}$/u);
  });

  test('waits for what we may do there, where nobody has said so yet, and is not sent without', async () => {
    const seen: Commands[] = [];
    peer.script.submit = (commands) => void seen.push(commands);
    const rights: LedgerRights = {
      of: () => ({ ledgerUser: 'backend', actAs: [PARTY], readAs: [PARTY] }),
      refresh: () => Promise.reject(new TokenError('refused', 'invalid_client')),
    };
    const gateway = createLedgerGateway({
      argumentsOf: NEWEST_MODEL.argumentsOf,
      participants: [open()],
      rights,
    });
    expect(await gateway.submit(REQUEST, ioOf({}))).toMatchObject({
      class: 'credentials',
      takesNoTry: true,
    });
    expect(seen).toEqual([]);
  });

  test.each([
    ['CONTRACT_NOT_FOUND', GrpcStatus.NOT_FOUND, 'stale-contract'],
    ['SUBMISSION_ALREADY_IN_FLIGHT', GrpcStatus.ABORTED, 'in-flight'],
    ['PARTICIPANT_BACKPRESSURE', GrpcStatus.ABORTED, 'busy'],
    ['FAILED_TO_DETERMINE_LEDGER_TIME', GrpcStatus.ABORTED, 'contention'],
    ['DAML_FAILURE', GrpcStatus.FAILED_PRECONDITION, 'refused'],
    ['REQUEST_TIME_OUT', GrpcStatus.DEADLINE_EXCEEDED, 'unknown'],
    ['NEVER_HEARD_OF', GrpcStatus.INVALID_ARGUMENT, 'unknown'],
  ])('refused with %s is answered by the reason in the trailers', async (code, status, name) => {
    peer.script.submit = (_commands, context) => refuse(context, code, { status });
    expect(await submit(open())).toMatchObject({ class: name, code, takesNoTry: false });
  });

  test.each([
    [GrpcStatus.PERMISSION_DENIED, 'credentials'],
    [GrpcStatus.UNAVAILABLE, 'unknown'],
    [GrpcStatus.INTERNAL, 'unknown'],
    [GrpcStatus.NOT_FOUND, 'unknown'],
  ])('refused with gRPC status %s and no reason', async (status, name) => {
    peer.script.submit = () => redacted(status);
    expect(await submit(open())).toMatchObject({ class: name, takesNoTry: false });
  });

  test.each([
    ['may act as nobody', [], 'NO_ERROR_INFO:PERMISSION_DENIED', true],
    ['may act as another party only', [OTHER_PARTY], 'MAY_NOT_ACT_AS', false],
    ['may act as the party by now', [PARTY, OTHER_PARTY], 'MAY_NOT_ACT_AS', false],
    ['cannot be read', null, 'NO_ERROR_INFO:PERMISSION_DENIED', true],
  ])('refused for a right, where the ledger user %s', async (_what, now, code, isForAll) => {
    peer.script.submit = () => redacted(GrpcStatus.PERMISSION_DENIED);
    const before = { ledgerUser: 'backend', actAs: [PARTY], readAs: [PARTY] };
    const gateway = createLedgerGateway({
      argumentsOf: NEWEST_MODEL.argumentsOf,
      participants: [open()],
      rights: {
        of: () => before,
        refresh: async (_participant, ageMsMax) => {
          if (ageMsMax > 0) return before;
          if (now === null) throw new TokenError('unreachable', 'no answer');
          return { ...before, actAs: now };
        },
      },
    });
    const answer = await gateway.submit(REQUEST, ioOf({}));
    expect(answer).toMatchObject({ class: 'credentials', code, definite: true });
    expect(answer !== null && isUnreachable(answer)).toBe(isForAll);
  });

  test('with an argument that does not fit is refused without being sent', async () => {
    let calls = 0;
    peer.script.submit = () => void (calls += 1);
    const command = { ...REQUEST.command, argument: { actor: 7, meta: { values: {} } } };
    const answer = await submit(open(), { ...REQUEST, command });
    expect(answer).toMatchObject({ class: 'refused', code: 'COMMAND_PREPROCESSING_FAILED' });
    expect(answer?.explanation).toContain('actor');
    expect(calls).toBe(0);
  });
});

describe('a token', () => {
  test('that is not accepted is renewed once, in the same submission', async () => {
    const seen: string[] = [];
    peer.script.submit = (_commands, context) => {
      seen.push(tokenOf(context));
      if (tokenOf(context) === 'token-1') redacted(GrpcStatus.UNAUTHENTICATED);
    };
    expect(await submit(open())).toBeNull();
    expect(seen).toEqual(['token-1', 'token-2']);
  });

  test('that is not accepted either leaves it at that', async () => {
    const seen: string[] = [];
    peer.script.submit = (_commands, context) => {
      seen.push(tokenOf(context));
      redacted(GrpcStatus.UNAUTHENTICATED);
    };
    expect(await submit(open())).toMatchObject({
      class: 'credentials',
      code: 'NO_ERROR_INFO:UNAUTHENTICATED',
    });
    expect(seen).toEqual(['token-1', 'token-2']);
  });

  test('that is not accepted is not sent again when there is no other', async () => {
    let calls = 0;
    peer.script.submit = () => {
      calls += 1;
      redacted(GrpcStatus.UNAUTHENTICATED);
    };
    const same = (): Promise<TokenAnswer> => Promise.resolve({ kind: 'token', token: 'same' });
    const answer = await submit(open(peer.address, { current: same, renew: same }));
    expect(answer).toMatchObject({ class: 'credentials' });
    expect(calls).toBe(1);
  });

  test.each<[TokenAnswer, object]>([
    [
      { kind: 'refused', detail: 'x' },
      { class: 'credentials', code: 'TOKEN_REFUSED' },
    ],
    [
      { kind: 'unreachable', detail: 'x' },
      { class: 'unknown', code: 'TOKEN_UNAVAILABLE', takesNoTry: true },
    ],
  ])('that cannot be had (%j) is an answer too', async (said, answer) => {
    const none = () => Promise.resolve(said);
    expect(await submit(open(peer.address, { current: none, renew: none }))).toMatchObject(answer);
  });
});

describe('nothing was sent', () => {
  test('when nobody listens', async () => {
    const answer = await submit(open(`127.0.0.1:${await freePort()}`));
    expect(answer).toMatchObject({ class: 'unknown', takesNoTry: true });
  });

  test('when the name means nothing', async () => {
    const answer = await submit(open('no-such-host.invalid:3901'));
    expect(answer).toMatchObject({ class: 'unknown', takesNoTry: true });
  });

  test('when the peer speaks no TLS and plaintext was not asked for', async () => {
    let calls = 0;
    peer.script.submit = () => void (calls += 1);
    const participant = openParticipant({
      name: NAME,
      address: peer.address.replace('127.0.0.1', 'localhost'),
      tokens: new NumberedTokens(),
    });
    opened.push(participant);
    expect(await submit(participant)).toMatchObject({ class: 'unknown', takesNoTry: true });
    expect(calls).toBe(0);
  });

  test('and the next submission reaches a participant that has come back', async () => {
    const port = await freePort();
    const participant = open(`127.0.0.1:${port}`);
    expect(await submit(participant)).toMatchObject({ takesNoTry: true });
    await using back = await ScriptedParticipant.start(port);
    back.script.submit = () => undefined;
    await expect.poll(() => submit(participant)).toBeNull();
  });
});

describe('it may have happened', () => {
  test('when the connection breaks after the request has arrived', async () => {
    peer.script.submit = () => {
      peer.crash();
      return new Promise(() => undefined);
    };
    expect(await submit(open())).toMatchObject({
      class: 'unknown',
      takesNoTry: false,
      code: expect.stringMatching(/^NO_ERROR_INFO:/) as string,
    });
  });

  test('when there is no answer in time', async () => {
    peer.script.submit = () => new Promise(() => undefined);
    const answer = await submit(open(), REQUEST, { deadlineMs: 100 });
    expect(answer).toMatchObject({ class: 'unknown', takesNoTry: false });
  });

  test('when this process gives up', async () => {
    const controller = new AbortController();
    peer.script.submit = () => {
      controller.abort();
      return new Promise(() => undefined);
    };
    const answer = await submit(open(), REQUEST, { signal: controller.signal });
    expect(answer).toMatchObject({
      class: 'unknown',
      takesNoTry: false,
      code: 'NO_ERROR_INFO:CANCELLED',
    });
  });

  test('even if the peer claims that nothing was sent', async () => {
    peer.script.submit = (_commands, context) => {
      context.trailer.set('tenure-unsent', '1');
      redacted(GrpcStatus.UNAVAILABLE);
    };
    expect(await submit(open())).toMatchObject({ class: 'unknown', takesNoTry: false });
  });
});

describe('whether a participant can be reached', () => {
  test('is asked without a command, and any answer of its own will do', async () => {
    let commands = 0;
    peer.script.submit = () => void (commands += 1);
    peer.script.ledgerEnd = () => 7n;
    expect(await reach(open())).toBeNull();
    peer.script.ledgerEnd = (context) =>
      refuse(context, 'PARTICIPANT_BACKPRESSURE', { status: GrpcStatus.ABORTED });
    expect(await reach(open())).toBeNull();
    expect(commands).toBe(0);
  });

  test('is known not to be where it says nothing, lets nobody in, or is not there', async () => {
    peer.script.ledgerEnd = () => new Promise(() => undefined);
    expect(await reach(open(), { deadlineMs: 100 })).toMatchObject({
      class: 'unknown',
      code: 'NO_ERROR_INFO:DEADLINE_EXCEEDED',
      takesNoTry: true,
    });
    peer.script.ledgerEnd = () => redacted(GrpcStatus.UNAUTHENTICATED);
    expect(await reach(open())).toMatchObject({ class: 'credentials', takesNoTry: true });
    expect(await reach(open(`127.0.0.1:${await freePort()}`))).toMatchObject({ takesNoTry: true });
  });
});

test('a call tells until when it is waited for, and reaches every name under localhost', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const server = createHttp2Server();
  server.on('stream', (stream, headers) => {
    seen.push(headers);
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.end(EMPTY_MESSAGE);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    const { port } = server.address() as AddressInfo;
    const participant = open(`participant.localhost:${port}`);
    expect(await submit(participant, REQUEST, { deadlineMs: 7_000 })).toBeNull();
    expect(seen[0]).toMatchObject({
      ':authority': `participant.localhost:${port}`,
      ':path': '/com.daml.ledger.api.v2.CommandSubmissionService/Submit',
      authorization: 'Bearer token-1',
    });
    const leftMs = Number(/^(\d+)m$/.exec(String(seen[0]?.['grpc-timeout']))?.[1]);
    expect(leftMs).toBeGreaterThan(1_000);
    expect(leftMs).toBeLessThanOrEqual(7_000);
    participant.close();
  } finally {
    server.close();
  }
});
