import type { Meter } from './engine/bounds.ts';
import { sameType, templateText, typeText } from './contract.ts';
import type { Contract } from './contract.ts';
import { wronglyTyped } from './interpretation-errors.ts';
import { LedgerError } from './ledger-error.ts';
import type { TypeName } from './lf-types.ts';
import { ARCHIVE_CHOICE, archiveChoice } from './package-definition.ts';
import type { ChoiceDefinition, ChoiceTarget, TemplateDefinition } from './package-definition.ts';
import { contractAs } from './payload-versions.ts';

export type AnyChoice = ChoiceDefinition<unknown>;

/** The choice that is exercised, and the interface to which the choice belongs, if any. */
interface FoundChoice {
  readonly choice: AnyChoice;
  readonly interfaceName: TypeName | undefined;
}

/** Returns a contract in the target's version of its template, or unchanged if the target is an interface. */
export function contractOf(contract: Contract, target: ChoiceTarget, meter: Meter): Contract {
  if (target.kind === 'interface') {
    implementationOf(contract, target);
    return contract;
  }
  requireTemplate(contract, target);
  return isWhole(target) ? contractAs(contract, target, meter) : contract;
}

const isWhole = (target: ChoiceTarget): target is TemplateDefinition => 'payload' in target;

export function findChoice(
  contract: Contract,
  target: ChoiceTarget,
  choiceName: string,
): FoundChoice {
  const { template: created } = contract;
  if (target.kind === 'template') {
    const isOther = isWhole(target) && target.packageId !== created.packageId;
    const template = isOther ? target : created;
    const choice =
      choiceName === ARCHIVE_CHOICE
        ? (archiveChoice(template) as AnyChoice)
        : template.choices.find(({ name }) => name === choiceName);
    if (choice !== undefined) return { choice, interfaceName: undefined };
  } else {
    const implementation = implementationOf(contract, target);
    const choice =
      choiceName === ARCHIVE_CHOICE
        ? (archiveChoice(created) as AnyChoice)
        : implementation.choices[choiceName];
    if (choice !== undefined) return { choice, interfaceName: target.name };
  }
  throw new LedgerError(
    'COMMAND_PREPROCESSING_FAILED',
    `unknown choice ${target.name.module}:${target.name.entity}:${choiceName}`,
  );
}

/**
 * Fails if the contract has another template than expected. Types of different packages may have the same name, so the
 * error names the expected package.
 */
function requireTemplate(contract: Contract, expected: ChoiceTarget): void {
  const { name } = contract.template;
  const { module, entity } = expected.name;
  const isMeant = name.module === module && name.entity === entity;
  if (isMeant && (isWhole(expected) || sameType(name, expected.name))) return;
  const { packageName } = expected.name;
  const native = name.packageName === packageName ? contract.packageId : packageName;
  const packageId = isWhole(expected) ? (expected.packageId ?? native) : native;
  const wanted = typeText(packageId, expected.name);
  throw wronglyTyped(contract.contractId, wanted, templateText(contract));
}

export function implementationOf(contract: Contract, iface: ChoiceTarget) {
  const found = contract.template.implements.find((it) => sameType(it.iface.name, iface.name));
  if (found !== undefined) return found;
  throw new LedgerError(
    'CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE',
    `Interpretation error: Error: Update failed due to contract ${contract.contractId} not implementing an interface\n  Expected contract to implement interface ${typeText(iface.name.packageName, iface.name)} but contract has type ${templateText(contract)}`,
    { resources: [{ type: 'CONTRACT_ID', name: contract.contractId }] },
  );
}
