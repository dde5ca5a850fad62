import type { ContractId, Party } from '../../domain/ids.ts';
import type { Json, JsonRecord } from '../../domain/json.ts';

/**
 * A description of a Daml-LF type at run time. It determines which JSON values can be converted to a ledger value of
 * the type, and the JSON of such a ledger value.
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

/** Fields in declaration order, in which they are transmitted. */
export type LfFields = Readonly<Record<string, LfType>>;

export interface LfRecord<Fields extends LfFields = LfFields> {
  readonly kind: 'record';
  readonly fields: Fields;
}

export const UNIT = { kind: 'unit' } as const;
export const BOOL = { kind: 'bool' } as const;
export const INT64 = { kind: 'int64' } as const;
export const DATE = { kind: 'date' } as const;
export const TIMESTAMP = { kind: 'timestamp' } as const;
export const PARTY = { kind: 'party' } as const;
export const TEXT = { kind: 'text' } as const;
export const CONTRACT_ID = { kind: 'contractId' } as const;
/** Has at most `scale` digits after the decimal point. Daml's `Decimal` has scale 10. */
export const numeric = (scale: number) => ({ kind: 'numeric', scale }) as const;
export const optional = <Of extends LfType>(of: Of) => ({ kind: 'optional', of }) as const;
export const list = <Of extends LfType>(of: Of) => ({ kind: 'list', of }) as const;
export const textMap = <Of extends LfType>(of: Of) => ({ kind: 'textMap', of }) as const;
export const genMap = <Key extends LfType, Value extends LfType>(key: Key, value: Value) =>
  ({ kind: 'genMap', key, value }) as const;
/**
 * Returns the type of a record with these fields.
 *
 * @example
 * const redeem = record({ note: TEXT, reasons: optional(list(TEXT)), at: TIMESTAMP });
 * const value: LfValue<typeof redeem> = { note: 'thanks', reasons: null, at: '2030-01-01T00:00:00Z' };
 */
export const record = <Fields extends LfFields>(fields: Fields): LfRecord<Fields> => ({
  kind: 'record',
  fields,
});
export const variant = (constructors: LfFields): LfType => ({ kind: 'variant', constructors });
export const enumeration = <const Names extends readonly string[]>(...constructors: Names) =>
  ({ kind: 'enum', constructors }) as const;

interface Scalars {
  readonly unit: JsonRecord;
  readonly bool: boolean;
  readonly int64: string;
  readonly date: string;
  readonly timestamp: string;
  readonly numeric: string;
  readonly party: Party;
  readonly text: string;
  readonly contractId: ContractId;
}

/**
 * The TypeScript type of a described type's values in the query store's encoding, in which numbers and times are
 * strings. If the description is known only at run time, the value can be any JSON.
 */
export type LfValue<T extends LfType> = LfType extends T
  ? Json
  : T extends LfRecord<infer Fields>
    ? { readonly [Name in keyof Fields]: LfValue<Fields[Name]> }
    : T extends { readonly kind: 'optional'; readonly of: infer Of extends LfType }
      ? LfValue<Of> | null
      : T extends { readonly kind: 'list'; readonly of: infer Of extends LfType }
        ? readonly LfValue<Of>[]
        : T extends { readonly kind: 'textMap'; readonly of: infer Of extends LfType }
          ? Readonly<Record<string, LfValue<Of>>>
          : T extends { readonly kind: 'enum'; readonly constructors: readonly (infer Name)[] }
            ? Name
            : T extends { readonly kind: infer Kind extends keyof Scalars }
              ? Scalars[Kind]
              : Json;
