import type { CompletionStreamResponse } from '../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import type { Command, Commands } from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { GetUpdatesResponse } from '../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import type { ElementSubject, FaultCall } from '../faults.ts';
import type { ParticipantName } from '../ports.ts';

/** The parts of a request by which faults are matched. They have not been checked. */
interface Aimed {
  readonly commands?: Commands | undefined;
  readonly parties?: readonly string[] | undefined;
}

/** A request to prepare a submission. It directly contains the members of `Commands`. */
interface AimedPreparation {
  readonly commandId: string;
  readonly commands: readonly Command[];
  readonly actAs: readonly string[];
}

const isPreparation = (request: unknown): request is AimedPreparation =>
  Array.isArray((request as Partial<AimedPreparation>).commands);

const contractIdsOf = (commands: readonly Command[]): string[] =>
  commands.flatMap(({ command }) =>
    command?.$case === 'exercise' ? [command.value.contractId] : [],
  );

/** Returns the description of a call that fault plans use. */
export function faultCallOf(
  participant: ParticipantName,
  path: string,
  userId: string,
  request: unknown,
): FaultCall {
  const call = { participant, path, userId };
  if (isPreparation(request)) {
    const { commandId, commands, actAs } = request;
    return { ...call, commandId, parties: actAs, contractIds: contractIdsOf(commands) };
  }
  const { commands, parties } = request as Aimed;
  if (commands === undefined) return { ...call, parties };
  return {
    ...call,
    commandId: commands.commandId,
    submissionId: commands.submissionId,
    parties: commands.actAs,
    contractIds: contractIdsOf(commands.commands),
  };
}

const DATA: ElementSubject = { kind: 'data' };
const CHECKPOINT: ElementSubject = { kind: 'checkpoint' };

/** Returns the subject of an element of any stream, for fault plans. */
export function subjectOf(element: unknown): ElementSubject {
  const { completionResponse, update } = element as Partial<
    CompletionStreamResponse & GetUpdatesResponse
  >;
  const content = completionResponse ?? update;
  if (content === undefined) return DATA;
  if (content.$case === 'offsetCheckpoint') return CHECKPOINT;
  if (content.$case === 'completion') {
    const { offset, commandId, userId, actAs } = content.value;
    return { kind: 'completion', offset, commandId, userId, parties: actAs };
  }
  if (content.$case !== 'transaction') return DATA;
  const { offset, commandId } = content.value;
  return { kind: 'data', offset, commandId };
}
