import type { Meter } from './engine/bounds.ts';
import type { Contract } from './contract.ts';
import { interpretationError } from './interpretation-errors.ts';
import { LedgerError } from './ledger-error.ts';
import { nestsTooDeeply, unwritablePart } from './lf-parts.ts';
import type { LfType } from './lf-types.ts';
import { VALUE_NESTING_MAX } from './lf-values.ts';
import type { InterfaceDefinition } from './package-definition.ts';

/** Refuses values that cannot be written. This is the last check of values that contract code has computed. */
export function requireWritable(type: LfType, value: unknown): void {
  const unwritable = unwritablePart(type, value);
  if (unwritable !== undefined) {
    throw interpretationError(`a value of type ${unwritable.kind} is out of its range`);
  }
  if (!nestsTooDeeply(type, value)) return;
  throw new LedgerError(
    'VALUE_NESTING',
    `Interpretation error: Error: Value exceeds maximum nesting value of ${VALUE_NESTING_MAX}`,
  );
}

/**
 * Computes an interface's view of a contract. Views are computed when they are read, long after the contract was
 * written.
 *
 * @throws LedgerError if the view fails, or if its result cannot be written
 */
export function viewOf(
  { template, payload }: Contract,
  iface: InterfaceDefinition,
  meter: Meter,
): unknown {
  const implementation = template.implements.find((it) => it.iface === iface);
  const view = implementation?.view(payload, meter);
  requireWritable(iface.view, view);
  return view;
}
