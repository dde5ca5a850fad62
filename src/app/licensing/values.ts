import { noteOf, originOf } from '../../domain/automatic.ts';
import type { Change } from '../../domain/change.ts';
import type { ContractId, Party } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import type { LfFields, LfType } from '../contract/lf.ts';
import {
  BOOL,
  CONTRACT_ID,
  DATE,
  INT64,
  PARTY,
  TEXT,
  TIMESTAMP,
  list,
  numeric,
  record,
  textMap,
} from '../contract/lf.ts';

/* Types and values that several templates and choices of the package share. */

export const METADATA = record({ values: textMap(TEXT) });
export const REL_TIME = record({ microseconds: INT64 });
export const DECIMAL = numeric(10);

/**
 * The token standard's value that can have any type. Lists and maps contain further such values, so its constructors
 * are a getter.
 */
const ANY_VALUE: LfType = {
  kind: 'variant',
  get constructors(): LfFields {
    return ANY_VALUES;
  },
};
const ANY_VALUES: LfFields = {
  AV_Text: TEXT,
  AV_Int: INT64,
  AV_Decimal: DECIMAL,
  AV_Bool: BOOL,
  AV_Date: DATE,
  AV_Time: TIMESTAMP,
  AV_RelTime: REL_TIME,
  AV_Party: PARTY,
  AV_ContractId: CONTRACT_ID,
  AV_List: list(ANY_VALUE),
  AV_Map: textMap(ANY_VALUE),
};
export const EXTRA_ARGS = record({
  context: record({ values: textMap(ANY_VALUE) }),
  meta: METADATA,
});

/** Features that only some versions of the licensing package have. */
export const REQUEST_CANCEL = 'request-cancel';
export const COMMENTS = 'comments';

/** Metadata in REST's form. */
export interface RestMetadata {
  readonly data?: Readonly<Record<string, string>>;
}

/** A body that contains only metadata. */
export interface MetaBody {
  readonly meta?: RestMetadata;
}

/** Metadata in the ledger's form. */
export interface LedgerMetadata {
  readonly values: Readonly<Record<string, string>>;
}

/** Converts REST metadata `{data: {k: v}}` to the ledger's `Metadata{values}`. */
export const toLedger = (meta: RestMetadata | undefined): LedgerMetadata => ({
  values: meta?.data ?? {},
});

/** Converts ledger metadata `{values}` to REST's `{data}`. */
export const toRest = (meta: LedgerMetadata | undefined): { readonly data: JsonRecord } => ({
  data: meta?.values ?? {},
});

export const NO_METADATA: LedgerMetadata = { values: {} };

/**
 * Records on the ledger that the provider signed because a user made the request, as the reference application does. In
 * a policy's change, the policy's note is in the same place.
 */
const USER_NOTE = { Note: 'Triggered by user request' };

/** Adds a note that says for whom the provider signed, unless the provider signed for itself. */
export function withNote(meta: LedgerMetadata, change: Change, provider: Party): LedgerMetadata {
  const origin = originOf(change);
  if (origin === null && change.callerParty === provider) return meta;
  const note = origin === null ? USER_NOTE : noteOf(origin);
  return { values: { ...meta.values, ...note } as Readonly<Record<string, string>> };
}

/** The choice inside which a licence is archived and the extended licence is created. */
export const COMPLETE_RENEWAL = 'LicenseRenewalRequest_CompleteRenewal';

/**
 * Returns the members that identify a lifecycle to callers: its stable ID, its versions and its state; none if the
 * lifecycle was not read.
 */
export const identity = (lifecycle: Lifecycle | undefined): JsonRecord =>
  lifecycle === undefined
    ? {}
    : {
        lifecycleId: lifecycle.id,
        version: lifecycle.version,
        machineVersion: lifecycle.machineVersion,
        state: lifecycle.state,
      };

/** Returns the answer to an operation that creates a contract: the contract's REST body, if the update was received. */
export const createdAnswer = <P>(
  created:
    | {
        readonly payload: P;
        readonly contractId: ContractId;
        readonly lifecycle: Lifecycle | undefined;
      }
    | undefined,
  body: (payload: P, contractId: ContractId, lifecycle: Lifecycle | undefined) => JsonRecord,
) => ({
  status: 201,
  body: created === undefined ? null : body(created.payload, created.contractId, created.lifecycle),
});

/** The answer to a successful step that returns nothing. */
export const NO_CONTENT = { status: 204, body: null } as const;
