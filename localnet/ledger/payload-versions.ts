import type { Meter } from './engine/bounds.ts';
import { sortedParties, templateText, typeText } from './contract.ts';
import type { Contract } from './contract.ts';
import { LedgerError } from './ledger-error.ts';
import type { LfType } from './lf-types.ts';
import type { TemplateDefinition } from './package-definition.ts';

/*
 * Contracts of one version of a template as another version has them: fields are the same by name, those that are new
 * are empty, and those that are gone must be.
 */

/** Why a payload does not fit another version. */
class Misfit extends Error {}

/** A value of one version of a type as another version has it. Throws {@link Misfit}. */
export function upgradedPayload(from: LfType, to: LfType, value: unknown): unknown {
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

/**
 * A contract as the version of its template that code asks for. INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED if its
 * payload does not fit, INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED if its parties would be others.
 */
export function contractAs(contract: Contract, target: TemplateDefinition, meter: Meter): Contract {
  const { contractId, packageId, template } = contract;
  if (target.packageId === template.packageId) return contract;
  const wanted = typeText(target.packageId ?? target.name.packageName, target.name);
  const translated = translatedPayload(contract, target, wanted);
  const signatories = sortedParties(target.signatories(translated, meter));
  const observers = sortedParties(target.observers(translated, meter)).filter(
    (party) => !signatories.includes(party),
  );
  const isSame = (ours: readonly string[], theirs: readonly string[]) =>
    ours.join() === theirs.join();
  if (isSame(signatories, contract.signatories) && isSame(observers, contract.observers)) {
    return { ...contract, template: target, payload: translated };
  }
  throw new LedgerError(
    'INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED',
    `Interpretation error: Error: Validation fails when trying to upgrade the contract ${contractId} from ${typeText(packageId, template.name)} to ${wanted}`,
    { resources: [{ type: 'CONTRACT_ID', name: contractId }] },
  );
}

function translatedPayload(contract: Contract, to: TemplateDefinition, wanted: string): unknown {
  const { contractId, template, payload } = contract;
  try {
    return upgradedPayload(template.payload, to.payload, payload);
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    throw new LedgerError(
      'INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED',
      `Interpretation error: Error: Translation of contract ${contractId} to a value of type ${wanted} fails.\n  Reason: ${error.message}\n  The contract is purportedly an instance of ${templateText(contract)}`,
      { resources: [{ type: 'CONTRACT_ID', name: contractId }] },
    );
  }
}
