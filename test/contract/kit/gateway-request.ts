import type { SubmitRequest } from '../../../src/app/ports/ledger.ts';
import type {
  CommandId,
  ContractId,
  ParticipantName,
  Party,
  SubmissionId,
} from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { LICENSE } from '../../../src/domain/licensing.ts';

export const NAME = trusted<ParticipantName>('app-provider');
export const PARTY = trusted<Party>('provider::1220ab');

/** Returns the gateway's request number n to submit: the expiry of a licence. */
export const expireRequest = (n: number): SubmitRequest => ({
  submitter: { participant: NAME, ledgerUser: 'backend', actAs: PARTY },
  commandId: trusted<CommandId>(`command-${n}`),
  submissionId: trusted<SubmissionId>(`submission-${n}`),
  workflowId: 'lifecycle-1',
  deduplicationOffset: 0n,
  command: {
    kind: 'exercise',
    template: LICENSE,
    contractId: trusted<ContractId>(`00${'ab'.repeat(32)}`),
    choice: 'License_Expire',
    argument: { actor: PARTY, meta: { values: {} } },
  },
  disclosed: [],
});
