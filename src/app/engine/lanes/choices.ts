import type { Json, JsonRecord } from '../../../domain/json.ts';
import type { Lifecycle } from '../../../domain/lifecycle.ts';
import { fail } from '../../../domain/problems.ts';
import type { ContractModel } from '../../contract/model.ts';
import type { Choice, OperationDefinition } from '../../contract/operation.ts';
import type { LfRecord } from '../../contract/lf.ts';

/*
 * Operations requested in ledger terms: a choice and its argument in the query store's encoding. The recorded change is
 * the same as that of the operation's own route, so a request repeated in the other form is a replay.
 */

/** A request with the body that the operation's own route would record. */
export interface ChoiceMeaning {
  readonly operation: string;
  readonly body: JsonRecord;
  /** See `ChangeRequest`. */
  readonly within?: string;
}

interface Askable {
  readonly operation: OperationDefinition;
  readonly choice: Choice<LfRecord, { readonly type: string }>;
  readonly means: NonNullable<OperationDefinition['means']>;
}

const askable = (model: ContractModel, kind: string | undefined): Askable[] =>
  model.operations.flatMap((operation) => {
    const { command, means } = operation;
    if (operation.kind !== kind || command.kind !== 'choice' || means === undefined) return [];
    return [{ operation, choice: command, means }];
  });

/**
 * Returns the operation and body that correspond to the exercise of a choice on a lifecycle's contract.
 *
 * @param lifecycle `null` if the contract belongs to no lifecycle
 * @throws ProblemError `CHOICE_UNKNOWN` with the known choices, `ARGUMENT_INVALID` with the field
 */
export function meaningOf(
  model: ContractModel,
  lifecycle: Lifecycle | null,
  choice: string,
  argument: Json,
): ChoiceMeaning {
  const known = askable(model, lifecycle?.kind);
  const asked = known.find((each) => each.choice.name === choice);
  if (lifecycle === null || asked === undefined) {
    const choices = known.map((each) => each.choice.name);
    const word = lifecycle === null ? 'this contract' : model.lifecycle(lifecycle.kind).word;
    const those = choices.length === 0 ? 'none' : choices.join(', ');
    return fail('CHOICE_UNKNOWN', `choice is not one of ${word}; known: ${those}`, {
      extra: { field: 'choice', choices },
    });
  }
  return { operation: asked.operation.name, ...asked.means(argument, lifecycle) };
}
