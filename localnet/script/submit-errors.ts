import { stakeholdersOf } from '../ledger/contract.ts';
import { DamlFailure } from '../ledger/engine/failures.ts';
import { listOf, LfRecord, optionalOf, SortedMap, TypeRep } from '../ledger/engine/values.ts';
import type { Value } from '../ledger/engine/values.ts';
import type { LedgerError } from '../ledger/ledger-error.ts';
import type { DefinitionId } from '../lf/types.ts';
import type { ScriptLedger, ScriptSubmission } from './script-ledger.ts';
import type { ScriptTypes } from './script-types.ts';

/** Returns a type representation of a template or an interface, as a script sees it. */
export const typeRepOf = (id: DefinitionId): Value =>
  new LfRecord([new TypeRep({ kind: 'con', id })]);

export const anyContractId = (types: ScriptTypes, id: DefinitionId, contractId: string): Value =>
  types.record('AnyContractId', { templateId: typeRepOf(id), contractId });

export const failureStatus = ({ errorId, failureCategory, text, metadata }: DamlFailure): Value => {
  const entries = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  return new LfRecord([errorId, BigInt(failureCategory), text, new SortedMap(entries)]);
};

function idOf(text: string): DefinitionId {
  const [packageId = '', module = '', name = ''] = text.split(':');
  return { packageId, module, name };
}

/** Converts refusals of submissions to the `SubmitError` that a script sees. */
export class SubmitErrors {
  readonly #types: ScriptTypes;
  readonly #ledger: ScriptLedger;

  constructor(types: ScriptTypes, ledger: ScriptLedger) {
    this.#types = types;
    this.#ledger = ledger;
  }

  of(error: LedgerError, submission: ScriptSubmission): Value {
    const [tag, fields] = this.#known(error, submission);
    const types = this.#types;
    if (!types.has('SubmitError', tag)) {
      return this.#made('UnknownError', { unknownErrorMessage: `${error.code}: ${error.text}` });
    }
    return this.#made(tag, fields);
  }

  #made(tag: string, fields: Readonly<Record<string, Value>> | undefined): Value {
    const types = this.#types;
    if (fields === undefined) return types.variant('SubmitError', tag);
    return types.variant('SubmitError', tag, types.record(`SubmitError.${tag}`, fields));
  }

  #known(
    error: LedgerError,
    submission: ScriptSubmission,
  ): readonly [tag: string, fields: Readonly<Record<string, Value>> | undefined] {
    const { cause, code, text } = error;
    const named = (type: string) =>
      error.resources.filter((one) => one.type === type).map(({ name }) => name);
    const [contractId = ''] = named('CONTRACT_ID');
    if (cause instanceof DamlFailure) {
      return cause.exception === undefined
        ? ['FailureStatusError', { failureStatus: failureStatus(cause) }]
        : ['UnhandledException', { exc: optionalOf(cause.exception) }];
    }
    switch (code as string) {
      case 'CONTRACT_NOT_FOUND':
      case 'CONTRACT_NOT_ACTIVE':
        return ['ContractNotFound', this.#notFound(contractId, submission)];
      case 'DAML_AUTHORIZATION_ERROR':
        return ['AuthorizationError', { authorizationErrorMessage: text }];
      case 'INTERPRETATION_USER_ERROR':
        return ['UserError', { userErrorMessage: text.replace(/^.*?User abort: /su, '') }];
      case 'TEMPLATE_PRECONDITION_VIOLATED':
        return ['TemplatePreconditionViolated', undefined];
      case 'NON_COMPARABLE_VALUES':
        return ['NonComparableValues', undefined];
      case 'CONTRACT_ID_IN_CONTRACT_KEY':
        return ['ContractIdInContractKey', undefined];
      case 'VALUE_NESTING':
        return ['ValueNesting', { limit: 100n }];
      case 'WRONGLY_TYPED_CONTRACT': {
        const [expected = '', actual = ''] = named('TEMPLATE_ID').map((id) => idOf(id));
        if (expected === '' || actual === '') break;
        return [
          'WronglyTypedContract',
          {
            contractId: anyContractId(this.#types, actual, contractId),
            expectedTemplateId: typeRepOf(expected),
            actualTemplateId: typeRepOf(actual),
          },
        ];
      }
      default:
    }
    return ['UnknownError', { unknownErrorMessage: `${code}: ${text}` }];
  }

  #notFound(
    contractId: string,
    { actAs, readAs }: ScriptSubmission,
  ): Readonly<Record<string, Value>> {
    const types = this.#types;
    const contract = this.#ledger.everCreated(contractId);
    const tag = contract === undefined ? 'NotFound' : this.#reason(contractId);
    const id = contract && {
      packageId: contract.packageId,
      module: contract.template.name.module,
      name: contract.template.name.entity,
    };
    const info = 'ContractNotFoundAdditionalInfo';
    const why =
      contract === undefined || id === undefined
        ? types.variant(info, tag)
        : types.variant(
            info,
            tag,
            types.record(`${info}.${tag}`, {
              additionalInfoCid: anyContractId(types, id, contractId),
              effectiveAt: String(contract.createdAt),
              actAs: listOf(actAs),
              readAs: listOf(readAs),
              observers: listOf(stakeholdersOf(contract)),
            }),
          );
    return {
      unknownContractIds: new LfRecord([contractId, listOf([])]),
      additionalDebuggingInfo: optionalOf(why),
    };
  }

  #reason(contractId: string): string {
    if (!this.#ledger.isActive(contractId)) return 'NotActive';
    const isLater = (this.#ledger.everCreated(contractId)?.createdAt ?? 0n) > this.#ledger.now;
    return isLater ? 'NotEffective' : 'NotVisible';
  }
}
