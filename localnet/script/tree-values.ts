import type { Contract } from '../ledger/contract.ts';
import { toEngine } from '../ledger/engine/conversion.ts';
import { Meter } from '../ledger/engine/bounds.ts';
import { Any, LfRecord, listOf, NONE } from '../ledger/engine/values.ts';
import type { Value } from '../ledger/engine/values.ts';
import { ARCHIVE_CHOICE, standardLibraryPackage } from '../ledger/package-definition.ts';
import type { ExerciseNode, TransactionTree, TreeNode } from '../ledger/transaction-tree.ts';
import type { DefinitionId, Type } from '../lf/types.ts';
import type { ScriptLedger } from './script-ledger.ts';
import type { ScriptTypes } from './script-types.ts';
import { anyContractId, typeRepOf } from './submit-errors.ts';

const ARCHIVE: DefinitionId = {
  packageId: standardLibraryPackage.id,
  module: 'DA.Internal.Template',
  name: 'Archive',
};

interface Context {
  readonly ledger: ScriptLedger;
  readonly types: ScriptTypes;
}

const templateIdOf = ({ packageId, template: { name } }: Contract): DefinitionId => ({
  packageId,
  module: name.module,
  name: name.entity,
});

/** Returns a transaction as the `TransactionTree` that a script sees: its creates and exercises. */
export function treeOf({ ledger, types }: Context, { roots }: TransactionTree): Value {
  const meter = new Meter();
  const events = (nodes: readonly TreeNode[]): Value => listOf(nodes.flatMap(event));
  const event = (node: TreeNode): Value[] => {
    if (node.kind === 'fetch' || node.kind === 'rollback') return [];
    const { contract } = node;
    const id = templateIdOf(contract);
    const contractId = anyContractId(types, id, contract.contractId);
    if (node.kind === 'create') {
      const payload = toEngine(contract.template.payload, contract.payload, meter);
      const argument = new LfRecord([new Any({ kind: 'con', id }, payload)]);
      const created = types.record('Created', { contractId, argument });
      return [types.variant('TreeEvent', 'CreatedEvent', created)];
    }
    const exercised = types.record('Exercised', {
      contractId,
      choice: node.choice,
      argument: anyChoice(node, id),
      childEvents: events(node.children),
    });
    return [types.variant('TreeEvent', 'ExercisedEvent', exercised)];
  };
  const anyChoice = (node: ExerciseNode, id: DefinitionId): Value => {
    const target = targetOf(node, id);
    const type = choiceType(target, node.choice);
    const argument = toEngine(node.argumentType, node.argument, meter);
    return new LfRecord([new Any(type, argument), typeRepOf(target)]);
  };
  const targetOf = ({ interfaceName }: ExerciseNode, id: DefinitionId): DefinitionId => {
    if (interfaceName === undefined) return id;
    const { packageName, module, entity } = interfaceName;
    return { packageId: ledger.registry.idOf(packageName), module, name: entity };
  };
  const choiceType = (target: DefinitionId, choice: string): Type => {
    if (choice === ARCHIVE_CHOICE) return { kind: 'con', id: ARCHIVE };
    const { code } = ledger.registry.engine;
    const found = (code.template(target) ?? code.interface(target)).choices.get(choice);
    // A later version of the package has the choice, but the package of the contract does not.
    return found?.argument ?? { kind: 'con', id: { ...target, name: choice } };
  };
  return types.record('TransactionTree', { rootEvents: events(roots), timeBoundaries: NONE });
}
