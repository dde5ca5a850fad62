import type { Meter } from './engine/bounds.ts';
import { sortedParties, templateText, typeText } from './contract.ts';
import type { Contract } from './contract.ts';
import { interpreterRefusal } from './interpretation-errors.ts';
import { LedgerError } from './ledger-error.ts';
import { toJson } from './lf-json.ts';
import { show } from './lf-show.ts';
import type { LfType } from './lf-types.ts';
import type { TemplateDefinition } from './package-definition.ts';

/*
 * Converts contracts between versions of a template. Fields are matched by name, new fields are empty, and removed
 * fields must have been empty.
 */

/** Thrown if a payload does not fit another version. The message contains the reason. */
class Misfit extends Error {}

/** Converts a value to another version of its type. Throws {@link Misfit}. */
function upgradedPayload(from: LfType, to: LfType, value: unknown): unknown {
  if (from === to) return value;
  switch (to.kind) {
    case 'record':
      return from.kind === 'record'
        ? upgradedRecord(from, to, value as Readonly<Record<string, unknown>>)
        : value;
    case 'variant': {
      const { tag, value: inner } = value as { readonly tag: string; readonly value: unknown };
      const [source, target] = [from, to].map((type) =>
        type.kind === 'variant' ? type.constructors.find(({ name }) => name === tag) : undefined,
      );
      if (target === undefined || source === undefined) throw new Misfit(`no constructor ${tag}`);
      return { tag, value: upgradedPayload(source.type, target.type, inner) };
    }
    case 'enum':
      if (to.constructors.includes(value as string)) return value;
      throw new Misfit(`no constructor ${String(value)}`);
    case 'optional': {
      const optional = value as { readonly some: unknown } | null;
      if (optional === null || from.kind !== to.kind) return value;
      return { some: upgradedPayload(from.of, to.of, optional.some) };
    }
    case 'list':
      return from.kind === to.kind
        ? (value as readonly unknown[]).map((item) => upgradedPayload(from.of, to.of, item))
        : value;
    case 'textMap':
      return from.kind === to.kind
        ? new Map(
            Array.from(
              value as ReadonlyMap<string, unknown>,
              ([key, item]) => [key, upgradedPayload(from.of, to.of, item)] as const,
            ),
          )
        : value;
    case 'genMap':
      return from.kind === to.kind
        ? (value as readonly (readonly [unknown, unknown])[]).map(([key, item]) => [
            upgradedPayload(from.key, to.key, key),
            upgradedPayload(from.value, to.value, item),
          ])
        : value;
    case 'unit':
    case 'bool':
    case 'int64':
    case 'date':
    case 'timestamp':
    case 'numeric':
    case 'party':
    case 'text':
    case 'contractId':
      return value;
    default:
      return to satisfies never;
  }
}

type RecordType = LfType & { readonly kind: 'record' };

function upgradedRecord(
  from: RecordType,
  to: RecordType,
  value: Readonly<Record<string, unknown>>,
): unknown {
  const known = new Map(from.fields.map(({ name, type }) => [name, type]));
  const kept = new Set(to.fields.map(({ name }) => name));
  const lost = from.fields.find(({ name }) => !kept.has(name) && value[name] !== null);
  if (lost !== undefined) throw new Misfit(`the field ${lost.name} would be lost`);
  return Object.fromEntries(
    to.fields.map(({ name, type }) => {
      const source = known.get(name);
      if (source !== undefined) return [name, upgradedPayload(source, type, value[name])];
      if (type.kind !== 'optional') throw new Misfit(`the field ${name} is not optional`);
      return [name, null];
    }),
  );
}

/** The type of a payload, and the name of its template for error messages. */
interface Source {
  readonly type: LfType;
  readonly name: string;
  readonly payload: unknown;
}

/**
 * Converts a contract to the version of its template that contract code expects. Throws
 * INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED if its payload does not fit, TEMPLATE_PRECONDITION_VIOLATED if that
 * version would have refused its creation, INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED if its parties, its key or
 * its package name would change.
 */
export function contractAs(contract: Contract, target: TemplateDefinition, meter: Meter): Contract {
  const { contractId, packageId, template, payload } = contract;
  const isSameName = target.name.packageName === template.name.packageName;
  if (isSameName && target.packageId === template.packageId) return contract;
  const wanted = typeText(target.packageId ?? target.name.packageName, target.name);
  const source = { type: template.payload, name: templateText(contract), payload };
  const translated = translatedPayload(source, target.payload, wanted, `contract ${contractId}`);
  requirePrecondition(target, wanted, translated, meter);
  const parties = partiesOf(target, translated, meter);
  const isSame =
    isSameName &&
    parties.signatories.join() === contract.signatories.join() &&
    parties.observers.join() === contract.observers.join() &&
    keyText(target, translated, meter) === keyText(template, payload, meter);
  if (isSame) return { ...contract, template: target, payload: translated };
  throw new LedgerError(
    'INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED',
    `Interpretation error: Error: Validation fails when trying to upgrade the contract ${contractId} from ${typeText(packageId, template.name)} to ${wanted}`,
    { resources: [{ type: 'CONTRACT_ID', name: contractId }] },
  );
}

/** Throws TEMPLATE_PRECONDITION_VIOLATED if a payload does not satisfy the template's precondition. */
export function requirePrecondition(
  template: TemplateDefinition,
  name: string,
  payload: unknown,
  meter: Meter,
): void {
  if (template.ensure === undefined || template.ensure(payload, meter)) return;
  throw interpreterRefusal(
    'TEMPLATE_PRECONDITION_VIOLATED',
    `Update failed due to precondition violation when creating ${name} with ${show(template.payload, payload)}`,
  );
}

/** Returns the signatories, and the observers that are not signatories, both sorted. */
export function partiesOf(template: TemplateDefinition, payload: unknown, meter: Meter) {
  const signatories = sortedParties(template.signatories(payload, meter));
  const signing = new Set(signatories);
  const observers = sortedParties(template.observers(payload, meter)).filter(
    (party) => !signing.has(party),
  );
  return { signatories, observers };
}

/** Returns a text for a key and its maintainers. It is the same in all versions of the key's type. */
function keyText({ key }: TemplateDefinition, payload: unknown, meter: Meter): string | undefined {
  if (key === undefined) return undefined;
  const value = key.of(payload, meter);
  return JSON.stringify([toJson(key.type, value), sortedParties(key.maintainers(value, meter))]);
}

/**
 * Converts a payload to another version of its template. Throws INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED.
 *
 * @param what how the error names the contract or the value to which the payload belongs
 */
export function translatedPayload(
  { type, name, payload }: Source,
  to: LfType,
  wanted: string,
  what: string,
): unknown {
  try {
    return upgradedPayload(type, to, payload);
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    throw interpreterRefusal(
      'INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED',
      `Translation of ${what} to a value of type ${wanted} fails.\n  Reason: ${error.message}\n  The contract is purportedly an instance of ${name}`,
    );
  }
}
