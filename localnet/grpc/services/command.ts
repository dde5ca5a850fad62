import type { CallContext } from 'nice-grpc';
import type { CommandServiceImplementation } from '../../../proto/gen/com/daml/ledger/api/v2/command_service.ts';
import { LedgerError } from '../../ledger/ledger-error.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import type { WaitOptions } from '../../ledger/participant.ts';
import type { Call } from '../call.ts';
import type { Encoder } from '../encode.ts';
import {
  defaultTransactionFormat,
  readTransactionFormat,
  requireFormatRights,
} from '../formats.ts';
import { readSubmission } from './command-submission.ts';

const GRPC_TIMEOUT = /^(\d{1,8})([HMSmun])$/;
const MS_PER_UNIT: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 0.001,
  n: 0.000_001,
};

/** The caller's deadline; gRPC carries it as a timeout header. */
function waitOptionsOf(call: CallContext & Call): WaitOptions {
  const match = GRPC_TIMEOUT.exec(call.metadata.get('grpc-timeout') ?? '');
  const signal = call.stop;
  if (match === null) return { signal };
  return { signal, deadlineMs: Number(match[1]) * (MS_PER_UNIT[match[2] ?? ''] ?? 1) };
}

export const commandService = (
  participant: ParticipantNode,
  encoder: Encoder,
): CommandServiceImplementation<Call> => ({
  async submitAndWait({ commands }, call) {
    const submission = readSubmission(participant, commands, call);
    const { updateId, offset } = await participant.submitAndWait(submission, waitOptionsOf(call));
    return { updateId, completionOffset: offset };
  },

  async submitAndWaitForTransaction({ commands, transactionFormat }, call) {
    requireFormatRights(call.access, transactionFormat?.eventFormat);
    const submission = readSubmission(participant, commands, call);
    const { registry } = participant;
    const format =
      transactionFormat === undefined
        ? defaultTransactionFormat([...submission.actAs, ...submission.readAs], registry)
        : readTransactionFormat(transactionFormat, registry);
    const { updateId } = await participant.submitAndWait(submission, waitOptionsOf(call));
    const placed = participant.updateById(updateId);
    if (placed?.update.kind !== 'transaction') {
      throw new LedgerError('LEDGER_API_INTERNAL_ERROR', `accepted update ${updateId} is missing`);
    }
    return { transaction: encoder.transaction(placed.update, placed.offset, format) };
  },
});
