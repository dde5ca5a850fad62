import { randomBytes } from 'node:crypto';
import type { ContractId } from '../domain/ids.ts';
import { trusted } from '../domain/ids.ts';
import type { LedgerCommand, TemplateName } from '../domain/ledger.ts';
import type { Command } from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Identifier } from '../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { ArgumentError, encodeRecord } from './encode.ts';
import { record } from '../app/contract/lf.ts';
import type { ContractModel } from '../app/contract/model.ts';

/**
 * Returns a template's identifier by package name, `#name`, because the package ID changes with every build of the
 * package.
 */
export const templateIdentifier = (template: TemplateName): Identifier => ({
  packageId: `#${template.packageName}`,
  moduleName: template.moduleName,
  entityName: template.entityName,
});

/** Returns a well-formed contract ID that no contract has: version 1 with a suffix, both random. */
const noContract = (): ContractId =>
  trusted<ContractId>(
    `00${randomBytes(32).toString('hex')}ca121220${randomBytes(32).toString('hex')}`,
  );

/** The argument of the choice `Archive`. */
const NO_ARGUMENT = { sum: { $case: 'record' as const, value: encodeRecord(record({}), {}) } };

/**
 * Encodes a command for the Ledger API.
 *
 * @throws ArgumentError if the template or choice is not one of ours, or if the argument does not have its type
 */
export function encodeCommand(
  command: LedgerCommand,
  argumentsOf: ContractModel['argumentsOf'],
): Command {
  const types = argumentsOf(command.template);
  const templateId = templateIdentifier(command.template);
  if (command.kind === 'create' || command.kind === 'create-and-archive') {
    if (types?.create === undefined) throw new ArgumentError('', 'a template that can be created');
    const createArguments = encodeRecord(types.create, command.argument);
    if (command.kind === 'create') {
      return { command: { $case: 'create', value: { templateId, createArguments } } };
    }
    const value = { templateId, createArguments, choice: 'Archive', choiceArgument: NO_ARGUMENT };
    return { command: { $case: 'createAndExercise', value } };
  }
  const { choice, argument } = command;
  const contractId = command.kind === 'probe' ? noContract() : command.contractId;
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
