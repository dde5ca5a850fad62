import type { LedgerError } from './ledger-error.ts';
import type { LfType } from './lf-types.ts';
import { isSuffixedContractId, preprocessingFailed } from './lf-values.ts';
import { ARCHIVE_CHOICE, Archive } from './package-definition.ts';
import type { LedgerCommand, TypeReference } from './submission.ts';
import type { UploadedPackages, UploadedType } from './uploaded-packages.ts';

const nameOf = ({ module, entity }: TypeReference): string => `${module}:${entity}`;

/**
 * Reads the values of a command on a package that nothing here can run, by the package's own types: what a participant
 * would refuse in it is refused first. COMMAND_PREPROCESSING_FAILED.
 */
export function checkUploaded(packages: UploadedPackages, command: LedgerCommand): void {
  const { templateId } = command;
  const found = packages.type(templateId);
  if (found === undefined) {
    const id = packages.find(templateId.packageId)?.id ?? templateId.packageId;
    throw preprocessingFailed(`unknown template or interface ${id}:${nameOf(templateId)}`);
  }
  switch (command.kind) {
    case 'create':
      command.argument(payloadOf(found, templateId));
      return;
    case 'exercise':
      if (!isSuffixedContractId(command.contractId)) {
        throw preprocessingFailed(`contract id ${command.contractId} has no suffix`);
      }
      command.argument(argumentOf(found, templateId, command.choice));
      return;
    case 'createAndExercise':
      command.createArgument(payloadOf(found, templateId));
      command.argument(argumentOf(found, templateId, command.choice));
      return;
    case 'exerciseByKey':
      if (found.key === undefined) throw noContractKey(templateId);
      command.key(found.key);
      command.argument(argumentOf(found, templateId, command.choice));
      return;
    default:
      command satisfies never;
  }
}

/** COMMAND_PREPROCESSING_FAILED: a contract is asked for by a key that its template has not. */
export const noContractKey = (reference: TypeReference): LedgerError =>
  preprocessingFailed(
    `unknown template without contract key ${reference.packageId}:${nameOf(reference)}.`,
  );

function payloadOf({ payload }: UploadedType, reference: TypeReference): LfType {
  if (payload !== undefined) return payload;
  throw preprocessingFailed(`${nameOf(reference)} is an interface; only templates can be created`);
}

function argumentOf(found: UploadedType, reference: TypeReference, choice: string): LfType {
  const argument = choice === ARCHIVE_CHOICE ? Archive : found.argumentOf(choice);
  if (argument !== undefined) return argument;
  throw preprocessingFailed(`unknown choice ${choice} of ${nameOf(reference)}`);
}
