import type { CallContext } from 'nice-grpc';
import type { CommandServiceImplementation } from '../../../proto/gen/com/daml/ledger/api/v2/command_service.ts';
import { LedgerError } from '../../ledger/ledger-error.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import type { WaitOptions } from '../../ledger/participant.ts';
import type { Call } from '../call.ts';
import type { CommandProgress } from '../command-progress.ts';
import { remainingMs } from '../deadline.ts';
import type { Encoder } from '../encode.ts';
import {
  defaultTransactionFormat,
  readTransactionFormat,
  requireFormatRights,
} from '../formats.ts';
import { readSubmission, trackedOf } from './command-submission.ts';
import { refuseReassignment } from './reassignments.ts';

export function waitOptionsOf(call: CallContext & Call): WaitOptions {
  const signal = call.stop;
  const deadlineMs = remainingMs(call);
  return deadlineMs === undefined ? { signal } : { signal, deadlineMs };
}

export const commandService = (
  participant: ParticipantNode,
  encoder: Encoder,
  progress: CommandProgress,
): CommandServiceImplementation<Call> => ({
  async submitAndWait({ commands }, call) {
    const submission = readSubmission(participant, commands, call);
    const tracked = trackedOf(submission, commands);
    const { updateId, offset } = await progress.follow(tracked, () =>
      participant.submitAndWait(submission, waitOptionsOf(call)),
    );
    return { updateId, completionOffset: offset };
  },

  async submitAndWaitForReassignment({ reassignmentCommands, eventFormat }, call) {
    requireFormatRights(call.access, eventFormat);
    throw refuseReassignment(participant, reassignmentCommands, call);
  },

  async submitAndWaitForTransaction({ commands, transactionFormat }, call) {
    requireFormatRights(call.access, transactionFormat?.eventFormat);
    const submission = readSubmission(participant, commands, call);
    const { registry } = participant;
    const format =
      transactionFormat === undefined
        ? defaultTransactionFormat([...submission.actAs, ...submission.readAs], registry)
        : readTransactionFormat(transactionFormat, registry);
    const tracked = trackedOf(submission, commands);
    const { updateId } = await progress.follow(tracked, () =>
      participant.submitAndWait(submission, waitOptionsOf(call)),
    );
    const placed = participant.updateById(updateId);
    if (placed?.update.kind !== 'transaction') {
      throw new LedgerError('LEDGER_API_INTERNAL_ERROR', `accepted update ${updateId} is missing`);
    }
    return { transaction: encoder.transaction(placed.update, placed.offset, format) };
  },
});
