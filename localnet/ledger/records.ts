import type { ParticipantName } from '../ports.ts';
import type { IdentityProvider } from './identity-providers.ts';
import type { User } from './participant.ts';
import type { Right } from './rights.ts';
import type { Completion, LedgerTransaction, PartyAdded, Submitter } from './update.ts';
import type { TraceContext } from './submission.ts';
import type { RefusedAt } from './traffic.ts';
import type { VettingChange } from './vetting.ts';

/** The first record of every journal: it identifies the ledger. */
export interface GenesisRecord {
  readonly kind: 'genesis';
  readonly format: 1;
  readonly networkId: string;
  readonly partyHint: string;
  /** Present if a single participant hosts all parties. */
  readonly isSingle?: true;
}

/**
 * A submission that has been sequenced and waits for its verdict. Written only if the verdict does not come at once.
 */
export interface SequencedRecord {
  readonly kind: 'sequenced';
  readonly submitter: Submitter;
  readonly deduplicationOffset: bigint;
  readonly recordTime: bigint;
  readonly traceContext: TraceContext;
  /** The traffic cost. It is absent in journals of earlier builds, where submissions cost nothing. */
  readonly trafficCost?: bigint;
}

/** A submission that was registered but did not reach the sequencer. */
export interface UnsequencedRecord {
  readonly kind: 'unsequenced';
  readonly submitter: Submitter;
  readonly deduplicationOffset: bigint;
  readonly traceContext: TraceContext;
  /** The latest record time at which the submission could be sequenced, in microseconds. */
  readonly maxSequencingTime: bigint;
}

/** The update through which a new host of a party gets the contracts that the party already has. */
export interface ImportedContracts {
  readonly updateId: string;
  readonly offset: bigint;
  readonly traceContext: TraceContext;
}

/** The keys with which an external party signs. */
export interface ExternalParty {
  /** Each key's SubjectPublicKeyInfo in base64. */
  readonly keys: readonly {
    readonly fingerprint: string;
    readonly spki: string;
    /** The key's specification, as the protocol's enum value. */
    readonly spec: number;
    /** The permitted usages of the key, as the protocol's enum values. */
    readonly usage: readonly number[];
  }[];
  readonly threshold: number;
}

/** A participant's consent to host an external party. The party exists once all its hosts have consented. */
export interface ExternalPartyProposal {
  readonly participant: ParticipantName;
  readonly party: string;
  /** The hosting to which the participant agrees: the bytes of the mapping that the party has signed, in hex. */
  readonly hosting: string;
  readonly external: ExternalParty;
  readonly hosts: readonly {
    readonly participantUid: string;
    readonly permission: 'confirmation' | 'observation';
  }[];
  /** Whether the party itself has signed. */
  readonly isAuthorized: boolean;
}

/**
 * All kinds of records. The ledger's state depends on nothing but its records, both while it runs and after a restart.
 */
export type LedgerRecord =
  | GenesisRecord
  | {
      readonly kind: 'package';
      readonly packageId: string;
      readonly packageName: string;
      readonly version: string;
      readonly knownSince: bigint;
    }
  | {
      readonly kind: 'packageUploaded';
      readonly participant: ParticipantName;
      readonly packageId: string;
      readonly packageName: string;
      readonly version: string;
      readonly knownSince: bigint;
      /** The size of the archive's payload, in bytes. */
      readonly size: number;
      /** The archive's payload, deflated, in base64; empty if an earlier record contains it. */
      readonly payload: string;
      /** Present if the package replaces LocalNet's own package of the same name, on all participants. */
      readonly takesPlace?: true;
    }
  | {
      readonly kind: 'party';
      readonly update: PartyAdded;
      readonly annotations: Readonly<Record<string, string>>;
      /** Present if the party already had contracts when this participant began to host it. */
      readonly imported?: ImportedContracts;
    }
  | ({ readonly kind: 'externalPartyProposed' } & ExternalPartyProposal)
  | ({
      /** From this record on, a party signs for itself, with these keys and this threshold. */
      readonly kind: 'externalParty';
      readonly party: string;
    } & ExternalParty)
  | {
      readonly kind: 'partyAnnotations';
      readonly participant: ParticipantName;
      readonly party: string;
      readonly annotations: Readonly<Record<string, string>>;
      readonly resourceVersion: string;
    }
  | {
      readonly kind: 'user';
      readonly participant: ParticipantName;
      readonly user: User;
      readonly rights: readonly Right[];
    }
  | {
      readonly kind: 'identityProvider';
      readonly participant: ParticipantName;
      readonly config: IdentityProvider;
    }
  | {
      readonly kind: 'identityProviderDeleted';
      readonly participant: ParticipantName;
      readonly identityProviderId: string;
    }
  | {
      readonly kind: 'partyIdentityProvider';
      readonly participant: ParticipantName;
      readonly party: string;
      readonly identityProviderId: string;
    }
  | {
      readonly kind: 'vetting';
      readonly participant: ParticipantName;
      readonly changes: readonly VettingChange[];
    }
  | { readonly kind: 'userDeleted'; readonly participant: ParticipantName; readonly userId: string }
  | SequencedRecord
  | UnsequencedRecord
  | {
      /** A proof that time has passed, for one participant, without any other event. */
      readonly kind: 'timeProof';
      readonly participant: ParticipantName;
      readonly offset: bigint;
      readonly recordTime: bigint;
    }
  | {
      /** Sets a participant's traffic balance. The completions show how much it has spent. */
      readonly kind: 'traffic';
      readonly participant: ParticipantName;
      /** The new balance; `null` means no limit. */
      readonly balance: bigint | null;
      readonly refusedAt: RefusedAt;
    }
  | {
      readonly kind: 'transaction';
      readonly transaction: LedgerTransaction;
      readonly completion: Completion;
    }
  | { readonly kind: 'rejection'; readonly completion: Completion }
  | { readonly kind: 'time'; readonly micros: bigint }
  | { readonly kind: 'pruned'; readonly participant: ParticipantName; readonly offset: bigint }
  | { readonly kind: 'kept'; readonly name: string; readonly text: string };

export type RecordOf<K extends LedgerRecord['kind']> = Extract<LedgerRecord, { readonly kind: K }>;
