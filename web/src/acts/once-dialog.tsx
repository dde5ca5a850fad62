import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import type { ButtonLook } from '../parts/button.tsx';
import { CopyAs, quoted } from '../parts/copy.tsx';
import { Dialog, DialogFoot } from '../parts/dialog.tsx';
import { TextArea } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { ProblemText } from '../parts/states.tsx';
import { useOnce } from './use-once.ts';
import type { Sending } from './use-once.ts';

const REASON_CHARS_MAX = 2_000;

interface OnceDialogProps {
  readonly title: string;
  readonly verb: string;
  readonly look?: ButtonLook;
  readonly url: string;
  /** What the body has besides the reason; a text instead says what is still wrong with the form. */
  readonly more?: () => object | string;
  /** Without the reason: `tenure ops retry …`. */
  readonly cli?: string;
  /** Sent a second time, it does nothing more. */
  readonly isRepeatable?: boolean;
  readonly onDone?: (body: unknown) => void;
  readonly onClose: () => void;
  /** What the act means, and its other fields. */
  readonly children?: ReactNode;
}

/** No answer came: says what is known, and whether it may be sent again. */
function UnknownEnd({ isRepeatable }: { readonly isRepeatable: boolean }) {
  return (
    <Notice tone="warn" title="No answer came" isAlert>
      It is not known whether this was done. The page has been read again and shows what there is.{' '}
      {isRepeatable
        ? 'It may be sent again: done already, it is refused or answered with what was done.'
        : 'Close this and look before you do it a second time.'}
    </Notice>
  );
}

interface SendingEndProps {
  readonly sending: Sending;
  readonly isRepeatable: boolean;
}

/** Scrolls to what it shows, once it is there. */
function IntoSight({ children }: { readonly children: ReactNode }) {
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => shown.current?.scrollIntoView({ block: 'nearest' }), []);
  return <div ref={shown}>{children}</div>;
}

/** What came of it where it was not done. */
export function SendingEnd({ sending, isRepeatable }: SendingEndProps) {
  if (sending.state === 'refused') {
    return (
      <IntoSight>
        <ProblemText problem={sending.problem} />
      </IntoSight>
    );
  }
  if (sending.state !== 'unknown') return null;
  return (
    <IntoSight>
      <UnknownEnd isRepeatable={isRepeatable} />
    </IntoSight>
  );
}

/** Asks for the reason of an operator's act, and sends it once. */
export function OnceDialog(props: OnceDialogProps) {
  const { title, verb, look = 'primary', url, more, cli, isRepeatable = false } = props;
  const { onDone, onClose, children } = props;
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState<string>();
  const { sending, send } = useOnce();
  const made = more?.() ?? {};
  const body = { ...(typeof made === 'string' ? {} : made), reason: reason.trim() };
  const submit = async (): Promise<void> => {
    const wrong = body.reason === '' ? 'Say why: the audit log keeps it.' : undefined;
    setFault(wrong ?? (typeof made === 'string' ? made : undefined));
    if (wrong !== undefined || typeof made === 'string') return;
    const answer = await send({ method: 'POST', url, body });
    if (answer === null) return;
    onDone?.(answer.body);
    onClose();
  };
  const isOver = sending.state === 'unknown' && !isRepeatable;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        style={{ display: 'contents' }}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {children}
        <TextArea
          label="Reason"
          hint="Kept in the audit log, for those who read it later."
          required
          rows={3}
          maxLength={REASON_CHARS_MAX}
          value={reason}
          fault={fault}
          onChange={setReason}
        />
        <SendingEnd sending={sending} isRepeatable={isRepeatable} />
        <DialogFoot>
          <CopyAs
            url={url}
            method="POST"
            body={body}
            cli={cli === undefined ? undefined : `${cli} --reason ${quoted(body.reason || 'why')}`}
          />
          <Button onClick={onClose}>{isOver ? 'Close' : 'Cancel'}</Button>
          {isOver ? null : (
            <Button look={look} type="submit" isBusy={sending.state === 'sending'}>
              {sending.state === 'unknown' ? 'Send again' : verb}
            </Button>
          )}
        </DialogFoot>
      </form>
    </Dialog>
  );
}
