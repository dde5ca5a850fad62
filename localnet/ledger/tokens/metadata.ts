import { abort } from '../contract-failures.ts';
import {
  bool,
  contractId,
  date,
  int64,
  list,
  numeric,
  party,
  record,
  recursiveVariant,
  text,
  textMap,
  timestamp,
} from '../lf-types.ts';
import type { LfValue, Unit } from '../lf-types.ts';
import { show } from '../lf-show.ts';
import { sortedTextMap } from '../lf-values.ts';
import { definePackage, typeNamer } from '../package-definition.ts';
import type { ChoiceContext as Ledger, InterfaceDefinition } from '../package-definition.ts';
import { RelTime } from '../standard-library.ts';

const PACKAGE_NAME = 'splice-api-token-metadata-v1';
const named = typeNamer(PACKAGE_NAME);

/** Texts by key that accompany a contract. The token standard calls them metadata. */
export const Metadata = record(named('Splice.Api.Token.MetadataV1:Metadata'), {
  values: textMap(text),
});
export type Metadata = LfValue<typeof Metadata>;

export const EMPTY_METADATA: Metadata = { values: new Map() };

/** Any value that an app passes to its contracts in another party's submission. */
export type AnyValue =
  | {
      readonly tag: 'AV_Text' | 'AV_Decimal' | 'AV_Party' | 'AV_ContractId';
      readonly value: string;
    }
  | { readonly tag: 'AV_Int' | 'AV_Time'; readonly value: bigint }
  | { readonly tag: 'AV_Bool'; readonly value: boolean }
  | { readonly tag: 'AV_Date'; readonly value: number }
  | { readonly tag: 'AV_RelTime'; readonly value: RelTime }
  | { readonly tag: 'AV_List'; readonly value: readonly AnyValue[] }
  | { readonly tag: 'AV_Map'; readonly value: ReadonlyMap<string, AnyValue> };

const AnyValue = recursiveVariant<AnyValue>(
  named('Splice.Api.Token.MetadataV1:AnyValue'),
  (self) => ({
    AV_Text: text,
    AV_Int: int64,
    AV_Decimal: numeric(10),
    AV_Bool: bool,
    AV_Date: date,
    AV_Time: timestamp,
    AV_RelTime: RelTime,
    AV_Party: party,
    AV_ContractId: contractId,
    AV_List: list(self),
    AV_Map: textMap(self),
  }),
);

/** The context that a token's registry provides for a choice on the token's contracts. */
const ContextRecord = record(named('Splice.Api.Token.MetadataV1:ChoiceContext'), {
  values: textMap(AnyValue),
});

export const ExtraArgs = record(named('Splice.Api.Token.MetadataV1:ExtraArgs'), {
  context: ContextRecord,
  meta: Metadata,
});
export type ExtraArgs = LfValue<typeof ExtraArgs>;

/** Returns extra arguments with the given context. Many choices require this argument although they do not use it. */
export const extraArgs = (context: Iterable<readonly [string, AnyValue]> = []): ExtraArgs => ({
  context: { values: sortedTextMap(context) },
  meta: EMPTY_METADATA,
});

export const ChoiceExecutionMetadata = record(
  named('Splice.Api.Token.MetadataV1:ChoiceExecutionMetadata'),
  { meta: Metadata },
);

type Tag = AnyValue['tag'];
type Tagged<T extends Tag> = Extract<AnyValue, { readonly tag: T }>['value'];

/** Daml's names for those kinds of context values that contracts read. */
const KIND_TEXTS = { AV_ContractId: 'contract id', AV_Bool: 'bool' } as const;

/** Returns an entry of a choice's context, or `undefined` if there is none. Fails if the entry has another kind. */
function lookUpEntry<T extends keyof typeof KIND_TEXTS>(
  ledger: Ledger,
  { context }: ExtraArgs,
  key: string,
  tag: T,
): Tagged<T> | undefined {
  const entry = context.values.get(key);
  if (entry === undefined || entry.tag === tag) return entry?.value as Tagged<T> | undefined;
  return abort(
    ledger,
    `Failed to decode context value for '${key}': expected ${KIND_TEXTS[tag]}, got: ${show(AnyValue, entry)}`,
  );
}

const required = <T>(ledger: Ledger, key: string, value: T | undefined): T =>
  value ?? abort(ledger, `Missing context entry for: ${key}`);

export const optionalContractId = (
  ledger: Ledger,
  args: ExtraArgs,
  key: string,
): string | undefined => lookUpEntry(ledger, args, key, 'AV_ContractId');

export const contextContractId = (ledger: Ledger, args: ExtraArgs, key: string): string =>
  required(ledger, key, optionalContractId(ledger, args, key));

export const contextBool = (ledger: Ledger, args: ExtraArgs, key: string): boolean =>
  required(ledger, key, lookUpEntry(ledger, args, key, 'AV_Bool'));

/** Stands for the type of a contract of which only the ID is known. No template implements this interface. */
const AnyContract: InterfaceDefinition<Unit> = {
  kind: 'interface',
  name: named('Splice.Api.Token.MetadataV1:AnyContract'),
  view: record(named('Splice.Api.Token.MetadataV1:AnyContractView'), {}),
  choices: [],
};

/** The published package of the token standard with metadata and choice contexts. */
export const tokenMetadataPackage = definePackage({
  name: PACKAGE_NAME,
  version: '1.0.0',
  publishedId: '4ded6b668cb3b64f7a88a30874cd41c75829f5e064b3fbbadf41ec7e8363354f',
  interfaces: [AnyContract],
});
