import type { Change, ChangeResult } from '../../../domain/change.ts';
import type { ContractId, Party } from '../../../domain/ids.ts';
import type { TemplateName } from '../../../domain/ledger.ts';
import { templateFqn } from '../../../domain/ledger.ts';
import { ARCHIVE } from '../../contract/model.ts';
import type { ContractModel } from '../../contract/model.ts';
import type { OperationDefinition } from '../../contract/operation.ts';
import type { Created, TemplateDefinition } from '../../contract/template.ts';
import type { AppliedUpdate } from '../../ports/transaction.ts';
import type { WorkingSet } from './working-set.ts';

const createdOf = (applied: AppliedUpdate, template: TemplateName) =>
  applied.created.find((entry) => entry.templateFqn === templateFqn(template));

/** Returns a function that reads the contracts created by an update, with their template's definition. */
const createdIn =
  (applied: AppliedUpdate, ws?: WorkingSet) =>
  <P>(template: TemplateDefinition<P>): Created<P> | undefined => {
    const entry = createdOf(applied, template.name);
    if (entry === undefined) return undefined;
    return {
      contractId: entry.contractId,
      payload: template.read(entry.payload),
      // Loaded if this transaction began the lifecycle.
      lifecycle: ws?.lifecycleOfContract(entry.contractId),
    };
  };

/** Returns whether a choice is the operation's, or its substitute for ledger packages that lack the former. */
const isChoiceOf = ({ command }: OperationDefinition, choice: string): boolean =>
  command.kind === 'choice' &&
  (choice === command.name || (command.elseArchive !== undefined && choice === ARCHIVE));

/** Returns the update and the result of a change's choice. Callers that made the request in ledger terms receive it. */
function exercisedBy(
  operation: OperationDefinition,
  applied: AppliedUpdate,
): Pick<ChangeResult, 'exercised'> {
  if (operation.command.kind !== 'choice' || applied.updateId === '') return {};
  const { result } = applied.exercised.find(({ choice }) => isChoiceOf(operation, choice)) ?? {};
  const { updateId, offset } = applied;
  return { exercised: { updateId, offset: Number(offset), result: result ?? null } };
}

/** Returns the result of a successful change, from its update. */
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

/** Returns the contract and kind of the lifecycle that a change began, so that the operation's view can name it. */
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

/** Rows of earlier versions have no acting parties, although every ledger event has some: then any party matches. */
const isAmong = (parties: readonly Party[], party: Party): boolean =>
  parties.length === 0 || parties.includes(party);

/** Returns whether the change's party exercised or signed anything in the update. */
const actsAs = ({ created, exercised }: AppliedUpdate, party: Party): boolean =>
  exercised.some(({ actingParties }) => isAmong(actingParties, party)) ||
  created.some(({ signatories }) => isAmong(signatories, party));

/** Returns the contracts on which the update exercised the change's choice. */
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
 * Returns whether the change's party did in the update what the change requested: created a contract of the requested
 * template that the operation's definition recognises, or exercised the operation's choice on a contract of the
 * lifecycle. Other clients can exercise a nonconsuming choice as well, so for such an operation only the definition can
 * recognise the effect.
 *
 * @param own the contracts in `chosenBy` that belong to the change's lifecycle
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
