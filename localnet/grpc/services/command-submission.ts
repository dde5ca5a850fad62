import { ServerError, Status } from 'nice-grpc';
import type {
  CommandSubmissionServiceImplementation,
  SubmitRequest,
} from '../../../proto/gen/com/daml/ledger/api/v2/command_submission_service.ts';
import type { Commands } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import type { Submission } from '../../ledger/submission.ts';
import type { Call } from '../call.ts';
import { readCommands } from '../commands.ts';

/** Rights first, then the request: a caller who may not submit learns nothing about what it sent. */
export function readSubmission(
  participant: ParticipantNode,
  commands: Commands | undefined,
  call: Call,
): Submission {
  const { access } = call;
  const userId = access.requireUser(commands?.userId ?? '');
  access.requireActAs(commands?.actAs ?? []);
  access.requireReadAs(commands?.readAs ?? []);
  if (commands !== undefined && commands.submissionId !== '') {
    call.submissionId = commands.submissionId;
  }
  const submission = participant.readSubmission(readCommands(commands, call.traceContext), userId);
  call.submissionId = submission.submissionId;
  return submission;
}

export const commandSubmissionService = (
  participant: ParticipantNode,
): CommandSubmissionServiceImplementation<Call> => ({
  async submitReassignment() {
    throw new ServerError(Status.UNIMPLEMENTED, 'x');
  },

  async submit({ commands }: SubmitRequest, call) {
    await participant.submit(readSubmission(participant, commands, call));
    return {};
  },
});
