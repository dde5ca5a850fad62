import type { Change, ChangeResult } from '../../domain/change.ts';
import type { ContractId } from '../../domain/ids.ts';
import type { Json, JsonRecord } from '../../domain/json.ts';
import { isJsonRecord, textAt } from '../../domain/json.ts';
import type { TemplateName } from '../../domain/ledger.ts';
import { templateFqn } from '../../domain/ledger.ts';
import {
  APP_INSTALL,
  APP_INSTALL_REQUEST,
  LICENSE_RENEWAL_REQUEST,
} from '../../domain/licensing.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { unreachable } from '../../domain/unreachable.ts';
import { ARCHIVE } from '../licensing/commands.ts';
import { COMPLETE_RENEWAL } from '../licensing/facts.ts';
import { OPERATION_RULES } from '../licensing/operations.ts';
import type { AppliedUpdate } from '../ports/transaction.ts';
import { appInstallBody, appInstallRequestBody } from '../licensing/views.ts';
import type { WorkingSet } from './working-set.ts';

const NO_CONTENT: ChangeResult = { status: 204, body: null };

const createdOf = (applied: AppliedUpdate, template: TemplateName) =>
  applied.created.find((entry) => entry.templateFqn === templateFqn(template));

const exerciseResult = (applied: AppliedUpdate, choice: string): Json =>
  applied.exercised.find((entry) => entry.choice === choice)?.result ?? null;

/** The lifecycle of a contract that the update created: loaded when this transaction bore it. */
const bornOf = (ws: WorkingSet, contractId: ContractId): Lifecycle | undefined =>
  ws.lifecycleOfContract(contractId);

function createdBody(
  ws: WorkingSet,
  applied: AppliedUpdate,
  template: TemplateName,
  body: (
    payload: JsonRecord,
    contractId: ContractId,
    lifecycle: Lifecycle | undefined,
  ) => JsonRecord,
): ChangeResult {
  const created = createdOf(applied, template);
  if (created === undefined) return { status: 201, body: null };
  return {
    status: 201,
    body: body(created.payload, created.contractId, bornOf(ws, created.contractId)),
  };
}

/** What a change's choice came to on the ledger, for callers that asked in its words. */
function exercisedBy(change: Change, applied: AppliedUpdate): Pick<ChangeResult, 'exercised'> {
  if (OPERATION_RULES[change.operation].choice === null || applied.updateId === '') return {};
  const { result } = applied.exercised.find(({ choice }) => isChoiceOf(change, choice)) ?? {};
  const { updateId, offset } = applied;
  return { exercised: { updateId, offset: Number(offset), result: result ?? null } };
}

/** The answer to a successful change, from what its update did. */
export const resultOf = (change: Change, applied: AppliedUpdate, ws: WorkingSet): ChangeResult => ({
  ...answerOf(change, applied, ws),
  ...exercisedBy(change, applied),
});

/** The reference's words. */
function answerOf(change: Change, applied: AppliedUpdate, ws: WorkingSet): ChangeResult {
  switch (change.operation) {
    case 'request-install':
      return createdBody(ws, applied, APP_INSTALL_REQUEST, appInstallRequestBody);
    case 'accept-install-request':
      return createdBody(ws, applied, APP_INSTALL, appInstallBody);
    case 'create-license': {
      const result = exerciseResult(applied, 'AppInstall_CreateLicense');
      const record = isJsonRecord(result) ? result : {};
      return {
        status: 201,
        body: {
          installId: textAt(record, 'installId') ?? null,
          licenseId: textAt(record, 'licenseId') ?? null,
        },
      };
    }
    case 'expire-license':
      return { status: 200, body: 'License expired successfully' };
    case 'renew-license':
    case 'comment-license':
      return { status: 201, body: null };
    case 'complete-renewal': {
      const licenseId = exerciseResult(applied, COMPLETE_RENEWAL);
      return { status: 200, body: { licenseId: typeof licenseId === 'string' ? licenseId : null } };
    }
    case 'reject-install-request':
    case 'cancel-install-request':
    case 'cancel-install':
    case 'withdraw-renewal':
      return NO_CONTENT;
    default:
      return unreachable(change.operation);
  }
}

/** The contract that a create made for a lifecycle to begin with, so that the operation can name its lifecycle. */
export function createdContract(change: Change, applied: AppliedUpdate): ContractId | null {
  const rule = OPERATION_RULES[change.operation];
  if (rule.choice !== null || rule.kind !== null) return null;
  return createdOf(applied, rule.template)?.contractId ?? null;
}

/**
 * Whether an update, read back for a duplicate answer, is what the change asked for: a create by its acting
 * party, or its choice on a contract that one of its attempts named. Renewing leaves the licence as it is, so that
 * another client may have done the same under the same command ID: there the request's id tells.
 */
export function isEffectOf(
  change: Change,
  applied: AppliedUpdate,
  attempted: ReadonlySet<ContractId>,
): boolean {
  const rule = OPERATION_RULES[change.operation];
  if (change.operation === 'renew-license') {
    const renewal = createdOf(applied, LICENSE_RENEWAL_REQUEST);
    return renewal !== undefined && renewal.payload['requestId'] === change.fixed['requestId'];
  }
  if (rule.choice !== null) {
    return applied.exercised.some(
      ({ choice, contractId }) => attempted.has(contractId) && isChoiceOf(change, choice),
    );
  }
  const created = createdOf(applied, rule.template);
  return created !== undefined && isWhatWasAsked(change, created.payload);
}

/** The rule's choice, or what stands in for it where the ledger's package lacks it. */
const isChoiceOf = ({ operation }: Change, choice: string): boolean =>
  choice === OPERATION_RULES[operation].choice ||
  (operation === 'cancel-install-request' && choice === ARCHIVE);

function isWhatWasAsked({ operation, body, submitter }: Change, created: JsonRecord): boolean {
  if (operation !== 'comment-license') return textAt(created, 'user') === submitter.actAs;
  return created['commenter'] === submitter.actAs && created['body'] === body['body'];
}
