import { useState } from 'react';
import type { WriteState } from '../../acts/use-write.ts';
import { WriteEnd } from '../../acts/write-state.tsx';
import type { components } from '../../../../client/schema.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { Check, TextArea, TextField } from '../../parts/field.tsx';
import { Time } from '../../parts/time.tsx';
import styles from './settings.module.css';

export type PolicyPreview = components['schemas']['PolicyPreview'];

/** A person's confirmation after the preview of a policy. */
export interface PolicyConfirmation {
  readonly token: string;
  readonly count: number;
  readonly reason: string;
  readonly includeNeverRenewed?: true;
}

const REASON_CHARS_MAX = 2_000;

const WORDS = { licenses: ['licence', 'licences'], renewals: ['renewal', 'renewals'] } as const;

const wordOf = ({ of, count }: PolicyPreview): string => WORDS[of][count === 1 ? 0 : 1];

const inDigits = new Intl.NumberFormat('en');

/** Says what a policy that is not saved yet would do: "Ends 396 licences, the first 2h ago". */
export function Ends({ preview }: { readonly preview: PolicyPreview }) {
  const { count, first } = preview;
  const [earliest] = first;
  if (count === 0 || earliest === undefined) return <>Ends no {wordOf(preview)} of today.</>;
  return (
    <>
      Ends{' '}
      <strong>
        {inDigits.format(count)} {wordOf(preview)}
      </strong>
      , the first at <Time at={earliest.endsAt} as="short" />.
    </>
  );
}

function Numbers({ preview: { ends } }: { readonly preview: PolicyPreview }) {
  const rows = [
    ['At once', ends.atOnce],
    ['Within 24 hours', ends.within24Hours],
    ['Within 30 days', ends.within30Days],
    ['Ever', ends.ever],
    ['Of these, never renewed', ends.neverRenewed],
  ] as const;
  return (
    <dl className={styles.ends}>
      {rows.map(([label, count]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{inDigits.format(count)}</dd>
        </div>
      ))}
    </dl>
  );
}

const FIRST_SHOWN = 5;

function First({ preview: { first } }: { readonly preview: PolicyPreview }) {
  return (
    <div>
      <h3 className={styles.firstTitle}>The first of them</h3>
      <ul className={styles.first}>
        {first.slice(0, FIRST_SHOWN).map((one) => (
          <li key={one.lifecycleId}>
            <span>
              № {one.licenseNum} of {one.userName}
              {one.neverRenewed ? ', never renewed' : ''}
            </span>
            <Time at={one.endsAt} />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface ConfirmPolicyProps {
  readonly preview: PolicyPreview;
  readonly state: WriteState;
  readonly onConfirm: (confirmation: PolicyConfirmation) => void;
  readonly onClose: () => void;
}

/**
 * The dialog that shows what a policy would end. It asks for the number of licences, a reason, and a decision about
 * licences that were never renewed.
 */
export function ConfirmPolicy({ preview, state, onConfirm, onClose }: ConfirmPolicyProps) {
  const { count, token, ends, delaySeconds } = preview;
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const [hasNeverRenewed, setNeverRenewed] = useState(false);
  const [isTried, setTried] = useState(false);
  const isTyped = typed.replaceAll(/[\s,.’']/gu, '') === String(count);
  const needsNeverRenewed = ends.neverRenewed > 0 && !hasNeverRenewed;
  const why = reason.trim();
  const submit = (): void => {
    setTried(true);
    if (!isTyped || why === '' || needsNeverRenewed) return;
    const never = ends.neverRenewed > 0 ? { includeNeverRenewed: true as const } : {};
    onConfirm({ token, count, reason: why, ...never });
  };
  return (
    <Dialog title="Save a policy that ends licences" onClose={onClose} isWide>
      <form
        style={{ display: 'contents' }}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <p role="status">
          <Ends preview={preview} /> An ended licence cannot be brought back.
        </p>
        <Numbers preview={preview} />
        <First preview={preview} />
        {ends.neverRenewed === 0 ? null : (
          <>
            <Check
              label={`End the ${inDigits.format(ends.neverRenewed)} that were never renewed, too`}
              isChecked={hasNeverRenewed}
              onChange={setNeverRenewed}
            />
            {isTried && needsNeverRenewed ? (
              <p role="alert">Include these licences here, or exclude them in the policy.</p>
            ) : null}
          </>
        )}
        <TextField
          label="Number of licences that end"
          hint={`Type ${count} to confirm.`}
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          fault={isTried && !isTyped ? `The preview counted ${count}.` : undefined}
          onChange={setTyped}
        />
        <TextArea
          label="Reason"
          hint="The audit log keeps the reason."
          required
          rows={2}
          maxLength={REASON_CHARS_MAX}
          value={reason}
          fault={
            isTried && why === '' ? 'Give a reason. The audit log keeps the reason.' : undefined
          }
          onChange={setReason}
        />
        <p className={styles.small}>
          The first licence ends after {delaySeconds} seconds. Until then, you can undo the policy.
        </p>
        <WriteEnd state={state} />
        <DialogFoot>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" type="submit" isBusy={state.kind === 'sending'}>
            {`End ${inDigits.format(count)}`}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
