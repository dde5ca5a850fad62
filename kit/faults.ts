import type { FaultView } from '../localnet/faults/fault.ts';
import type { ScriptedFaults } from '../localnet/faults/plan.ts';
import { readFault } from '../localnet/faults/rules.ts';
import type { FaultRule } from '../localnet/faults/rules.ts';
import { readScript } from '../localnet/faults/script.ts';
import type { Fault, Faults, FaultStatus } from './fault-types.ts';

/**
 * The public types of faults and LocalNet's own types must have the same fields. The compiler checks these assignments.
 */
const asChecked = (fault: Fault): FaultRule => fault;
const asTold = (view: FaultView): FaultStatus => view;

/** Returns the public interface of a fault plan. Each call reads the plan's current faults. */
export const faultsOf = (scripted: ScriptedFaults): Faults => ({
  add: (fault) =>
    'kind' in fault
      ? [asTold(scripted.add(readFault(asChecked(fault))))]
      : scripted.addScript(readScript(fault)).faults.map(asTold),
  list: () => scripted.list().map(asTold),
  get: (id) => {
    const found = scripted.get(id);
    return found === undefined ? undefined : asTold(found);
  },
  remove: (id) => scripted.remove(id),
  clear: () => scripted.clear(),
});
