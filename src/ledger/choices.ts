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
 * Returns whether the participant's package has a choice. Only administrators can list packages, and templates do not
 * list their choices. But a participant checks a command against the package before it looks up the contract. So it
 * refuses a command on a nonexistent contract either because the choice is unknown or because the contract is missing.
 * The command cannot take effect.
 *
 * Its submission ID names no cell, because it is sent before the database has reported the cell. The refusal is
 * immediate, so no completion shows the ID to another cell.
 *
 * @returns `null` if the refusal had another reason
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
