import { abort } from '../contract-failures.ts';
import { show } from '../lf-show.ts';
import type {
  ChoiceContext,
  InterfaceDefinition,
  TemplateDefinition,
} from '../package-definition.ts';

/*
 * A contract belongs to a group: that of the DSO party, or that of one owner together with the DSO party. A choice
 * states the group of each contract that it fetches, and fails if the contract belongs to another group.
 */

type Fields = Readonly<Record<string, string>>;

const groupText = (name: string, fields: Fields): string =>
  `${name} {${Object.entries(fields)
    .map(([key, party]) => `${key} = '${party}'`)
    .join(', ')}}`;

/** A group of contracts, with the name and the parties that Daml's error messages show. */
export interface ContractGroup {
  readonly name: string;
  readonly fields: Fields;
}

export const forDso = (dso: string): ContractGroup => ({ name: 'ForDso', fields: { dso } });
export const forOwner = (dso: string, owner: string): ContractGroup => ({
  name: 'ForOwner',
  fields: { dso, owner },
});

/** Fails if a fetched contract does not belong to the group. */
export function requireGroup(
  ledger: ChoiceContext,
  expected: ContractGroup,
  actual: ContractGroup,
  shown: () => string,
): void {
  const [wanted, got] = [
    groupText(expected.name, expected.fields),
    groupText(actual.name, actual.fields),
  ];
  if (wanted === got) return;
  abort(
    ledger,
    `Contract group identifier mismatch: expected ${wanted}, got ${got} for (<contract-id>,${shown()})`,
  );
}

/** Fetches a contract that must belong to a group. */
export function fetchChecked<P>(
  ledger: ChoiceContext,
  template: TemplateDefinition<P>,
  contractId: string,
  expected: ContractGroup,
  groupOf: (payload: P) => ContractGroup,
): P {
  const payload = ledger.fetch(template, contractId);
  requireGroup(ledger, expected, groupOf(payload), () => show(template.payload, payload));
  return payload;
}

/** Fetches a contract as an interface. The contract must belong to a group. */
export function fetchCheckedInterface<V>(
  ledger: ChoiceContext,
  iface: InterfaceDefinition<V>,
  contractId: string,
  expected: ContractGroup,
  groupOf: (view: V) => ContractGroup,
): V {
  const view = ledger.fetchInterface(iface, contractId);
  requireGroup(ledger, expected, groupOf(view), () => show(iface.view, view));
  return view;
}

/** Fetches a contract that must have exactly the expected payload. */
export function requireMatchingContract<P>(
  ledger: ChoiceContext,
  template: TemplateDefinition<P>,
  contractId: string,
  expected: P,
): void {
  const payload = ledger.fetch(template, contractId);
  const [wanted, got] = [show(template.payload, expected), show(template.payload, payload)];
  if (wanted === got) return;
  abort(ledger, `Contract mismatch: expected ${wanted}, got ${got} referenced by <contract-id>`);
}
