import type {
  Identifier,
  Record as RecordMessage,
  Value,
} from '../../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { LedgerError } from '../../ledger/ledger-error.ts';
import type { Json } from '../../ledger/lf-json.ts';
import type { LfType } from '../../ledger/lf-types.ts';
import { isPackageName } from '../../ledger/lf-values.ts';
import { ARCHIVE_CHOICE, ARCHIVE_TYPE } from '../../ledger/package-definition.ts';
import type {
  ChoiceType,
  InterfaceDefinition,
  TemplateDefinition,
} from '../../ledger/package-definition.ts';
import type { PackageRegistry } from '../../ledger/package-registry.ts';
import type { Chooser, ChosenPackage } from '../../ledger/package-choice.ts';
import { invalidArgument, invalidField } from '../../ledger/submission-checks.ts';
import { jsonOfValue, valueOfJson } from './daml-values.ts';

type Definition = TemplateDefinition | InterfaceDefinition;

/** Returns whether a text has the form of a package reference: a package ID, or `#` and a package name. */
const isPackageReference = (text: string): boolean =>
  isNameReference(text) || /^[\w\- ]{1,64}$/.test(text);

export const isNameReference = (text: string): boolean =>
  text.startsWith('#') && isPackageName(text.slice(1));

const RECORD_OF_NOTHING: RecordMessage = { recordId: undefined, fields: [] };

const nameOf = ({ packageId, moduleName, entityName }: Identifier): string =>
  `${packageId}:${moduleName}:${entityName}`;

const unknownType = (id: Identifier): LedgerError =>
  new LedgerError('TEMPLATES_OR_INTERFACES_NOT_FOUND', `Templates do not exist: [${nameOf(id)}].`, {
    resources: [{ type: 'TEMPLATE_ID', name: nameOf(id) }],
  });

const unknownChoice = (id: Identifier, choice: string): LedgerError =>
  invalidArgument(`Invalid template:${nameOf(id)} or choice:${choice}`);

/** Returns the uploaded package for a reference; `undefined` if the reference means the package that runs natively. */
type ChoosePackage = (reference: string, chooser: Chooser) => ChosenPackage | undefined;

/** Decodes the values of commands. */
export interface CommandValues {
  /** Returns the argument of a create command. */
  payloadOf(templateId: Identifier, json: Json): RecordMessage;
  choiceArgumentOf(templateId: Identifier, choice: string, json: Json): Value;
  keyOf(templateId: Identifier, json: Json): Value;
}

const noVettedPackage = (names: readonly string[]): LedgerError =>
  new LedgerError(
    'JSON_API_PACKAGE_SELECTION_FAILED',
    `No synchronizer satisfies the vetting requirements: no vetted package for the package names [${[...new Set(names)].join(', ')}]`,
  );

/** Converts Daml values between protobuf and JSON, with the types of the packages that a participant knows. */
export class ValueCodec {
  readonly #registry: PackageRegistry;
  readonly #choose: ChoosePackage;

  /** @param choose selects the package for a package name in a command. @default the package that runs natively */
  constructor(registry: PackageRegistry, choose: ChoosePackage = () => undefined) {
    this.#registry = registry;
    this.#choose = choose;
  }

  /**
   * Returns a codec for commands. All their package names must be known to this participant, which is checked before
   * any value is decoded. Throws INVALID_ARGUMENT, JSON_API_PACKAGE_SELECTION_FAILED.
   */
  forCommands(ids: readonly Identifier[], chooser: Chooser): CommandValues {
    for (const { packageId } of ids) {
      if (isPackageReference(packageId)) continue;
      throw invalidArgument(
        `Value does not match the package-id or package-name formats: ${packageId.slice(0, 100)}`,
      );
    }
    const unknown = ids
      .map(({ packageId }) => packageId)
      .filter((id) => id.startsWith('#') && !this.#registry.isKnown(id))
      .map((id) => id.slice(1));
    if (unknown.length > 0) throw noVettedPackage(unknown);
    const chosen = (id: Identifier): Identifier => {
      const chosenHere = this.#choose(id.packageId, chooser);
      if (chosenHere === undefined) return id;
      const { id: packageId } = chosenHere;
      if (packageId === undefined) throw noVettedPackage([id.packageId.slice(1)]);
      return { ...id, packageId };
    };
    return {
      payloadOf: (id, json) => this.#payloadOf(chosen(id), json),
      choiceArgumentOf: (id, choice, json) => this.#choiceArgumentOf(chosen(id), choice, json),
      keyOf: (id, json) => this.keyOf(chosen(id), json),
    };
  }

  #payloadOf(templateId: Identifier, json: Json): RecordMessage {
    const value = valueOfJson(typeOf(this.#definition(templateId).definition), json);
    return value.sum?.$case === 'record' ? value.sum.value : RECORD_OF_NOTHING;
  }

  #choiceArgumentOf(templateId: Identifier, choice: string, json: Json): Value {
    if (!/^[A-Za-z$_][\w$]*$/.test(choice)) {
      throw invalidArgument(`non expected character in "${choice.slice(0, 100)}"`);
    }
    return valueOfJson(this.#choice(templateId, choice).argument, json ?? {});
  }

  /** Returns the JSON of a contract's payload, or of an interface's view of the contract. */
  payloadJson(id: Identifier, payload: RecordMessage): Json {
    const { definition } = this.#definition(id);
    return jsonOfValue(typeOf(definition), { sum: { $case: 'record', value: payload } });
  }

  choiceArgumentJson(id: Identifier, choice: string, argument: Value): Json {
    return jsonOfValue(this.#choice(id, choice).argument, argument);
  }

  resultJson(id: Identifier, choice: string, result: Value): Json {
    return jsonOfValue(this.#choice(id, choice).result, result);
  }

  /** Returns the key of a contract. Throws TEMPLATES_OR_INTERFACES_NOT_FOUND if its template has no key. */
  keyOf(id: Identifier, json: Json): Value {
    const { definition } = this.#definition(id);
    const key = definition.kind === 'template' ? definition.key : undefined;
    if (key === undefined) throw unknownType(id);
    return valueOfJson(key.type, json);
  }

  #choice(id: Identifier, name: string): ChoiceType {
    const { definition, packageId } = this.#definition(id);
    const found = choicesOf(definition).find((choice) => choice.name === name);
    if (found !== undefined) return found;
    if (name === ARCHIVE_CHOICE) return { ...ARCHIVE_TYPE, kind: 'consuming' };
    throw unknownChoice({ ...id, packageId }, name);
  }

  #definition(id: Identifier): { readonly definition: Definition; readonly packageId: string } {
    const { packageId, moduleName: module, entityName: entity } = id;
    if (!isPackageReference(packageId)) throw invalidField('package reference', packageId);
    const found = this.#registry.find({ packageId, module, entity });
    if (found === undefined) throw unknownType(id);
    return found;
  }
}

const typeOf = (definition: Definition): LfType =>
  definition.kind === 'template' ? definition.payload : definition.view;

const choicesOf = (definition: Definition): readonly ChoiceType[] => definition.choices;
