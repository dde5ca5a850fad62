import { withContractId } from './contract-keys.ts';
import type { Contract } from './contract.ts';
import { traced } from './engine/places.ts';
import { Interpreter } from './interpreter.ts';
import type { InterpreterOptions } from './interpreter-options.ts';
import { contractIdsIn } from './lf-parts.ts';
import type { LfType } from './lf-types.ts';
import { preprocessingFailed, suffixedContractId } from './lf-values.ts';
import { ARCHIVE_CHOICE, Archive } from './package-definition.ts';
import type {
  InterfaceDefinition,
  KeyDefinition,
  TemplateDefinition,
} from './package-definition.ts';
import type { PackageRegistry } from './package-registry.ts';
import type { LedgerCommand, TypeReference } from './submission.ts';
import type { TransactionTree } from './transaction-tree.ts';

type TypedCommand =
  | {
      readonly kind: 'create';
      readonly template: TemplateDefinition;
      readonly packageId: string;
      readonly payload: unknown;
    }
  | {
      readonly kind: 'exercise';
      readonly target: TemplateDefinition | InterfaceDefinition;
      readonly contractId: string;
      readonly choice: string;
      readonly argument: unknown;
    }
  | {
      readonly kind: 'exerciseByKey';
      readonly template: TemplateDefinition;
      readonly of: KeyDefinition;
      readonly key: unknown;
      readonly choice: string;
      readonly argument: unknown;
    }
  | {
      readonly kind: 'createAndExercise';
      readonly template: TemplateDefinition;
      readonly packageId: string;
      readonly payload: unknown;
      readonly choice: string;
      readonly argument: unknown;
    };

/** Looks up a command's types and reads its values according to these types, before any command runs. */
function typeCommand(registry: PackageRegistry, command: LedgerCommand): TypedCommand {
  switch (command.kind) {
    case 'create': {
      const { template, packageId } = templateFor(registry, command.templateId);
      const payload = command.argument(template.payload);
      return { kind: 'create', template, packageId, payload };
    }
    case 'exercise': {
      const { contractId, choice } = command;
      const target = registry.resolveForCommand(command.templateId).definition;
      suffixedContractId(contractId);
      const argument = command.argument(argumentTypeOf(target, choice));
      return { kind: 'exercise', target, contractId, choice, argument };
    }
    case 'createAndExercise': {
      const { template, packageId } = templateFor(registry, command.templateId);
      const payload = command.createArgument(template.payload);
      const argument = command.argument(argumentTypeOf(template, command.choice));
      const { choice } = command;
      return { kind: 'createAndExercise', template, packageId, payload, choice, argument };
    }
    case 'exerciseByKey': {
      const { template, packageId } = templateFor(registry, command.templateId);
      if (template.key === undefined) throw noContractKey({ ...command.templateId, packageId });
      const key = command.key(template.key.type);
      for (const contractId of contractIdsIn(template.key.type, key)) {
        throw preprocessingFailed(withContractId(contractId));
      }
      const { choice } = command;
      const argument = command.argument(argumentTypeOf(template, choice));
      return { kind: 'exerciseByKey', template, of: template.key, key, choice, argument };
    }
    default:
      return command satisfies never;
  }
}

/**
 * Returns COMMAND_PREPROCESSING_FAILED, for a command that names a contract by key although its template has no key.
 */
const noContractKey = ({ packageId, module, entity }: TypeReference) =>
  preprocessingFailed(`unknown template without contract key ${packageId}:${module}:${entity}.`);

function templateFor(registry: PackageRegistry, reference: TypeReference) {
  const { definition, packageId } = registry.resolveForCommand(reference);
  if (definition.kind === 'template') return { template: definition, packageId };
  const { module, entity } = definition.name;
  throw preprocessingFailed(`${module}:${entity} is an interface; only templates can be created`);
}

function argumentTypeOf(target: TemplateDefinition | InterfaceDefinition, choice: string): LfType {
  if (choice === ARCHIVE_CHOICE) return Archive;
  const choices: readonly { readonly name: string; readonly argument: LfType }[] = target.choices;
  const found = choices.find(({ name }) => name === choice);
  if (found !== undefined) return found.argument;
  const { module, entity } = target.name;
  throw preprocessingFailed(`unknown choice ${choice} of ${module}:${entity}`);
}

/**
 * Converts commands to a transaction: reads all values first, and then runs the commands in order, as one transaction.
 */
export function interpret(
  commands: readonly LedgerCommand[],
  actAs: readonly string[],
  options: InterpreterOptions & { readonly lookUp: (contractId: string) => Contract | undefined },
): TransactionTree {
  const typed = commands.map((command) => typeCommand(options.registry, command));
  const interpreter = new Interpreter(options, actAs);
  for (const command of typed) {
    if (command.kind === 'exercise') {
      interpreter.exercise(command.target, command.contractId, command.choice, command.argument);
      continue;
    }
    if (command.kind === 'exerciseByKey') {
      const { template, of, key, choice, argument } = command;
      interpreter.exerciseByKey({ ...template, key: of }, key, choice, argument);
      continue;
    }
    const { template, packageId, payload } = command;
    if (command.kind === 'create') interpreter.create(template, packageId, payload);
    else {
      const { choice, argument } = command;
      interpreter.createAndExercise(template, packageId, payload, choice, argument);
    }
  }
  return interpreter.finish();
}

/** Like {@link interpret}, but if code of a package fails, the log gets the places of the code. */
export const interpretTraced: typeof interpret = (commands, actAs, options) =>
  traced(options.registry.trace, () => interpret(commands, actAs, options));
