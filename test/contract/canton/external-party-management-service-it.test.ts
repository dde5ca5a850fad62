import { expect, test } from 'vitest';
import { CryptoKeyFormat } from '../../../proto/gen/com/daml/ledger/api/v2/crypto.ts';
import type { SigningPublicKey as ApiKey } from '../../../proto/gen/com/daml/ledger/api/v2/crypto.ts';
import {
  CryptoKeyFormat as CantonKeyFormat,
  SigningKeyUsage,
} from '../../../proto/gen/com/digitalasset/canton/crypto/v30/crypto.ts';
import {
  Enums_ParticipantPermission as Permission,
  Enums_TopologyChangeOp as ChangeOp,
  TopologyTransaction,
} from '../../../proto/gen/com/digitalasset/canton/protocol/v30/topology.ts';
import type { TopologyMapping } from '../../../proto/gen/com/digitalasset/canton/protocol/v30/topology.ts';
import { UntypedVersionedMessage } from '../../../proto/gen/com/digitalasset/canton/version/v1/untyped_versioned_message.ts';
import { expectRefused, openSuite, unique } from '../kit/conformance.ts';
import {
  apiKey,
  ed25519,
  execution,
  externalParty,
  p256,
  preparation,
} from '../kit/external-party.ts';
import type { Signer } from '../kit/external-party.ts';
import { PROVIDER_ADMIN, USER_READER } from '../kit/identities.ts';
import { createRequest } from '../kit/licensing.ts';
import { refusalOf } from '../kit/refusal.ts';

/*
 * Modelled on the public conformance suite ExternalPartyManagementServiceIT, Canton's
 * ExternalPartyOnboardingIntegrationTest and ExternalPartyLedgerApiOnboardingTest.
 */

const { network, ledger } = await openSuite();
const { partyAdmin } = ledger;
const { synchronizerId: synchronizer } = network.localnet;
const other = network.as(PROVIDER_ADMIN);
const { participantId } = await partyAdmin.getParticipantId({});
const { participantId: otherId } = await other.partyAdmin.getParticipantId({});

const isThere = async (party: string) =>
  (await partyAdmin.getParties({ parties: [party] })).partyDetails.length === 1;

function generate(publicKey: ApiKey | undefined, more: object = {}) {
  const partyHint = unique('alice');
  return partyAdmin.generateExternalPartyTopology({ synchronizer, partyHint, publicKey, ...more });
}

test('ExternalPartyManagementServiceIT PMAllocateExternalPartyBasic: a party that signs for itself', async () => {
  const { party, fingerprint } = await externalParty(network, 'alice');
  expect(party).toMatch(/^alice-.*::1220[0-9a-f]{64}$/);
  expect(party.endsWith(`::${fingerprint}`)).toBe(true);
  const { partyDetails } = await partyAdmin.getParties({ parties: [party] });
  expect(partyDetails).toMatchObject([{ party, isLocal: true }]);
});

test('a bare Ed25519 key has the fingerprint that it has in its envelope', async () => {
  const signer = ed25519();
  const enveloped = apiKey(signer);
  const keyData = enveloped.keyData.subarray(-32);
  const bare = { ...enveloped, format: CryptoKeyFormat.RAW, keyData };
  const [one, two] = [await generate(enveloped), await generate(bare)];
  expect(one.publicKeyFingerprint).toBe(two.publicKeyFingerprint);
});

test('the topology holds the party, its host and its key', async () => {
  const { partyId, topologyTransactions } = await generate(apiKey(p256()));
  const envelope = UntypedVersionedMessage.decode(topologyTransactions[0]!);
  expect(envelope.version).toBe(30);
  const { operation, serial, mapping } = TopologyTransaction.decode(envelope.wrapper!.value);
  expect([operation, serial]).toEqual([ChangeOp.ADD_REPLACE, 1]);
  expect(mapping!.mapping).toMatchObject({
    $case: 'partyToParticipant',
    value: {
      party: partyId,
      threshold: 1,
      participants: [{ participantUid: participantId, permission: Permission.CONFIRMATION }],
      partySigningKeys: { threshold: 1 },
    },
  });
});

test.each<[string, object, string]>([
  ['no hint', { partyHint: '' }, 'Party hint is empty'],
  ['a hint that is none', { partyHint: 'a::b' }, 'party_hint'],
  ['an unknown synchronizer', { synchronizer: 'other::none' }, 'Unknown or not connected'],
  ['too many to confirm', { confirmationThreshold: 2 }, 'exceeds number of confirming'],
  ['itself as another one', { otherConfirmingParticipantUids: [participantId] }, 'also listed in'],
  ['one twice', { observingParticipantUids: [otherId, otherId] }, 'referenced multiple times'],
])('GenerateExternalPartyTopology refuses %s', async (_what, more, text) => {
  await expectRefused(generate(apiKey(ed25519()), more), 'INVALID_ARGUMENT', text);
});

test('a hundred thousand hosts are refused at once, as two of them are the same', async () => {
  const observingParticipantUids = Array.from({ length: 100_000 }, (_, at) => `p${at}::1220`);
  observingParticipantUids.push('p0::1220');
  await expectRefused(
    generate(apiKey(ed25519()), { observingParticipantUids }),
    'INVALID_ARGUMENT',
    'referenced multiple times in the request: p0::1220.',
  );
});

test('GenerateExternalPartyTopology refuses what is no key', async () => {
  await expectRefused(generate(undefined), 'INVALID_ARGUMENT', 'public_key');
  const key = { ...apiKey(ed25519()), keyData: new Uint8Array([1, 2, 3]) };
  await expectRefused(generate(key), 'INVALID_ARGUMENT');
});

/** Returns a topology transaction as any client can create it. */
const serialized = (
  mapping: NonNullable<TopologyMapping['mapping']>,
  { operation = ChangeOp.ADD_REPLACE, serial = 1 }: { operation?: ChangeOp; serial?: number } = {},
) =>
  UntypedVersionedMessage.encode({
    version: 30,
    wrapper: {
      $case: 'data',
      value: TopologyTransaction.encode({ operation, serial, mapping: { mapping } }).finish(),
    },
  }).finish();

type Hosting = Extract<TopologyMapping['mapping'], { $case: 'partyToParticipant' }>['value'];

/** Returns a generated topology transaction after a change of its hosting. */
async function hosting(signer: Signer, change: (value: Hosting) => void = () => undefined) {
  const generated = await generate(apiKey(signer));
  const { wrapper } = UntypedVersionedMessage.decode(generated.topologyTransactions[0]!);
  const { mapping } = TopologyTransaction.decode(wrapper!.value).mapping!;
  if (mapping?.$case !== 'partyToParticipant') throw new Error('no hosting');
  change(mapping.value);
  return { party: mapping.value.party, fingerprint: generated.publicKeyFingerprint, mapping };
}

async function allocate(transactions: readonly Uint8Array[], signers: readonly [Signer, string][]) {
  const { multiTransactionHash } = await import('../../../localnet/topology/canton-hash.ts');
  const { deserialize } = await import('../../../localnet/topology/transactions.ts');
  const hash = multiTransactionHash(transactions.map((bytes) => deserialize(bytes).hash));
  return partyAdmin.allocateExternalParty({
    synchronizer,
    onboardingTransactions: transactions.map((transaction) => ({ transaction })),
    multiHashSignatures: signers.map(([signer, fingerprint]) => signer.sign(hash, fingerprint)),
  });
}

test.each<[string, (value: Hosting) => void, string]>([
  [
    'a host that submits',
    (value) => {
      value.participants[0]!.permission = Permission.SUBMISSION;
    },
    'must not contain any node with Submission permission',
  ],
  [
    'a host that only looks on',
    (value) => {
      value.participants[0]!.permission = Permission.OBSERVATION;
    },
    'Submit the allocation request on',
  ],
  [
    'another host',
    (value) => {
      value.participants[0]!.participantUid = otherId;
    },
    'that is not this participant',
  ],
  [
    'no keys',
    (value) => {
      value.partySigningKeys = undefined;
    },
    'Party signing keys must be supplied either in',
  ],
  [
    'more keys than a party may have',
    (value) => {
      const { keys } = value.partySigningKeys!;
      while (keys.length < 21) keys.push(keys[0]!);
    },
    'At most 20 key(s) can be specified, got 21.',
  ],
  [
    'keys that sign nothing',
    (value) => {
      value.partySigningKeys!.keys[0]!.usage = [SigningKeyUsage.NAMESPACE];
    },
    'Missing Protocol usage on signing keys',
  ],
])('AllocateExternalParty refuses %s', async (_what, change, text) => {
  const signer = ed25519();
  const { mapping, fingerprint } = await hosting(signer, change);
  await expectRefused(
    allocate([serialized(mapping)], [[signer, fingerprint]]),
    'INVALID_ARGUMENT',
    text,
  );
});

test('AllocateExternalParty refuses what is no onboarding transaction', async () => {
  const { mapping } = await hosting(ed25519());
  const refused = (transaction: Uint8Array) =>
    partyAdmin.allocateExternalParty({ synchronizer, onboardingTransactions: [{ transaction }] });
  await expectRefused(refused(new Uint8Array([1])), 'INVALID_FIELD', 'Invalid transaction');
  await expectRefused(
    refused(serialized(mapping, { operation: ChangeOp.REMOVE })),
    'INVALID_FIELD',
    'must be Replace operations',
  );
  await expectRefused(refused(serialized(mapping, { serial: 2 })), 'INVALID_FIELD', 'must be 1');
  await expectRefused(
    partyAdmin.allocateExternalParty({ synchronizer }),
    'INVALID_FIELD',
    'Transactions field is empty',
  );
  const vetting = serialized({ $case: 'vettedPackages', value: new Uint8Array() });
  await expectRefused(refused(vetting), 'INVALID_ARGUMENT', 'Unsupported transactions found');
});

test('a signature that is wrong', async () => {
  const { mapping, fingerprint, party } = await hosting(ed25519());
  await expectRefused(
    allocate([serialized(mapping)], [[ed25519(), fingerprint]]),
    'INVALID_ARGUMENT',
    'Invalid signature',
  );
  expect(await isThere(party)).toBe(false);
});

test('ExternalPartyOnboardingIntegrationTest allocate a party with a PartyToKeyMapping', async () => {
  const signer = ed25519();
  const { mapping, fingerprint, party } = await hosting(signer);
  const { keys } = mapping.value.partySigningKeys!;
  mapping.value.partySigningKeys = undefined;
  const toKeys = { party, threshold: 1, signingKeys: keys };
  await allocate(
    [serialized(mapping), serialized({ $case: 'partyToKeyMapping', value: toKeys })],
    [[signer, fingerprint]],
  );
  expect(await isThere(party)).toBe(true);
});

test('ExternalPartyOnboardingIntegrationTest allocate a party with an explicit NamespaceDelegation', async () => {
  const signer = ed25519();
  const { mapping, fingerprint, party } = await hosting(signer);
  const [targetKey] = mapping.value.partySigningKeys!.keys;
  expect(targetKey!.format).toBe(CantonKeyFormat.DER_X509_SUBJECT_PUBLIC_KEY_INFO);
  const delegation = serialized({
    $case: 'namespaceDelegation',
    value: {
      namespace: fingerprint,
      targetKey,
      isRootDelegation: true,
      restriction: undefined,
    },
  });
  await allocate([delegation, serialized(mapping)], [[signer, fingerprint]]);
  expect(await isThere(party)).toBe(true);
});

test('ExternalPartyOnboardingIntegrationTest provide useful error message when onboarding the same party twice', async () => {
  const signer = ed25519();
  const { mapping, fingerprint } = await hosting(signer);
  await allocate([serialized(mapping)], [[signer, fingerprint]]);
  await expectRefused(
    allocate([serialized(mapping)], [[signer, fingerprint]]),
    'INVALID_ARGUMENT',
    'Party already exists',
  );
});

test('ExternalPartyOnboardingIntegrationTest provide useful error message when the participant is not connected to the synchronizer', async () => {
  const { mapping } = await hosting(ed25519());
  await expectRefused(
    partyAdmin.allocateExternalParty({
      synchronizer: 'other::none',
      onboardingTransactions: [{ transaction: serialized(mapping) }],
    }),
    'INVALID_ARGUMENT',
    'This node is not connected to the requested synchronizer',
  );
});

test('ExternalPartyLedgerApiOnboardingTest onboard a new multi-hosted party entirely using lapi', async () => {
  const signer = ed25519();
  const generated = await generate(apiKey(signer), { otherConfirmingParticipantUids: [otherId] });
  const onboardingTransactions = generated.topologyTransactions.map((transaction) => ({
    transaction,
  }));
  const { publicKeyFingerprint, partyId: party } = generated;
  await partyAdmin.allocateExternalParty({
    synchronizer,
    onboardingTransactions,
    multiHashSignatures: [signer.sign(generated.multiHash, publicKeyFingerprint)],
    waitForAllocation: false,
  });
  expect(await isThere(party)).toBe(false);
  await other.partyAdmin.allocateExternalParty({ synchronizer, onboardingTransactions });
  expect(await isThere(party)).toBe(true);
  const there = await other.partyAdmin.getParties({ parties: [party] });
  expect(there.partyDetails).toMatchObject([{ party, isLocal: true }]);
});

test('InteractiveSubmissionIntegrationTest require threshold-many signatures from different keys', async () => {
  const [one, two] = [ed25519(), p256()];
  const second = await hosting(two);
  const [key] = second.mapping.value.partySigningKeys!.keys;
  const { mapping, fingerprint, party } = await hosting(one, (value) => {
    value.partySigningKeys!.keys.push(key!);
    value.partySigningKeys!.threshold = 2;
  });
  await allocate(
    [serialized(mapping)],
    [
      [one, fingerprint],
      [two, second.fingerprint],
    ],
  );
  const { userId } = PROVIDER_ADMIN;
  const rights = (['canReadAs', 'canExecuteAs'] as const).map(($case) => ({
    kind: { $case, value: { party } },
  }));
  await other.userAdmin.grantUserRights({ userId, rights });
  const prepared = await other.interactive.prepareSubmission(
    preparation(party, createRequest({ user: party, provider: party })),
  );
  const execute = execution(prepared, { party, fingerprint, signer: one });
  await expectRefused(
    other.interactive.executeSubmission(execute),
    'FAILED_TO_EXECUTE_TRANSACTION',
    'Received 1 valid signatures from distinct keys (0 invalid), but expected at least 2',
  );
  const [own] = execute.partySignatures!.signatures;
  own!.signatures.push(two.sign(prepared.preparedTransactionHash, second.fingerprint));
  const { updateId } = await other.interactive.executeSubmissionAndWait(execute);
  expect(updateId).not.toBe('');
});

test('AllocateExternalPartyAuthIT deny calls with a token of a user who is no participant admin', async () => {
  const reader = network.as(USER_READER).partyAdmin;
  expect((await refusalOf(reader.allocateExternalParty({}))).status).toBe('PERMISSION_DENIED');
});

test('GenerateExternalPartyTopologyAuthIT allow calls with a token of any user', async () => {
  const { partyId } = await network.as(USER_READER).partyAdmin.generateExternalPartyTopology({
    synchronizer,
    partyHint: 'somehint',
    publicKey: apiKey(ed25519()),
  });
  expect(partyId).toContain('somehint::');
});
