import type { Change, ChangeResult } from '../../domain/change.ts';
import type { ContractId, Party } from '../../domain/ids.ts';
import type { TemplateName } from '../../domain/ledger.ts';
import { templateFqn } from '../../domain/ledger.ts';
import { ARCHIVE } from '../contract/model.ts';
import type { ContractModel } from '../contract/model.ts';
import type { OperationDefinition } from '../contract/operation.ts';
import type { Created, TemplateDefinition } from '../contract/template.ts';
import type { AppliedUpdate } from '../ports/transaction.ts';
import type { WorkingSet } from './working-set.ts';

const createdOf = (applied: AppliedUpdate, template: TemplateName) =>
  applied.created.find((entry) => entry.templateFqn === templateFqn(template));

/** Reads the contracts that an update created as their templates describe them. */
const createdIn =
  (applied: AppliedUpdate, ws?: WorkingSet) =>
  <P>(template: TemplateDefinition<P>): Created<P> | undefined => {
    const entry = createdOf(applied, template.name);
    if (entry === undefined) return undefined;
    return {
      contractId: entry.contractId,
      payload: template.read(entry.payload),
      // Loaded when this transaction bore it.
      lifecycle: ws?.lifecycleOfContract(entry.contractId),
    };
  };

/** The operation's choice, or what stands in for it where the ledger's package lacks it. */
const isChoiceOf = ({ command }: OperationDefinition, choice: string): boolean =>
  command.kind === 'choice' &&
  (choice === command.name || (command.elseArchive !== undefined && choice === ARCHIVE));

/** What a change's choice came to on the ledger, for callers that asked in its words. */
function exercisedBy(
  operation: OperationDefinition,
  applied: AppliedUpdate,
): Pick<ChangeResult, 'exercised'> {
  if (operation.command.kind !== 'choice' || applied.updateId === '') return {};
  const { result } = applied.exercised.find(({ choice }) => isChoiceOf(operation, choice)) ?? {};
  const { updateId, offset } = applied;
  return { exercised: { updateId, offset: Number(offset), result: result ?? null } };
}

/** The answer to a successful change, from what its update did. */
export function resultOf(change: Change, applied: AppliedUpdate, ws: WorkingSet): ChangeResult {
  const operation = ws.model.operation(change.operation);
  const { command } = operation;
  const exercise = applied.exercised.find(
    ({ choice }) => command.kind === 'choice' && choice === command.name,
  );
  const answer = operation.answer({
    change,
    body: change.body,
    created: createdIn(applied, ws),
    result: exercise?.result ?? null,
  });
  return { ...answer, ...exercisedBy(operation, applied) };
}

/** The contract with which a change began a lifecycle, and that lifecycle's kind, so that the operation can name it. */
export function begunBy(
  model: ContractModel,
  change: Change,
  applied: AppliedUpdate,
): { readonly kind: string; readonly contractId: ContractId } | null {
  const { command, kind } = model.operation(change.operation);
  if (command.kind !== 'create' || kind !== null) return null;
  const created = createdOf(applied, command.template);
  const begun = model.template(command.template)?.lifecycle;
  if (created === undefined || begun == null) return null;
  return { kind: begun.description.kind, contractId: created.contractId };
}

/** Rows of earlier versions have no parties, and every event of a ledger has some: without them any party counts. */
const isAmong = (parties: readonly Party[], party: Party): boolean =>
  parties.length === 0 || parties.includes(party);

/** Whether the party that the change acts as has exercised or signed something in the update. */
const actsAs = ({ created, exercised }: AppliedUpdate, party: Party): boolean =>
  exercised.some(({ actingParties }) => isAmong(actingParties, party)) ||
  created.some(({ signatories }) => isAmong(signatories, party));

/** The contracts on which the update exercised the choice of a change. */
export const chosenBy = (
  model: ContractModel,
  change: Change,
  { exercised }: AppliedUpdate,
): readonly ContractId[] =>
  exercised.flatMap(({ choice, contractId, actingParties }) =>
    isChoiceOf(model.operation(change.operation), choice) &&
    isAmong(actingParties, change.submitter.actAs)
      ? contractId
      : [],
  );

/**
 * Whether the change's party did in the update what the change asked for: the creation of a contract of its template
 * that its definition recognises, or its choice on a contract of its lifecycle. Other clients can exercise a choice
 * that keeps its contract as well: the definition alone recognises the effect of such an operation.
 *
 * @param own which of the contracts in `chosenBy` belong to the change's lifecycle
 */
export function isEffectOf(
  model: ContractModel,
  change: Change,
  applied: AppliedUpdate,
  own: readonly ContractId[],
): boolean {
  const operation = model.operation(change.operation);
  const { command, isEffect } = operation;
  const { body, fixed } = change;
  if (!actsAs(applied, change.submitter.actAs)) return false;
  if (isEffect !== undefined) {
    return isEffect({ change, body, fixed, created: createdIn(applied) });
  }
  if (command.kind === 'create') return createdOf(applied, command.template) !== undefined;
  return own.length > 0;
}
