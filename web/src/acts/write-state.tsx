import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import type { ButtonLook } from '../parts/button.tsx';
import { CopyAs } from '../parts/copy.tsx';
import { Dialog, DialogFoot } from '../parts/dialog.tsx';
import { Note } from '../parts/note.tsx';
import { ProblemText } from '../parts/states.tsx';
import type { Topic } from '../api/use-read.ts';
import type { Write } from '../api/client.ts';
import { useWrite } from './use-write.ts';
import type { WriteState } from './use-write.ts';

/** Returns the text of a refusal if it names this field. */
export function faultAt(state: WriteState, field: string): string | undefined {
  if (state.kind !== 'refused') return undefined;
  const problem = state.error.problem as Readonly<Record<string, unknown>> | null;
  return problem?.['field'] === field ? state.error.message : undefined;
}

const namesField = (state: WriteState): boolean =>
  state.kind === 'refused' &&
  typeof (state.error.problem as Readonly<Record<string, unknown>> | null)?.['field'] === 'string';

interface WriteEndProps {
  readonly state: WriteState;
  /** Whether the fields themselves show what is wrong with their values. */
  readonly hasFields?: boolean;
  /** Whether a second request would have no further effect. */
  readonly isRepeatable?: boolean;
}

/** Scrolls to its content when the content appears, because a form may be longer than the screen. */
function IntoSight({ children }: { readonly children: ReactNode }) {
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // No value is returned: newer browsers return a promise, which is not a cleanup function.
    shown.current?.scrollIntoView({ block: 'center' });
  }, []);
  return <div ref={shown}>{children}</div>;
}

/** Shows the result of a change that is sent once, if the change was refused or its result is unknown. */
export function WriteEnd({ state, hasFields = false, isRepeatable = false }: WriteEndProps) {
  if (state.kind === 'unknown') {
    return (
      <IntoSight>
        <div role="alert">
          <Note tone="warn" title="Whether the action took effect is not known.">
            <p>
              {state.why ?? 'The connection was lost before the server answered.'} The action is not
              sent again automatically. The page shows the current state:{' '}
              {isRepeatable
                ? 'sending it again has no second effect.'
                : 'check before you repeat it.'}
            </p>
          </Note>
        </div>
      </IntoSight>
    );
  }
  if (state.kind !== 'refused' || (hasFields && namesField(state))) return null;
  const { problem } = state.error;
  return (
    <IntoSight>
      {problem === null ? (
        <p role="alert">{state.error.message}</p>
      ) : (
        <ProblemText problem={problem} />
      )}
    </IntoSight>
  );
}

interface WriteDialogProps {
  readonly title: string;
  readonly verb: string;
  readonly look?: ButtonLook;
  readonly write: Write;
  readonly topics: readonly Topic[];
  readonly cli?: string;
  readonly onClose: () => void;
  /** Called after a success, instead of closing the dialog. */
  readonly onDone?: (answer: unknown) => void;
  /** An explanation of the act. */
  readonly children: ReactNode;
}

/** The dialog that asks for confirmation of a change, and sends the change once. */
export function WriteDialog(props: WriteDialogProps) {
  const { title, verb, look = 'danger', write, topics, cli, onClose, onDone, children } = props;
  const { state, send } = useWrite(...topics);
  const confirm = async (): Promise<void> => {
    const end = await send(write);
    if (end.kind !== 'done') return;
    if (onDone === undefined) onClose();
    else onDone(end.answer.body);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <WriteEnd state={state} />
      <DialogFoot>
        <CopyAs url={write.url} method={write.method} body={write.body} cli={cli} />
        <Button onClick={onClose}>{state.kind === 'idle' ? 'Cancel' : 'Close'}</Button>
        {state.kind === 'unknown' ? null : (
          <Button look={look} isBusy={state.kind === 'sending'} onClick={() => void confirm()}>
            {verb}
          </Button>
        )}
      </DialogFoot>
    </Dialog>
  );
}
