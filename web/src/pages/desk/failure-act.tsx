import { OnceDialog } from '../../acts/once-dialog.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import type { Failure, FailureAct } from './failure-card.tsx';
import styles from './failures.module.css';

const ACTS: Readonly<Record<Exclude<FailureAct, 'retry'>, readonly [string, string]>> = {
  resolve: ['Resolve', 'The cause is fixed. The failure opens again if it happens again.'],
  ignore: ['Ignore', 'The failure stays ignored, even if it happens again.'],
  reopen: ['Reopen', 'The failure is listed as open again.'],
};

/** An act on a failure whose dialog is open. */
export interface FailureAsked {
  readonly act: FailureAct;
  readonly failure: Failure;
}

/** The dialog that asks for the reason of an act on a failure. For a retry it also shows a preview. */
export function FailureActDialog({
  act,
  failure,
  onClose,
}: FailureAsked & { readonly onClose: () => void }) {
  const { fingerprint, explanation } = failure;
  if (act === 'retry') return <BulkDialog filter={{ failure: fingerprint }} onClose={onClose} />;
  const [verb, meaning] = ACTS[act];
  return (
    <OnceDialog
      title={`${verb} this failure`}
      verb={verb}
      url={`/ops/failures/${fingerprint}:${act}`}
      cli={`tenure ops ${act} ${fingerprint}`}
      isRepeatable
      onClose={onClose}
    >
      <blockquote className={styles.quote}>{explanation || failure.code}</blockquote>
      <p>{meaning} This applies to all operators of your party.</p>
    </OnceDialog>
  );
}
