import type { FaultTarget } from '../faults.ts';
import { changeIdText } from '../ledger/deduplication.ts';
import type { ErrorCode, ErrorResource } from '../ledger/ledger-error.ts';

/**
 * The stage at which a participant returns an error:
 *
 * - `call`: any call, at once, before anything has happened
 * - `submission`: Submit and SubmitAndWait…, at once; nothing was registered and there is no completion
 * - `completion`: the end of a submission that was accepted for processing
 * - `stream`: the end of an open stream
 * - `answer`: instead of the answer to a unary call, which may have had its effect
 * - `read`: calls that only read
 */
export type Stage = 'call' | 'submission' | 'completion' | 'stream' | 'answer' | 'read';

/** The target of a fault, with the known details of the call or submission. */
export type Site = FaultTarget & { readonly deduplicationOffset?: bigint };

interface CodeRule {
  readonly stages: readonly Stage[];
  readonly text: string;
  readonly metadata?: (site: Site) => Readonly<Record<string, string>>;
  readonly resources?: (site: Site) => readonly ErrorResource[];
  readonly definiteAnswer?: true;
  /** Whether the error names contracts. If so, it is returned only for submissions that exercise a choice. */
  readonly isAboutContracts?: true;
  /** Whether the error is returned only to callers that wait for the completion. */
  readonly isAboutWaiting?: true;
  /**
   * For completions: whether the participant itself rejects the submission. Nothing is then sequenced, and record time
   * does not advance.
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
