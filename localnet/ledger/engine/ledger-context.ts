import { ARCHIVE_CHOICE, ARCHIVE_TYPE, runBegun } from '../package-definition.ts';
import type {
  ChoiceContext,
  ChoiceType,
  InterfaceDefinition,
  TemplateDefinition,
} from '../package-definition.ts';
import { interpreterRefusal } from '../interpretation-errors.ts';
import type { LfType } from '../lf-types.ts';
import type { DefinitionId } from '../../lf/types.ts';
import { toEngine, toLedger } from './conversion.ts';
import type { Definitions } from './templates.ts';
import { Call } from './updates.ts';
import type { Attempt, EngineContext } from './updates.ts';
import { InterfaceValue, LfRecord, listOf, Some, wrongType } from './values.ts';
import type { Value } from './values.ts';

type KeyedTemplate = TemplateDefinition & Required<Pick<TemplateDefinition, 'key'>>;

/** Performs the engine's updates on the ledger, and converts values between engine and ledger. */
export class LedgerContext implements EngineContext {
  readonly #definitions: Definitions;
  readonly #ledger: ChoiceContext;

  constructor(definitions: Definitions, ledger: ChoiceContext) {
    this.#definitions = definitions;
    this.#ledger = ledger;
  }

  #toLedger(type: LfType, value: Value): unknown {
    return toLedger(type, value, this.#ledger.meter);
  }

  #toEngine(type: LfType, value: unknown): Value {
    return toEngine(type, value, this.#ledger.meter);
  }

  getTime(): bigint {
    return this.#ledger.getTime();
  }

  isBefore(micros: bigint): boolean {
    return this.#ledger.isBefore(micros);
  }

  attempt(): Attempt {
    return this.#ledger.attempt();
  }

  create(id: DefinitionId, payload: Value): string {
    const template = this.#definitions.template(id);
    return this.#ledger.create(template, this.#toLedger(template.payload, payload));
  }

  fetch(id: DefinitionId, contractId: string): Value {
    const template = this.#definitions.template(id);
    return this.#toEngine(template.payload, this.#ledger.fetch(template, contractId));
  }

  fetchInterface(id: DefinitionId, contractId: string): Value {
    const contract = this.#ledger.fetchContract(this.#definitions.interface(id), contractId);
    const { packageId, template, payload } = contract;
    const templateId = { packageId, module: template.name.module, name: template.name.entity };
    return new InterfaceValue(templateId, this.#toEngine(template.payload, payload));
  }

  exercise(id: DefinitionId, contractId: string, choice: string, argument: Value): Value | Call {
    return this.#exercise(this.#definitions.template(id), contractId, choice, argument);
  }

  exerciseInterface(
    id: DefinitionId,
    contractId: string,
    choice: string,
    argument: Value,
  ): Value | Call {
    return this.#exercise(this.#definitions.interface(id), contractId, choice, argument);
  }

  #exercise(
    target: TemplateDefinition | InterfaceDefinition,
    contractId: string,
    name: string,
    argument: Value,
  ): Value | Call {
    const { argument: type, result: resultType } = choiceOf(target, name);
    const given = this.#toLedger(type, argument);
    const begun = this.#ledger.begin(target, contractId, name, given);
    const { choice } = begun;
    const body = choice.body?.(begun.context, begun.self, given);
    if (body === undefined) return this.#toEngine(resultType, runBegun(begun));
    const end = (result: Value) =>
      this.#toEngine(resultType, begun.end(this.#toLedger(choice.result, result)));
    return new Call(body, end, begun.failed);
  }

  queryByKey(id: DefinitionId, key: Value, most: bigint): Value {
    if (most < 1n) throw wrongType('a positive number of contracts');
    const template = this.#keyed(id);
    const found = this.#ledger.queryByKey(
      template,
      this.#toLedger(template.key.type, key),
      Number(most),
    );
    return new Some(listOf(found.map((contract) => this.#pairOf(template, contract))));
  }

  fetchByKey(id: DefinitionId, key: Value): Value {
    const template = this.#keyed(id);
    const contractId = this.#ledger.findByKey(template, this.#toLedger(template.key.type, key));
    const payload = this.#ledger.fetch(template, contractId);
    return this.#pairOf(template, { contractId, payload });
  }

  exerciseByKey(id: DefinitionId, key: Value, choice: string, argument: Value): Value | Call {
    const template = this.#keyed(id);
    const contractId = this.#ledger.findByKey(template, this.#toLedger(template.key.type, key));
    return this.#exercise(template, contractId, choice, argument);
  }

  /** Returns a contract ID and a payload as a tuple. */
  #pairOf(
    { payload: type }: TemplateDefinition,
    { contractId, payload }: { readonly contractId: string; readonly payload: unknown },
  ): Value {
    return new LfRecord([contractId, this.#toEngine(type, payload)]);
  }

  #keyed(id: DefinitionId): KeyedTemplate {
    const template = this.#definitions.template(id);
    const { key } = template;
    if (key === undefined) throw wrongType('a template with a key');
    return { ...template, key };
  }
}

function choiceOf(target: TemplateDefinition | InterfaceDefinition, name: string): ChoiceType {
  const choices: readonly ChoiceType[] = target.choices;
  const found = choices.find((choice) => choice.name === name);
  if (found !== undefined) return found;
  // The choice `Archive` has the same type in all templates, so its type is not looked up.
  if (name === ARCHIVE_CHOICE) return ARCHIVAL;
  throw interpreterRefusal(
    'DAML_INTERPRETATION_ERROR',
    `LocalNet has no choice ${name} of ${target.name.module}:${target.name.entity}`,
  );
}

const ARCHIVAL: ChoiceType = { ...ARCHIVE_TYPE, kind: 'consuming' };
