import type { LedgerCommand, TemplateName } from '../domain/ledger.ts';
import type { Command } from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Identifier } from '../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { ArgumentError, encodeRecord } from './encode.ts';
import { record } from '../app/contract/lf.ts';
import type { ContractModel } from '../app/contract/model.ts';

/** A template by package name, `#name`: the package id changes with every build of the package. */
export const templateIdentifier = (template: TemplateName): Identifier => ({
  packageId: `#${template.packageName}`,
  moduleName: template.moduleName,
  entityName: template.entityName,
});

/** What `Archive` takes. */
const NO_ARGUMENT = { sum: { $case: 'record' as const, value: encodeRecord(record({}), {}) } };

/**
 * A command as the Ledger API wants it.
 *
 * @throws ArgumentError when the template or choice is not one of ours, or the argument is not of its type.
 */
export function encodeCommand(
  command: LedgerCommand,
  argumentsOf: ContractModel['argumentsOf'],
): Command {
  const types = argumentsOf(command.template);
  const templateId = templateIdentifier(command.template);
  if (command.kind !== 'exercise') {
    if (types?.create === undefined) throw new ArgumentError('', 'a template that can be created');
    const createArguments = encodeRecord(types.create, command.argument);
    if (command.kind === 'create') {
      return { command: { $case: 'create', value: { templateId, createArguments } } };
    }
    const value = { templateId, createArguments, choice: 'Archive', choiceArgument: NO_ARGUMENT };
    return { command: { $case: 'createAndExercise', value } };
  }
  const { choice, contractId, argument } = command;
  const type =
    types !== undefined && Object.hasOwn(types.choices, choice) ? types.choices[choice] : undefined;
  if (type === undefined) {
    throw new ArgumentError('', `a choice of ${command.template.entityName}, got ${choice}`);
  }
  const choiceArgument = {
    sum: { $case: 'record' as const, value: encodeRecord(type, argument) },
  };
  return {
    command: { $case: 'exercise', value: { templateId, contractId, choice, choiceArgument } },
  };
}
