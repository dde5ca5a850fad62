import { useState } from 'react';
import type { WriteState } from '../../acts/use-write.ts';
import { WriteEnd } from '../../acts/write-state.tsx';
import type { components } from '../../../../client/schema.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { Check, TextArea, TextField } from '../../parts/field.tsx';
import { Time } from '../../parts/time.tsx';
import { numberText } from '../../texts/intl.ts';
import * as t from '../../texts/policies.tsx';
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

/** Says what a policy that is not saved yet would do: "Ends 396 licences, the first 2h ago". */
export function Ends({ preview }: { readonly preview: PolicyPreview }) {
  const { count, first } = preview;
  const [earliest] = first;
  if (count === 0 || earliest === undefined) return t.endsNone[preview.of];
  return t.endsTheFirstAt(
    <strong>{t.countOf[preview.of](count)}</strong>,
    <Time at={earliest.endsAt} as="short" />,
  );
}

function Numbers({ preview: { ends } }: { readonly preview: PolicyPreview }) {
  const rows = [
    [t.atOnce, ends.atOnce],
    [t.within24Hours, ends.within24Hours],
    [t.within30Days, ends.within30Days],
    [t.ever, ends.ever],
    [t.ofTheseNeverRenewed, ends.neverRenewed],
  ] as const;
  return (
    <dl className={styles.ends}>
      {rows.map(([label, count]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{numberText(count)}</dd>
        </div>
      ))}
    </dl>
  );
}

const FIRST_SHOWN = 5;

function First({ preview: { first } }: { readonly preview: PolicyPreview }) {
  return (
    <div>
      <h3 className={styles.firstTitle}>{t.theFirstOfThem}</h3>
      <ul className={styles.first}>
        {first.slice(0, FIRST_SHOWN).map((one) => (
          <li key={one.lifecycleId}>
            <span>
              {(one.neverRenewed ? t.neverRenewedLicenceOf : t.numberedLicenceOf)(
                one.licenseNum,
                one.userName,
              )}
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
    <Dialog title={t.saveAPolicyThatEndsLicences} onClose={onClose} isWide>
      <form
        style={{ display: 'contents' }}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <p role="status">{t.anEndedLicenceCannotBeBrought(<Ends preview={preview} />)}</p>
        <Numbers preview={preview} />
        <First preview={preview} />
        {ends.neverRenewed === 0 ? null : (
          <>
            <Check
              label={t.endTheThatWereNeverRenewed(numberText(ends.neverRenewed))}
              isChecked={hasNeverRenewed}
              onChange={setNeverRenewed}
            />
            {isTried && needsNeverRenewed ? (
              <p role="alert">{t.includeTheseLicencesHereOr}</p>
            ) : null}
          </>
        )}
        <TextField
          label={t.numberOfLicencesThatEnd}
          hint={t.typeToConfirm(count)}
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          fault={isTried && !isTyped ? t.thePreviewCounted(count) : undefined}
          onChange={setTyped}
        />
        <TextArea
          label={t.reason}
          hint={t.theAuditLogKeepsTheReason}
          required
          rows={2}
          maxLength={REASON_CHARS_MAX}
          value={reason}
          fault={isTried && why === '' ? t.giveAReasonTheAuditLog : undefined}
          onChange={setReason}
        />
        <p className={styles.small}>{t.theFirstLicenceEndsAfter(delaySeconds)}</p>
        <WriteEnd state={state} />
        <DialogFoot>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button look="danger" type="submit" isBusy={state.kind === 'sending'}>
            {t.end(numberText(count))}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
