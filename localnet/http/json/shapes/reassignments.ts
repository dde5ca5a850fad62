import type {
  SubmitAndWaitForReassignmentRequest,
  SubmitAndWaitForReassignmentResponse,
} from '../../../../proto/gen/com/daml/ledger/api/v2/command_service.ts';
import type { SubmitReassignmentRequest } from '../../../../proto/gen/com/daml/ledger/api/v2/command_submission_service.ts';
import type {
  AssignCommand,
  ReassignmentCommand,
  ReassignmentCommands,
  UnassignCommand,
} from '../../../../proto/gen/com/daml/ledger/api/v2/reassignment_commands.ts';
import { list, message, oneOf, optional, record, text } from '../shape.ts';
import { eventFormat } from './formats.ts';
import { reassignment } from './updates.ts';

const commands = message<ReassignmentCommands>('ReassignmentCommands', {
  workflowId: text,
  userId: text,
  commandId: text,
  submitter: text,
  submissionId: text,
  commands: list(
    message<ReassignmentCommand>('ReassignmentCommand', {
      command: oneOf<NonNullable<ReassignmentCommand['command']>>({
        unassignCommand: message<UnassignCommand>('UnassignCommand', {
          contractId: text,
          source: text,
          target: text,
        }),
        assignCommand: message<AssignCommand>('AssignCommand', {
          reassignmentId: text,
          source: text,
          target: text,
        }),
      }),
    }),
  ),
});

export const submitReassignmentRequest = message<SubmitReassignmentRequest>(
  'SubmitReassignmentRequest',
  { reassignmentCommands: optional(commands) },
);

export const submitForReassignmentRequest = message<SubmitAndWaitForReassignmentRequest>(
  'SubmitAndWaitForReassignmentRequest',
  { reassignmentCommands: optional(commands), eventFormat: optional(eventFormat) },
);

export const submitForReassignmentAnswer = record<SubmitAndWaitForReassignmentResponse>(
  'JsSubmitAndWaitForReassignmentResponse',
  { reassignment },
);
