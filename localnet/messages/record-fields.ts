import type { Record as RecordMessage } from '../../proto/gen/com/daml/ledger/api/v2/value.ts';
import type { RecordField, TypeName } from '../ledger/lf-types.ts';
import { preprocessingFailed } from '../ledger/lf-values.ts';

type FieldMessage = RecordMessage['fields'][number];

/**
 * Pairs each field of a record with the caller's field, or with `undefined` for None. If all of the caller's fields
 * have labels, they may be in any order; otherwise they are matched by position. Missing or extra fields must be
 * optional and None, because the caller's version of the template may be older or newer. Throws
 * COMMAND_PREPROCESSING_FAILED.
 */
export function matchFields(
  fields: readonly RecordField[],
  message: RecordMessage,
  name: TypeName,
): readonly (readonly [RecordField, FieldMessage | undefined])[] {
  const byLabel = labelledFields(message);
  let used = 0;
  const matched = fields.map((field, index) => {
    const given =
      byLabel === undefined ? fieldAt(message, index, field, name) : byLabel.get(field.name);
    if (given !== undefined) used += 1;
    else if (field.type.kind !== 'optional') throw missingNonOptional(field);
    return [field, given] as const;
  });
  if (used < message.fields.length) checkExtraFields(fields, message, byLabel !== undefined);
  return matched;
}

const missingNonOptional = ({ name }: RecordField) =>
  preprocessingFailed(`Missing non-optional field "${name}", cannot upgrade non-optional fields.`);

/** Returns the fields by label; `undefined` unless all fields have a label. */
function labelledFields({ fields }: RecordMessage): ReadonlyMap<string, FieldMessage> | undefined {
  if (!fields.every(({ label }) => label !== '')) return undefined;
  const byLabel = new Map(fields.map((field) => [field.label, field]));
  if (byLabel.size === fields.length) return byLabel;
  const twice = fields.find((field) => byLabel.get(field.label) !== field);
  throw preprocessingFailed(`Duplicate label "${twice?.label ?? ''}" in record`);
}

function fieldAt(
  { fields }: RecordMessage,
  index: number,
  expected: RecordField,
  { module, entity }: TypeName,
): FieldMessage | undefined {
  const given = fields[index];
  if (given === undefined || given.label === '' || given.label === expected.name) return given;
  throw preprocessingFailed(
    `Mismatching record field label '${given.label}' (expecting '${expected.name}') for record ${module}:${entity}`,
  );
}

function checkExtraFields(
  known: readonly RecordField[],
  { fields }: RecordMessage,
  isLabelled: boolean,
): void {
  const extra = isLabelled
    ? fields.filter(({ label }) => !known.some(({ name }) => name === label))
    : fields.slice(known.length);
  for (const { label, value } of extra) {
    const sum = value?.sum;
    if (sum?.$case === 'optional' && sum.value.value === undefined) continue;
    if (sum?.$case === 'optional') {
      const named = label === '' ? '' : ` ("${label}")`;
      throw preprocessingFailed(
        `An optional contract field${named} with a value of Some may not be dropped during downgrading.`,
      );
    }
    const named = label === '' ? '' : ` "${label}"`;
    throw preprocessingFailed(
      `Found non-optional extra field${named}, cannot remove for downgrading.`,
    );
  }
}
