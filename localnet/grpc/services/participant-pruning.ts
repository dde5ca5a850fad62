import type { ParticipantPruningServiceImplementation } from '../../../proto/gen/com/daml/ledger/api/v2/admin/participant_pruning_service.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import { invalidArgument, nonPositiveOffset } from '../../ledger/submission-checks.ts';
import type { Call } from '../call.ts';

export const participantPruningService = (
  participant: ParticipantNode,
): ParticipantPruningServiceImplementation<Call> => ({
  async prune({ pruneUpTo }, { access }) {
    access.requireAdmin();
    if (pruneUpTo === 0n) throw invalidArgument('prune_up_to not specified or zero');
    if (pruneUpTo < 0n) throw nonPositiveOffset('prune_up_to', pruneUpTo);
    participant.prune(pruneUpTo);
    return {};
  },
});
