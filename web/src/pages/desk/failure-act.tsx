import { OnceDialog } from '../../acts/once-dialog.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import type { Failure, FailureAct } from './failure-card.tsx';
import styles from './failures.module.css';

const ACTS: Readonly<Record<Exclude<FailureAct, 'retry'>, readonly [string, string]>> = {
  resolve: ['Resolve', 'Its cause is gone. It is open again once it happens again.'],
  ignore: ['Ignore', 'It is left alone, also when it happens again.'],
  reopen: ['Reopen', 'It counts again among what needs a person.'],
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
      <p>{meaning} That holds for all operators of your party.</p>
    </OnceDialog>
  );
}
