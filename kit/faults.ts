import type { FaultView } from '../localnet/faults/fault.ts';
import type { ScriptedFaults } from '../localnet/faults/plan.ts';
import { readFault } from '../localnet/faults/rules.ts';
import type { FaultRule } from '../localnet/faults/rules.ts';
import { readScript } from '../localnet/faults/script.ts';
import type { Fault, Faults, FaultStatus } from './fault-types.ts';

/** The public types of faults and LocalNet's checks must have the same fields: these assignments compare them. */
const asChecked = (fault: Fault): FaultRule => fault;
const asTold = (view: FaultView): FaultStatus => view;

/** Each call reads the current faults of the plan. */
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
