import { useState } from 'react';
import type { ReactNode } from 'react';
import * as t from '../texts/acts.tsx';
import { useWrite } from './use-write.ts';
import type { WriteState } from './use-write.ts';
import { WriteEnd } from './write-state.tsx';
import type { Write } from '../api/client.ts';
import type { Topic } from '../api/use-read.ts';
import { Button } from '../parts/button.tsx';
import { CopyAs } from '../parts/copy.tsx';
import { Dialog, DialogFoot } from '../parts/dialog.tsx';

/** Returns the member that a refusal names. For `emails.0` this is `emails`. */
function memberIn(state: WriteState): string | undefined {
  if (state.kind !== 'refused') return undefined;
  const problem = state.error.problem as Readonly<Record<string, unknown>> | null;
  const field = problem?.['field'];
  return typeof field === 'string' ? field.split('.')[0] : undefined;
}

/** Returns the text of a refusal if it names this member. */
export type FaultOf = (member: string) => string | undefined;

interface FormDialogProps {
  readonly title: string;
  readonly verb: string;
  readonly write: Write;
  readonly cli: string | undefined;
  readonly topics: readonly Topic[];
  /** The members whose own fields show a refusal. */
  readonly marked: readonly string[];
  /** A mistake in the form, because of which the form is not sent. */
  readonly fault?: string | undefined;
  readonly onClose: () => void;
  readonly children: (faultOf: FaultOf) => ReactNode;
}

/** A form that is sent once, and closes after a success. */
export function FormDialog(props: FormDialogProps) {
  const { title, verb, write, cli, topics, marked, fault, onClose, children } = props;
  const [isTold, setTold] = useState(false);
  const { state, send } = useWrite(...topics);
  const member = memberIn(state);
  const faultOf: FaultOf = (name) =>
    state.kind === 'refused' && member === name ? state.error.message : undefined;
  const submit = async (): Promise<void> => {
    setTold(fault !== undefined);
    if (fault !== undefined) return;
    const end = await send(write);
    if (end.kind === 'done') onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        style={{ display: 'contents' }}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {children(faultOf)}
        {isTold && fault !== undefined ? <p role="alert">{fault}</p> : null}
        {member !== undefined && marked.includes(member) ? null : <WriteEnd state={state} />}
        <DialogFoot>
          <CopyAs url={write.url} method={write.method} body={write.body} cli={cli} />
          <Button onClick={onClose}>{state.kind === 'unknown' ? t.close : t.cancel}</Button>
          {state.kind === 'unknown' ? null : (
            <Button look="primary" type="submit" isBusy={state.kind === 'sending'}>
              {verb}
            </Button>
          )}
        </DialogFoot>
      </form>
    </Dialog>
  );
}
