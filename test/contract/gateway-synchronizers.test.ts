import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { Status as GrpcStatus } from 'nice-grpc';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHear } from '../../src/app/engine/doubts/proof.ts';
import type { ParticipantName, Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { allowPlaintext, openParticipant } from '../../src/ledger/channel.ts';
import type { Participant } from '../../src/ledger/channel.ts';
import { createLedgerGateway } from '../../src/ledger/gateway.ts';
import { redacted, ScriptedParticipant } from './kit/scripted-participant.ts';

/*
 * The synchronizers through which a participant may have submitted Tenure's commands, as the participant reports them.
 */

const NAME = trusted<ParticipantName>('app-provider');
const [OURS, OTHER] = [trusted<Party>('provider::1220ab'), trusted<Party>('partner::1220ab')];
const [S1, S2, S3] = ['one::1220aa', 'two::1220bb', 'three::1220cc'];
const IO = { signal: new AbortController().signal, deadlineMs: 5_000 };
const BOUNDS = { toleranceMs: 60_000, clockDifferenceMs: 10_000 };

let peer: ScriptedParticipant;
let participant: Participant;

beforeEach(async () => {
  peer = await ScriptedParticipant.start();
  const current = () => Promise.resolve({ kind: 'token' as const, token: 'token' });
  const tokens = { current, renew: current };
  const { address } = peer;
  participant = openParticipant({ name: NAME, address, tokens, [allowPlaintext]: true });
});
afterEach(async () => {
  participant.close();
  await peer[Symbol.asyncDispose]();
});

function gatewayFor(actAs: readonly Party[]) {
  const rights = { ledgerUser: 'backend', actAs, readAs: actAs };
  return createLedgerGateway({
    argumentsOf: NEWEST_MODEL.argumentsOf,
    participants: [participant],
    rights: { of: () => rights, refresh: () => Promise.resolve(rights) },
  });
}

/** Returns what a process learns from a participant that gives these answers. */
const contactFor = (actAs: readonly Party[]) =>
  createHear(gatewayFor(actAs), { nowMs: () => 0 }, BOUNDS)(NAME, IO);

describe('a participant', () => {
  test('is asked for no party what it is connected to, and for ours where it can send for them', async () => {
    const by = new Map<string, readonly string[]>([
      ['', [S1, S2, S3]],
      [OURS, [S1]],
      [OTHER, [S1, S2]],
    ]);
    peer.script.synchronizers = (party) => by.get(party) ?? [];
    expect(await gatewayFor([OURS]).synchronizers(NAME, IO)).toEqual([S1, S2, S3]);
    expect(await contactFor([OURS])).toMatchObject({ synchronizers: [S1] });
    expect(await contactFor([OURS, OTHER])).toMatchObject({ synchronizers: [S1, S2] });
  });

  test('is heard although it lets us ask for one of the parties no more: then all count', async () => {
    peer.script.synchronizers = (party) =>
      party === OTHER
        ? redacted(GrpcStatus.PERMISSION_DENIED)
        : [S1, ...(party === '' ? [S2] : [])];
    expect(await contactFor([OURS, OTHER])).toMatchObject({ synchronizers: [S1, S2] });
  });

  test('is not heard without a call, whoever our user may act as', async () => {
    peer.script.synchronizers = () => redacted(GrpcStatus.UNAVAILABLE);
    expect(await contactFor([])).toBeNull();
    expect(await contactFor([OURS])).toBeNull();
    peer.script.synchronizers = () => [S1];
    expect(await contactFor([])).toMatchObject({ synchronizers: [S1] });
  });
});
