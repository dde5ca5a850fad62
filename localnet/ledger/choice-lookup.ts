import type { Meter } from './engine/bounds.ts';
import { sameType, templateText, typeText } from './contract.ts';
import type { Contract } from './contract.ts';
import { LedgerError } from './ledger-error.ts';
import type { TypeName } from './lf-types.ts';
import { ARCHIVE_CHOICE, archiveChoice } from './package-definition.ts';
import type { ChoiceDefinition, ChoiceTarget, TemplateDefinition } from './package-definition.ts';
import { contractAs } from './payload-versions.ts';

export type AnyChoice = ChoiceDefinition<unknown>;

/** The choice that an exercise means, and whether it is an interface's. */
interface FoundChoice {
  readonly choice: AnyChoice;
  readonly interfaceName: TypeName | undefined;
}

/** A contract as the version of its template that is meant, or as it is if an interface is. */
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

function requireTemplate(contract: Contract, expected: ChoiceTarget): void {
  if (sameType(contract.template.name, expected.name)) return;
  const { module, entity } = expected.name;
  throw new LedgerError(
    'WRONGLY_TYPED_CONTRACT',
    `Interpretation error: Error: wrongly typed contract id: expected template type ${module}:${entity}, but ${contract.contractId} is of ${templateText(contract)}`,
    {
      resources: [
        { type: 'CONTRACT_ID', name: contract.contractId },
        { type: 'TEMPLATE_ID', name: typeText(contract.packageId, expected.name) },
        { type: 'TEMPLATE_ID', name: templateText(contract) },
      ],
    },
  );
}

export function implementationOf(contract: Contract, iface: ChoiceTarget) {
  const found = contract.template.implements.find((it) => sameType(it.iface.name, iface.name));
  if (found !== undefined) return found;
  throw new LedgerError(
    'CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE',
    `Interpretation error: Error: contract ${contract.contractId} of ${templateText(contract)} does not implement interface ${iface.name.module}:${iface.name.entity}`,
    { resources: [{ type: 'CONTRACT_ID', name: contract.contractId }] },
  );
}
