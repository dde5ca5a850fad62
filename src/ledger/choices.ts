import { randomUUID } from 'node:crypto';
import type { Io } from '../app/ports/io.ts';
import type { LedgerGateway } from '../app/ports/ledger.ts';
import type { Submitter } from '../domain/change.ts';
import type { CommandId, SubmissionId } from '../domain/ids.ts';
import { OWN_COMMAND_PREFIX, trusted } from '../domain/ids.ts';
import type { JsonRecord } from '../domain/json.ts';
import type { TemplateName } from '../domain/ledger.ts';
import { CODES } from '../domain/ledger-codes.ts';

/**
 * Whether the participant's package has a choice. Packages can only be listed by administrators, and templates tell
 * nothing of their choices; but a participant checks a command against the package before it looks for the contract.
 * So a command on a contract that does not exist is refused for the choice where that is unknown, and for the contract
 * where it is known. It can have no effect.
 *
 * Its submission ID names no cell: it is asked before the database has told which this is. As it is refused at once, no
 * completion brings it to another.
 *
 * @returns `null` when the refusal was for something else.
 */
export async function hasChoice(
  gateway: LedgerGateway,
  submitter: Submitter,
  asked: {
    readonly template: TemplateName;
    readonly choice: string;
    readonly argument: JsonRecord;
  },
  io: Io,
): Promise<boolean | null> {
  const answer = await gateway.submit(
    {
      submitter,
      commandId: trusted<CommandId>(`${OWN_COMMAND_PREFIX}probe:${randomUUID()}`),
      submissionId: trusted<SubmissionId>(randomUUID()),
      workflowId: '',
      deduplicationOffset: await gateway.ledgerEnd(submitter.participant, io),
      command: { kind: 'probe', ...asked },
      disclosed: [],
    },
    io,
  );
  if (answer?.code === CODES.contractGone) return true;
  if (answer?.code === CODES.notOfItsType) return false;
  return null;
}
