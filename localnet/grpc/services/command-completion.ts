import type { CommandCompletionServiceImplementation } from '../../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import type { CompletionStreamResponse } from '../../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import { missingField, partySet } from '../../ledger/submission-checks.ts';
import type { Completion } from '../../ledger/update.ts';
import type { Call } from '../call.ts';
import type { Encoder } from '../encode.ts';
import { requireReached, tail } from '../tail.ts';
import type { StreamSettings } from './update.ts';

interface CompletionFilter {
  /** If absent, the completions of all users are sent. */
  readonly userId: string | undefined;
  readonly isAsked: (party: string) => boolean;
}

export function commandCompletionService(
  participant: ParticipantNode,
  encoder: Encoder,
  { checkpointIntervalMs }: StreamSettings,
): CommandCompletionServiceImplementation<Call> {
  const follow = (
    beginExclusive: bigint,
    { userId, isAsked }: CompletionFilter,
    { stop, endOfStream }: Call,
  ) =>
    tail<Completion, CompletionStreamResponse>({
      state: participant.state,
      range: { beginExclusive, endInclusive: undefined },
      items: participant.state.completions,
      project: (completion) => {
        const { submitter } = completion;
        if (userId !== undefined && submitter.userId !== userId) return undefined;
        if (!submitter.actAs.some(isAsked)) return undefined;
        const value = encoder.completion(completion, isAsked);
        return { completionResponse: { $case: 'completion', value } };
      },
      checkpoint: (reached) => ({
        completionResponse: { $case: 'offsetCheckpoint', value: encoder.checkpoint(reached) },
      }),
      checkpointIntervalMs,
      stop,
      endOfStream,
    });

  return {
    async *completionStream({ userId, parties, beginExclusive }, call) {
      const ownUserId = call.access.requireUser(userId);
      call.access.requireReadAs(parties);
      const asked = new Set(partySet(parties));
      requireReached(beginExclusive, participant.state);
      if (parties.length === 0) throw missingField('parties');
      const isAsked = (party: string) => asked.has(party);
      yield* follow(beginExclusive, { userId: ownUserId, isAsked }, call);
    },

    async *getCompletions({ parties, beginExclusive }, call) {
      if (parties.length === 0) call.access.requireReadAsAnyParty();
      call.access.requireReadAs(parties);
      const asked = new Set(partySet(parties));
      requireReached(beginExclusive, participant.state);
      const isAsked = (party: string) => asked.size === 0 || asked.has(party);
      yield* follow(beginExclusive, { userId: undefined, isAsked }, call);
    },
  };
}
