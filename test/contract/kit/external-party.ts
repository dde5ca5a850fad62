import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import {
  CryptoKeyFormat,
  SignatureFormat,
  SigningAlgorithmSpec,
  SigningKeySpec,
} from '../../../proto/gen/com/daml/ledger/api/v2/crypto.ts';
import type { Signature } from '../../../proto/gen/com/daml/ledger/api/v2/crypto.ts';
import type { Command } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import { PrepareSubmissionRequest } from '../../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import type {
  ExecuteSubmissionRequest,
  PrepareSubmissionResponse,
} from '../../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import type { LedgerClients } from './clients.ts';
import { USER_ADMIN } from './identities.ts';
import type { Network } from './network.ts';

/** A key pair of one of the kinds with which parties sign, and the format of its signatures. */
export interface Signer {
  readonly publicKey: KeyObject;
  readonly spec: SigningKeySpec;
  sign(content: Uint8Array, signedBy: string): Signature;
}

export function ed25519(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    publicKey,
    spec: SigningKeySpec.EC_CURVE25519,
    sign: (content, signedBy) => ({
      format: SignatureFormat.CONCAT,
      signature: sign(null, content, privateKey),
      signedBy,
      signingAlgorithmSpec: SigningAlgorithmSpec.ED25519,
    }),
  };
}

export function p256(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    publicKey,
    spec: SigningKeySpec.EC_P256,
    sign: (content, signedBy) => ({
      format: SignatureFormat.DER,
      signature: sign('sha256', content, privateKey),
      signedBy,
      signingAlgorithmSpec: SigningAlgorithmSpec.EC_DSA_SHA_256,
    }),
  };
}

/** Returns a public key in the form that the Ledger API requires. */
export const apiKey = ({ publicKey, spec }: Signer) => ({
  format: CryptoKeyFormat.DER_X509_SUBJECT_PUBLIC_KEY_INFO,
  keyData: publicKey.export({ format: 'der', type: 'spki' }),
  keySpec: spec,
});

/** A party that signs its transactions itself. */
export interface ExternalParty {
  readonly party: string;
  readonly fingerprint: string;
  readonly signer: Signer;
}

/**
 * Allocates an external party on a participant. The participant's administrator gets the rights to read and to execute
 * as this party.
 */
export async function externalParty(
  network: Network,
  hint = 'external',
  { signer = ed25519(), identity = USER_ADMIN } = {},
): Promise<ExternalParty> {
  const clients = network.as(identity);
  const { synchronizerId: synchronizer } = network.localnet;
  const generated = await clients.partyAdmin.generateExternalPartyTopology({
    synchronizer,
    partyHint: `${hint}-${randomUUID().slice(0, 8)}`,
    publicKey: apiKey(signer),
  });
  const fingerprint = generated.publicKeyFingerprint;
  const { partyId: party } = await clients.partyAdmin.allocateExternalParty({
    synchronizer,
    onboardingTransactions: generated.topologyTransactions.map((transaction) => ({ transaction })),
    multiHashSignatures: [signer.sign(generated.multiHash, fingerprint)],
  });
  await clients.userAdmin.grantUserRights({
    userId: identity.userId,
    rights: [
      { kind: { $case: 'canReadAs', value: { party } } },
      { kind: { $case: 'canExecuteAs', value: { party } } },
    ],
  });
  return { party, fingerprint, signer };
}

/** Returns a usual request to prepare a submission. */
export const preparation = (
  party: string,
  command: Command,
  more: Partial<PrepareSubmissionRequest> = {},
): PrepareSubmissionRequest =>
  PrepareSubmissionRequest.fromPartial({
    commandId: randomUUID(),
    actAs: [party],
    commands: [command],
    ...more,
  });

/** Returns a request to execute a prepared submission, signed by each of the parties. */
export const execution = (
  prepared: PrepareSubmissionResponse,
  ...parties: readonly ExternalParty[]
): ExecuteSubmissionRequest => ({
  preparedTransaction: prepared.preparedTransaction,
  partySignatures: {
    signatures: parties.map(({ party, fingerprint, signer }) => ({
      party,
      signatures: [signer.sign(prepared.preparedTransactionHash, fingerprint)],
    })),
  },
  deduplicationPeriod: undefined,
  submissionId: randomUUID(),
  userId: '',
  hashingSchemeVersion: prepared.hashingSchemeVersion,
  minLedgerTime: undefined,
});

/** Prepares a command, signs it and executes it. */
export async function executeAs(clients: LedgerClients, party: ExternalParty, command: Command) {
  const prepared = await clients.interactive.prepareSubmission(preparation(party.party, command));
  const executed = await clients.interactive.executeSubmissionAndWaitForTransaction(
    execution(prepared, party),
  );
  return { prepared, transaction: executed.transaction! };
}
