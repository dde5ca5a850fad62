import type { TemplateName } from '../domain/ledger.ts';
import { templateFqn } from '../domain/ledger.ts';
import {
  ALLOCATION_REQUEST,
  APP_INSTALL,
  APP_INSTALL_REQUEST,
  LICENSE,
  LICENSE_COMMENT,
  LICENSE_RENEWAL_REQUEST,
} from '../domain/licensing.ts';

/**
 * A description, at run time, of a Daml-LF type: what a JSON value must look like to become a ledger value.
 * Only what we send needs one; what the ledger sends describes itself.
 */
export type LfType =
  | { readonly kind: 'unit' | 'bool' | 'int64' | 'date' | 'timestamp' }
  | { readonly kind: 'party' | 'text' | 'contractId' }
  | { readonly kind: 'numeric'; readonly scale: number }
  | { readonly kind: 'optional' | 'list' | 'textMap'; readonly of: LfType }
  | { readonly kind: 'genMap'; readonly key: LfType; readonly value: LfType }
  | LfRecord
  | { readonly kind: 'variant'; readonly constructors: LfFields }
  | { readonly kind: 'enum'; readonly constructors: readonly string[] };

/** Fields in declaration order, which is their order on the wire. */
export type LfFields = Readonly<Record<string, LfType>>;

export interface LfRecord {
  readonly kind: 'record';
  readonly fields: LfFields;
}

export const UNIT: LfType = { kind: 'unit' };
export const BOOL: LfType = { kind: 'bool' };
export const INT64: LfType = { kind: 'int64' };
export const DATE: LfType = { kind: 'date' };
export const TIMESTAMP: LfType = { kind: 'timestamp' };
export const PARTY: LfType = { kind: 'party' };
export const TEXT: LfType = { kind: 'text' };
export const CONTRACT_ID: LfType = { kind: 'contractId' };
/** At most `scale` digits after the point. Daml's `Decimal` is scale 10. */
export const numeric = (scale: number): LfType => ({ kind: 'numeric', scale });
export const optional = (of: LfType): LfType => ({ kind: 'optional', of });
export const list = (of: LfType): LfType => ({ kind: 'list', of });
export const textMap = (of: LfType): LfType => ({ kind: 'textMap', of });
export const genMap = (key: LfType, value: LfType): LfType => ({ kind: 'genMap', key, value });
export const record = (fields: LfFields): LfRecord => ({ kind: 'record', fields });
export const variant = (constructors: LfFields): LfType => ({ kind: 'variant', constructors });
export const enumeration = (...constructors: readonly string[]): LfType => ({
  kind: 'enum',
  constructors,
});

/** What can be sent to a template. A template that callers never create has no `create`. */
export interface TemplateArguments {
  readonly create?: LfRecord;
  readonly choices: Readonly<Record<string, LfRecord>>;
}

const METADATA = record({ values: textMap(TEXT) });
const LICENSE_PARAMS = record({ meta: METADATA });
const REL_TIME = record({ microseconds: INT64 });
const INSTRUMENT_ID = record({ admin: PARTY, id: TEXT });
const DECIMAL = numeric(10);

/** The token standard's value of any type: lists and maps hold further ones, so it is read when it is needed. */
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
const EXTRA_ARGS = record({ context: record({ values: textMap(ANY_VALUE) }), meta: METADATA });

/** The built-in choice: all signatories together, no argument. */
const ARCHIVE = record({});

const ARGUMENTS: ReadonlyMap<string, TemplateArguments> = new Map([
  [
    templateFqn(APP_INSTALL_REQUEST),
    {
      create: record({ provider: PARTY, user: PARTY, meta: METADATA }),
      choices: {
        Archive: ARCHIVE,
        AppInstallRequest_Accept: record({ installMeta: METADATA, meta: METADATA }),
        AppInstallRequest_Reject: record({ meta: METADATA }),
        AppInstallRequest_Cancel: record({ meta: METADATA }),
      },
    },
  ],
  [
    templateFqn(APP_INSTALL),
    {
      choices: {
        Archive: ARCHIVE,
        AppInstall_CreateLicense: record({ params: LICENSE_PARAMS }),
        AppInstall_Cancel: record({ actor: PARTY, meta: METADATA }),
      },
    },
  ],
  [
    templateFqn(LICENSE),
    {
      choices: {
        Archive: ARCHIVE,
        License_Expire: record({ actor: PARTY, meta: METADATA }),
        License_Renew: record({
          requestId: TEXT,
          licenseFeeInstrumentId: INSTRUMENT_ID,
          licenseFeeAmount: DECIMAL,
          licenseExtensionDuration: REL_TIME,
          requestedAt: TIMESTAMP,
          prepareUntil: TIMESTAMP,
          settleBefore: TIMESTAMP,
          description: TEXT,
        }),
      },
    },
  ],
  [
    templateFqn(LICENSE_COMMENT),
    {
      create: record({
        provider: PARTY,
        user: PARTY,
        licenseNum: INT64,
        commenter: PARTY,
        body: TEXT,
        createdAt: TIMESTAMP,
      }),
      choices: { Archive: ARCHIVE },
    },
  ],
  [
    templateFqn(LICENSE_RENEWAL_REQUEST),
    {
      choices: {
        Archive: ARCHIVE,
        LicenseRenewalRequest_CompleteRenewal: record({
          allocationCid: CONTRACT_ID,
          licenseCid: CONTRACT_ID,
          extraArgs: EXTRA_ARGS,
        }),
      },
    },
  ],
  [
    templateFqn(ALLOCATION_REQUEST),
    { choices: { AllocationRequest_Withdraw: record({ extraArgs: EXTRA_ARGS }) } },
  ],
]);

/** What the template takes, or `undefined` for a template that we do not know. */
export const argumentsOf = (template: TemplateName): TemplateArguments | undefined =>
  ARGUMENTS.get(templateFqn(template));
