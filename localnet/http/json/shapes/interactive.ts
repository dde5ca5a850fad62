import {
  CryptoKeyFormat,
  SignatureFormat,
  SigningAlgorithmSpec,
  SigningKeySpec,
} from '../../../../proto/gen/com/daml/ledger/api/v2/crypto.ts';
import type {
  Signature,
  SigningPublicKey,
} from '../../../../proto/gen/com/daml/ledger/api/v2/crypto.ts';
import type {
  AllocateExternalPartyRequest,
  AllocateExternalPartyRequest_SignedTransaction as SignedTransaction,
  AllocateExternalPartyResponse,
  GenerateExternalPartyTopologyRequest,
  GenerateExternalPartyTopologyResponse,
} from '../../../../proto/gen/com/daml/ledger/api/v2/admin/party_management_service.ts';
import { HashingSchemeVersion } from '../../../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import type {
  CostEstimation,
  CostEstimationHints,
  ExecuteSubmissionAndWaitResponse,
  ExecuteSubmissionRequest,
  GetPreferredPackagesRequest,
  GetPreferredPackagesResponse,
  GetPreferredPackageVersionResponse,
  MinLedgerTime,
  PackagePreference,
  PackageVettingRequirement,
  PartySignatures,
  PrepareSubmissionRequest,
  PrepareSubmissionResponse,
  SinglePartySignatures,
} from '../../../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import type { PackageReference } from '../../../../proto/gen/com/daml/ledger/api/v2/package_reference.ts';
import type { TransactionFormat } from '../../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import {
  bytes,
  defaulted,
  enumeration,
  flag,
  int,
  list,
  long,
  message,
  oneOf,
  optional,
  record,
  text,
} from '../shape.ts';
import type { Shape } from '../shape.ts';
import { commandList, deduplicationPeriod, disclosedContracts, prefetchKeys } from './commands.ts';
import type { JsCommand, JsPrefetchKey } from './commands.ts';
import { duration, instant } from './well-known.ts';
import { transactionFormat } from './formats.ts';

const signingAlgorithm = enumeration('SIGNING_ALGORITHM_SPEC', SigningAlgorithmSpec);

const signature = message<Signature>('Signature', {
  format: enumeration('SIGNATURE_FORMAT', SignatureFormat),
  signature: bytes,
  signedBy: text,
  signingAlgorithmSpec: signingAlgorithm,
});

const publicKey = message<SigningPublicKey>('SigningPublicKey', {
  format: enumeration('CRYPTO_KEY_FORMAT', CryptoKeyFormat),
  keyData: bytes,
  keySpec: enumeration('SIGNING_KEY_SPEC', SigningKeySpec),
});

export const allocateExternalPartyRequest = message<AllocateExternalPartyRequest>(
  'AllocateExternalPartyRequest',
  {
    synchronizer: text,
    onboardingTransactions: list(
      message<SignedTransaction>('SignedTransaction', {
        transaction: bytes,
        signatures: list(signature),
      }),
    ),
    multiHashSignatures: list(signature),
    identityProviderId: text,
    waitForAllocation: optional(flag),
    userId: text,
  },
);
export const allocateExternalPartyAnswer = message<AllocateExternalPartyResponse>(
  'AllocateExternalPartyResponse',
  { partyId: text },
);

export const generateTopologyRequest = message<GenerateExternalPartyTopologyRequest>(
  'GenerateExternalPartyTopologyRequest',
  {
    synchronizer: text,
    partyHint: text,
    publicKey: optional(publicKey),
    localParticipantObservationOnly: flag,
    otherConfirmingParticipantUids: list(text),
    confirmationThreshold: int,
    observingParticipantUids: list(text),
  },
);
export const generateTopologyAnswer = message<GenerateExternalPartyTopologyResponse>(
  'GenerateExternalPartyTopologyResponse',
  {
    partyId: text,
    publicKeyFingerprint: text,
    topologyTransactions: list(bytes),
    multiHash: bytes,
  },
);

const hashingScheme = enumeration('HASHING_SCHEME_VERSION', HashingSchemeVersion);

const minLedgerTime = message<MinLedgerTime>('MinLedgerTime', {
  time: oneOf<NonNullable<MinLedgerTime['time']>>({
    minLedgerTimeAbs: instant,
    minLedgerTimeRel: duration,
  }),
});

/** A request to prepare a submission. Its values are still JSON. */
export type JsPrepare = Omit<PrepareSubmissionRequest, 'commands' | 'prefetchContractKeys'> & {
  commands: (JsCommand | undefined)[];
  prefetchContractKeys: JsPrefetchKey[];
};

export const prepareRequest = record<JsPrepare>('JsPrepareSubmissionRequest', {
  userId: defaulted(text),
  commandId: text,
  commands: commandList,
  minLedgerTime: optional(minLedgerTime),
  maxRecordTime: optional(instant),
  actAs: list(text),
  readAs: defaulted(list(text)),
  disclosedContracts: defaulted(disclosedContracts),
  synchronizerId: text,
  packageIdSelectionPreference: list(text),
  verboseHashing: defaulted(flag),
  prefetchContractKeys: defaulted(prefetchKeys),
  estimateTrafficCost: optional(
    record<CostEstimationHints>('CostEstimationHints', {
      disabled: defaulted(flag),
      expectedSignatures: defaulted(list(signingAlgorithm)),
    }),
  ),
  hashingSchemeVersion: defaulted(
    hashingScheme as Shape<HashingSchemeVersion | undefined>,
    HashingSchemeVersion.V2,
  ),
  tapsMaxPasses: optional(int),
});

/** The answer to a request for preparation. The prepared transaction is encoded as bytes. */
export type JsPrepared = Omit<PrepareSubmissionResponse, 'preparedTransaction'> & {
  preparedTransaction: Uint8Array;
};

export const prepareAnswer = record<JsPrepared>('JsPrepareSubmissionResponse', {
  preparedTransaction: bytes,
  preparedTransactionHash: bytes,
  hashingSchemeVersion: hashingScheme,
  hashingDetails: optional(text),
  costEstimation: optional(
    message<CostEstimation>('CostEstimation', {
      estimationTimestamp: optional(instant),
      confirmationRequestTrafficCostEstimation: long,
      confirmationResponseTrafficCostEstimation: long,
      totalTrafficCostEstimation: long,
    }),
  ),
});

/** A request to execute a prepared transaction, which is still encoded as bytes. */
export type JsExecute = Omit<ExecuteSubmissionRequest, 'preparedTransaction'> & {
  preparedTransaction: Uint8Array;
};

const executeFields = {
  preparedTransaction: bytes,
  partySignatures: message<PartySignatures>('PartySignatures', {
    signatures: list(
      message<SinglePartySignatures>('SinglePartySignatures', {
        party: text,
        signatures: list(signature),
      }),
    ),
  }) as Shape<PartySignatures | undefined>,
  deduplicationPeriod,
  submissionId: text,
  userId: defaulted(text),
  hashingSchemeVersion: hashingScheme,
  minLedgerTime: optional(minLedgerTime),
};

export const executeRequest = record<JsExecute>('JsExecuteSubmissionRequest', executeFields);
export const executeAndWaitRequest = record<JsExecute>(
  'JsExecuteSubmissionAndWaitRequest',
  executeFields,
);
export const executeForTransactionRequest = record<
  JsExecute & { transactionFormat: TransactionFormat | undefined }
>('JsExecuteSubmissionAndWaitForTransactionRequest', {
  ...executeFields,
  transactionFormat: optional(transactionFormat),
});
export const executeAndWaitAnswer = message<ExecuteSubmissionAndWaitResponse>(
  'ExecuteSubmissionAndWaitResponse',
  { updateId: text, completionOffset: long },
);

const packageReference = message<PackageReference>('PackageReference', {
  packageId: text,
  packageName: text,
  packageVersion: text,
});

export const preferredVersionAnswer = message<GetPreferredPackageVersionResponse>(
  'GetPreferredPackageVersionResponse',
  {
    packagePreference: optional(
      message<PackagePreference>('PackagePreference', {
        packageReference: optional(packageReference),
        synchronizerId: text,
      }),
    ),
  },
);
export const preferredPackagesRequest = message<GetPreferredPackagesRequest>(
  'GetPreferredPackagesRequest',
  {
    packageVettingRequirements: list(
      message<PackageVettingRequirement>('PackageVettingRequirement', {
        parties: list(text),
        packageName: text,
      }),
    ),
    synchronizerId: text,
    vettingValidAt: optional(instant),
  },
);
export const preferredPackagesAnswer = message<GetPreferredPackagesResponse>(
  'GetPreferredPackagesResponse',
  { packageReferences: list(packageReference), synchronizerId: text },
);
