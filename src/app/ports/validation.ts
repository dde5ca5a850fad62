import type { Actor } from '../../domain/caller.ts';
import type { Party } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { LicenseFacts } from '../../domain/license-validation.ts';
import type { TenantCaller } from '../../domain/turns.ts';
import type { Io } from './io.ts';

/** Reads from the projection what one validation needs: licence, terms, seats, and the machine in question. */
export interface ValidationReads {
  /** Returns `null` if the key is unknown. `at` is ledger time and determines which machines hold a seat. */
  byKey(
    hash: Buffer,
    fingerprint: string | null,
    at: string,
    io: Io,
  ): Promise<{ readonly facts: LicenseFacts; readonly key: KeyState } | null>;
  /**
   * @param of.id the licence's ID, a current or former contract ID, or its reference
   * @param of.provider the provider among whose licences a reference is searched
   */
  byLicense(
    of: { readonly id: string; readonly provider: Party },
    fingerprint: string | null,
    at: string,
    io: Io,
  ): Promise<LicenseFacts | null>;
  /** Returns the update that created a contract; `null` if Tenure does not know the update. */
  updateOf(contractId: string, io: Io): Promise<string | null>;
}

export interface KeyState {
  readonly id: string;
  readonly isRevoked: boolean;
}

/** A licence key as shown to the licence's parties: the key itself is not stored. */
export interface LicenseKey {
  readonly id: string;
  readonly name: string;
  readonly byParty: string;
  readonly createdAt: string;
  readonly revokedAt: string | null;
  readonly revokedBy: string | null;
}

/** Keys of licences. Each creation and revocation adds a row to the audit log. */
export interface LicenseKeys {
  /** Returns `null` if the licence already has the maximum number of keys. */
  add(
    key: { readonly id: string; readonly licenseId: string; readonly name: string },
    hash: Buffer,
    by: Actor,
    io: Io,
  ): Promise<LicenseKey | null>;
  /**
   * Returns the user of the key's licence, with the key as the subject; `null` if the key is unknown. Requests with the
   * key count against this caller's limits.
   */
  holderOf(hash: Buffer, io: Io): Promise<TenantCaller | null>;
  /** Returns the oldest first. */
  list(licenseId: string, io: Io): Promise<readonly LicenseKey[]>;
  /** @returns false if the licence has no such key; true also if the key was already revoked */
  revoke(licenseId: string, id: string, by: Actor, io: Io): Promise<boolean>;
}

export interface Machine {
  readonly id: string;
  readonly fingerprint: string;
  readonly name: string;
  readonly keyId: string;
  readonly activatedAt: string;
  readonly seenAt: string;
}

/** Reports that a machine is in use. Instants are ledger time. */
export interface Heartbeat {
  readonly licenseId: string;
  readonly fingerprint: string;
  readonly at: string;
  /** A machine whose last heartbeat was at this instant or earlier holds no seat; `null` if seats do not expire. */
  readonly staleAt: string | null;
}

export interface Activation extends Heartbeat {
  readonly name: string;
  readonly keyId: string;
  readonly seats: number;
}

export interface Machines {
  /**
   * Gives the machine a seat; a machine that holds one keeps it. Activations of one licence run one after another, so
   * that concurrent activations never exceed the number of seats. Returns `null` if no seat is free.
   */
  activate(activation: Activation, io: Io): Promise<Machine | null>;
  /** Returns `null` if the machine holds no seat. */
  heartbeat(heartbeat: Heartbeat, io: Io): Promise<Machine | null>;
  /** @returns false if the machine was not activated */
  release(licenseId: string, fingerprint: string, io: Io): Promise<boolean>;
  /** Like `release`, but by the machine's ID and for a party of the licence. */
  remove(licenseId: string, id: string, by: Actor, io: Io): Promise<boolean>;
  /** Returns the machines that hold a seat, the oldest activation first. */
  list(licenseId: string, staleAt: string | null, io: Io): Promise<readonly Machine[]>;
}

/** The private key with which files are signed, and its ID. */
export interface SigningKey {
  readonly id: string;
  /** The private key as a JWK. */
  readonly privateKey: JsonRecord;
}

export interface SigningKeys {
  /** Returns the current key, and keeps its public key published until the file expires; `null` without a key. */
  forFile(endsAt: string, io: Io): Promise<SigningKey | null>;
  /** Stores a new signing key and retires the previous one. @returns false if `onlyFirst` and a key exists */
  add(
    key: SigningKey & { readonly publicKey: JsonRecord },
    options: { readonly onlyFirst: boolean },
    io: Io,
  ): Promise<boolean>;
  /** Returns the public keys of the current key and of retired keys whose files have not all expired. */
  published(now: string, io: Io): Promise<readonly JsonRecord[]>;
}

/** Signed statements about licences that programs verify offline. */
export interface LicenseFiles {
  /** @returns a compact JWS that expires at `endsAtMs`, milliseconds since 1970 */
  sign(claims: JsonRecord, endsAtMs: number, io: Io): Promise<string>;
  /** Returns the public keys of files that have not expired at this instant. */
  published(nowMs: number, io: Io): Promise<readonly JsonRecord[]>;
}

/** The ports behind the routes of validation, keys, machines and files. */
export interface Validation {
  readonly reads: ValidationReads;
  readonly keys: LicenseKeys;
  readonly machines: Machines;
  readonly files: LicenseFiles;
}
