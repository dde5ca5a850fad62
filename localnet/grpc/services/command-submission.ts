import type {
  CommandSubmissionServiceImplementation,
  SubmitRequest,
} from '../../../proto/gen/com/daml/ledger/api/v2/command_submission_service.ts';
import type { Commands } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import type { Submission } from '../../ledger/submission.ts';
import type { Call } from '../call.ts';
import type { CommandProgress, TrackedCommand } from '../command-progress.ts';
import { readCommands } from '../commands.ts';
import { refuseReassignment } from './reassignments.ts';

/**
 * Checks the caller's rights before the request itself, so that a caller without rights learns nothing from errors
 * about the request.
 */
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

/** Longer commands are not remembered, because up to 1,200 commands are kept. */
const REMEMBERED_BYTES_MAX = 64 * 1024;

/** Returns the parts of a submission that are remembered for command inspection. */
export const trackedOf = (
  { commandId, submissionId, userId, actAs, bytes }: Submission,
  commands: Commands | undefined,
): TrackedCommand => ({
  commandId,
  submissionId,
  userId,
  actAs,
  commands: bytes > REMEMBERED_BYTES_MAX ? [] : (commands?.commands ?? []),
});

export const commandSubmissionService = (
  participant: ParticipantNode,
  progress: CommandProgress,
): CommandSubmissionServiceImplementation<Call> => ({
  async submitReassignment({ reassignmentCommands }, call) {
    throw refuseReassignment(participant, reassignmentCommands, call);
  },

  async submit({ commands }: SubmitRequest, call) {
    const submission = readSubmission(participant, commands, call);
    await progress.follow(trackedOf(submission, commands), () => participant.submit(submission));
    return {};
  },
});
