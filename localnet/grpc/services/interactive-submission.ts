import type {
  ExecuteSubmissionRequest,
  InteractiveSubmissionServiceImplementation,
} from '../../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import type { PrepareSubmissionRequest } from '../../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import { Commands } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import { PreferredPackages } from '../../interactive/preferred-packages.ts';
import { InteractiveSubmissions } from '../../interactive/submissions.ts';
import { LedgerError } from '../../ledger/ledger-error.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import type { Call } from '../call.ts';
import { readCommands } from '../commands.ts';
import type { Encoder } from '../encode.ts';
import {
  defaultTransactionFormat,
  readTransactionFormat,
  requireFormatRights,
} from '../formats.ts';
import { microsOf } from '../../messages/times.ts';
import { waitOptionsOf } from './command.ts';

/** Converts a request for preparation to a submission. */
function commandsOf(request: PrepareSubmissionRequest) {
  const { time } = request.minLedgerTime ?? {};
  return Commands.fromPartial({
    ...request,
    minLedgerTimeAbs: time?.$case === 'minLedgerTimeAbs' ? time.value : undefined,
    minLedgerTimeRel: time?.$case === 'minLedgerTimeRel' ? time.value : undefined,
  });
}

/** Adds the submission's ID to the call, for completions and errors. */
function named(request: ExecuteSubmissionRequest, call: Call): void {
  if (request.submissionId !== '') call.submissionId = request.submissionId;
}

export function interactiveSubmissionService(
  participant: ParticipantNode,
  encoder: Encoder,
): InteractiveSubmissionServiceImplementation<Call> {
  const interactive = new InteractiveSubmissions(participant);
  const preferences = new PreferredPackages(participant);
  return {
    async prepareSubmission(request, call) {
      const { maxRecordTime, verboseHashing, estimateTrafficCost, hashingSchemeVersion } = request;
      return interactive.prepare(call.access, {
        commands: readCommands(commandsOf(request), call.traceContext),
        maxRecordTime: maxRecordTime === undefined ? undefined : microsOf(maxRecordTime),
        verboseHashing,
        costHints: estimateTrafficCost,
        hashingVersion: hashingSchemeVersion,
      });
    },

    async executeSubmission(request, call) {
      named(request, call);
      await interactive.execute(call.access, request, call.traceContext);
      return {};
    },

    async executeSubmissionAndWait(request, call) {
      named(request, call);
      const { access, traceContext } = call;
      const wait = waitOptionsOf(call);
      const accepted = await interactive.executeAndWait(access, request, traceContext, wait);
      return { updateId: accepted.updateId, completionOffset: accepted.offset };
    },

    async executeSubmissionAndWaitForTransaction({ transactionFormat, ...request }, call) {
      named(request, call);
      const { access, traceContext } = call;
      const { registry } = participant;
      requireFormatRights(access, transactionFormat?.eventFormat);
      const format =
        transactionFormat === undefined
          ? undefined
          : readTransactionFormat(transactionFormat, registry);
      const wait = waitOptionsOf(call);
      const { updateId } = await interactive.executeAndWait(access, request, traceContext, wait);
      const placed = participant.updateById(updateId);
      if (placed?.update.kind !== 'transaction') {
        throw new LedgerError(
          'LEDGER_API_INTERNAL_ERROR',
          `accepted update ${updateId} is missing`,
        );
      }
      const actAs = request.preparedTransaction?.metadata?.submitterInfo?.actAs ?? [];
      const shown = format ?? defaultTransactionFormat(actAs, registry);
      return { transaction: encoder.transaction(placed.update, placed.offset, shown) };
    },

    async getPreferredPackageVersion(request) {
      return preferences.version(request);
    },

    async getPreferredPackages(request) {
      return preferences.packages(request);
    },
  };
}
