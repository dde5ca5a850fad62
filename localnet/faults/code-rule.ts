import type { FaultTarget } from '../faults.ts';
import { changeIdText } from '../ledger/deduplication.ts';
import type { ErrorCode, ErrorResource } from '../ledger/ledger-error.ts';

/**
 * The stage at which a participant gives an error:
 *
 * - `call`: any call, at once, before anything has happened
 * - `submission`: Submit and SubmitAndWait…, at once; nothing was registered and there is no completion
 * - `completion`: the end of a submission that was accepted for processing
 * - `stream`: the end of an open stream
 * - `answer`: in place of the answer to a unary call, which may have had its effect
 * - `read`: calls that read
 */
export type Stage = 'call' | 'submission' | 'completion' | 'stream' | 'answer' | 'read';

/** The place where a fault strikes: its target, and the known details. */
export type Site = FaultTarget & { readonly deduplicationOffset?: bigint };

interface CodeRule {
  readonly stages: readonly Stage[];
  readonly text: string;
  readonly metadata?: (site: Site) => Readonly<Record<string, string>>;
  readonly resources?: (site: Site) => readonly ErrorResource[];
  readonly definiteAnswer?: true;
  /** The error names contracts, so only submissions that exercise a choice can get it. */
  readonly isAboutContracts?: true;
  /** Only callers that wait for the completion can get the error. */
  readonly isAboutWaiting?: true;
  /**
   * As a completion: the participant itself rejects the submission. Nothing was sequenced, and the record time does
   * not advance.
   */
  readonly isUnsequenced?: true;
}

const contracts = ({ contractIds = [] }: Site): ErrorResource[] =>
  contractIds.map((name) => ({ type: 'CONTRACT_ID', name }));
export const parties = ({ parties: names = [] }: Site): ErrorResource[] => [
  { type: 'PARTIES', name: names.join(',') },
];
export const aboutContracts = { resources: contracts, isAboutContracts: true } as const;
export const changeIdOfSite = ({
  userId = '',
  commandId = '',
  parties: actAs = [],
}: Site): string => changeIdText({ userId, commandId, actAs });

export const at = (
  stages: readonly Stage[],
  text: string,
  more: Partial<CodeRule> = {},
): CodeRule => ({
  stages,
  text,
  ...more,
});

export type CodeRules = Partial<Readonly<Record<ErrorCode, CodeRule>>>;
