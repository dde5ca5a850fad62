import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { OnceDialog } from '../../acts/once-dialog.tsx';
import { Button } from '../../parts/button.tsx';
import { partyName } from '../../parts/copy.tsx';
import { operationName } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import { useCaller } from '../../api/caller.tsx';
import { DecideDialog } from './decide-dialog.tsx';
import { OPEN_STATES } from './desk-words.ts';
import type { OpsOperation } from './ops-operation.tsx';

interface ActProps {
  readonly of: OpsOperation;
  readonly onClose: () => void;
}

function RetryDialog({ of: { id, operation }, onClose }: ActProps) {
  const navigate = useNavigate();
  return (
    <OnceDialog
      title={`Retry: ${operationName(operation).toLowerCase()}`}
      verb="Retry"
      url={`/ops/operations/${id}:retry`}
      cli={`tenure ops retry ${id}`}
      isRepeatable
      onDone={(body) =>
        void navigate({ to: PATHS.opsOperation, params: { id: (body as OpsOperation).id } })
      }
      onClose={onClose}
    >
      <p>A new operation does the same for the same party. This operation stays as it is.</p>
    </OnceDialog>
  );
}

function CancelDialog({ of: { id, operation }, onClose }: ActProps) {
  return (
    <OnceDialog
      title={`Cancel: ${operationName(operation).toLowerCase()}`}
      verb="Cancel operation"
      look="danger"
      url={`/ops/operations/${id}:cancel`}
      cli={`tenure ops cancel ${id}`}
      isRepeatable
      onClose={onClose}
    >
      <p>
        The operation ends without effect, and the next one starts. The cancellation is refused if
        an attempt may still take effect.
      </p>
    </OnceDialog>
  );
}

/** The reason why an act is not offered now; undefined if it is offered. */
type Refusal = string | undefined;

function retryRefusal({ state, retriedAs = [] }: OpsOperation): Refusal {
  if (state === 'in-doubt') return 'In doubt: decide it first';
  if (OPEN_STATES.has(state)) return 'The operation has not ended';
  if (state === 'succeeded') return 'The operation has succeeded';
  const last = retriedAs.at(-1);
  if (last === undefined) return undefined;
  if (OPEN_STATES.has(last.state)) return 'A retry is already running';
  return last.state === 'succeeded' ? 'A retry has succeeded' : undefined;
}

function cancelRefusal({ state, attempts }: OpsOperation): Refusal {
  if (state === 'in-doubt') return 'In doubt: decide it first';
  if (!OPEN_STATES.has(state)) return 'The operation has ended';
  const isOnItsWay = attempts.some(({ answer }) => answer === 'pending');
  return isOnItsWay ? 'An attempt is running' : undefined;
}

function decideRefusal({ doubt }: OpsOperation, party: string): Refusal {
  if (doubt === undefined || doubt.decidedBy.includes(party)) return undefined;
  return `For operators of ${doubt.decidedBy.map(partyName).join(', ')}`;
}

/** The buttons for acts on an operation. For acts that are not possible, the reason is shown. */
export function OpActs({ of }: { readonly of: OpsOperation }) {
  const { party } = useCaller();
  const [open, setOpen] = useState<'retry' | 'cancel' | 'decide' | null>(null);
  const close = (): void => setOpen(null);
  return (
    <>
      {of.doubt === undefined ? null : (
        <Button
          look="primary"
          icon="doubt"
          refused={decideRefusal(of, party)}
          onClick={() => setOpen('decide')}
        >
          Decide
        </Button>
      )}
      <Button icon="repeat" refused={retryRefusal(of)} onClick={() => setOpen('retry')}>
        Retry
      </Button>
      <Button look="danger" refused={cancelRefusal(of)} onClick={() => setOpen('cancel')}>
        Cancel
      </Button>
      {open === 'retry' ? <RetryDialog of={of} onClose={close} /> : null}
      {open === 'cancel' ? <CancelDialog of={of} onClose={close} /> : null}
      {open === 'decide' && of.doubt !== undefined ? (
        <DecideDialog id={of.id} doubt={of.doubt} onClose={close} />
      ) : null}
    </>
  );
}
