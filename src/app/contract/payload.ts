import type { Json, JsonRecord } from '../../domain/json.ts';
import { isJsonRecord } from '../../domain/json.ts';
import { unreachable } from '../../domain/unreachable.ts';
import type { LfFields, LfType, LfValue } from './lf.ts';

/**
 * The payload of a contract, as far as this version knows its template. Newer versions of a template add fields, so all
 * fields except the required ones may be missing.
 */
export type Payload<Fields extends LfFields, Required extends keyof Fields> = {
  readonly [Name in Required]: LfValue<Fields[Name]>;
} & { readonly [Name in Exclude<keyof Fields, Required>]?: LfValue<Fields[Name]> };

const isText = (value: Json): boolean => typeof value === 'string';

/** Returns whether a ledger value has the described type. Fields that the description lacks are ignored. */
export function isOfType(type: LfType, value: Json | undefined): boolean {
  if (value === undefined) return type.kind === 'optional';
  switch (type.kind) {
    case 'bool':
      return typeof value === 'boolean';
    case 'record':
      return (
        isJsonRecord(value) &&
        Object.entries(type.fields).every(([name, field]) => isOfType(field, value[name]))
      );
    case 'optional':
      return value === null || isOfType(type.of, value);
    case 'list':
      return Array.isArray(value) && value.every((each: Json) => isOfType(type.of, each));
    case 'textMap':
      return isJsonRecord(value) && Object.values(value).every((each) => isOfType(type.of, each));
    case 'enum':
      return isText(value) && type.constructors.some((name) => name === value);
    case 'unit':
    case 'genMap':
    case 'variant':
      return true;
    case 'int64':
    case 'date':
    case 'timestamp':
    case 'numeric':
    case 'party':
    case 'text':
    case 'contractId':
      return isText(value);
    default:
      return unreachable(type);
  }
}

/**
 * Returns the first required field that a payload lacks, or `undefined`. A contract without such a field cannot be a
 * lifecycle's.
 */
export const missingField = (
  fields: LfFields,
  required: readonly string[],
  payload: JsonRecord,
): string | undefined =>
  required.find((name) => {
    const [type, value] = [fields[name], payload[name]];
    return type === undefined || value === '' || !isOfType(type, value);
  });

/**
 * Returns the payload's fields that match the description; omits all other fields. A missing required field is read as
 * an empty string: contracts from the stream are refused earlier (`defectOf`), but stored ones can still be shown.
 */
export const readPayload = <Fields extends LfFields, Required extends keyof Fields & string>(
  fields: Fields,
  required: readonly Required[],
  payload: JsonRecord,
): Payload<Fields, Required> =>
  ({
    ...Object.fromEntries(required.map((name) => [name, ''])),
    ...Object.fromEntries(
      Object.entries(fields).flatMap(([name, type]) =>
        payload[name] !== undefined && isOfType(type, payload[name]) ? [[name, payload[name]]] : [],
      ),
    ),
  }) as Payload<Fields, Required>;
