import { useState } from 'react';
import { AskDialog } from '../../acts/ask-dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import type { OfferProps } from './actions.tsx';

interface ReasonDialogProps extends OfferProps {
  readonly title: string;
  readonly verb: string;
  /** The message for a success, in the past tense. */
  readonly done: string;
  /** A description of the act's effect. */
  readonly text: string;
  readonly cli?: string;
}

/**
 * The dialog that asks for the reason of an act which ends something. The reason is written to the ledger as metadata.
 */
export function ReasonDialog(props: ReasonDialogProps) {
  const { form, href, onClose, title, verb, done, text, cli } = props;
  const [reason, setReason] = useState('');
  return (
    <AskDialog
      form={form}
      title={title}
      label={title}
      verb={verb}
      done={done}
      look="danger"
      url={href}
      body={() => ({ meta: { data: reason.trim() === '' ? {} : { reason: reason.trim() } } })}
      {...(cli === undefined ? {} : { cli })}
      onClose={onClose}
    >
      <p>{text}</p>
      <TextField
        label="Reason for the other side"
        hint="Optional. The reason is written to the ledger."
        value={reason}
        maxLength={4_096}
        onChange={setReason}
      />
    </AskDialog>
  );
}
