import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { OnceDialog } from '../../acts/once-dialog.tsx';
import { Button } from '../../parts/button.tsx';
import { partyName } from '../../parts/copy.tsx';
import { operationName } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import { useCaller } from '../../api/caller.tsx';
import * as t from '../../texts/operation.tsx';
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
      title={t.retryOf(operationName(operation).toLowerCase())}
      verb={t.retry}
      url={`/ops/operations/${id}:retry`}
      cli={`tenure ops retry ${id}`}
      isRepeatable
      onDone={(body) =>
        void navigate({ to: PATHS.opsOperation, params: { id: (body as OpsOperation).id } })
      }
      onClose={onClose}
    >
      <p>{t.aNewOperationDoesTheSame}</p>
    </OnceDialog>
  );
}

function CancelDialog({ of: { id, operation }, onClose }: ActProps) {
  return (
    <OnceDialog
      title={t.cancelOf(operationName(operation).toLowerCase())}
      verb={t.cancelOperation}
      look="danger"
      url={`/ops/operations/${id}:cancel`}
      cli={`tenure ops cancel ${id}`}
      isRepeatable
      onClose={onClose}
    >
      <p>{t.theOperationEndsWithoutEffect}</p>
    </OnceDialog>
  );
}

/** The reason why an act is not offered now; undefined if it is offered. */
type Refusal = string | undefined;

function retryRefusal({ state, retriedAs = [] }: OpsOperation): Refusal {
  if (state === 'in-doubt') return t.inDoubtDecideItFirst;
  if (OPEN_STATES.has(state)) return t.theOperationHasNotEnded;
  if (state === 'succeeded') return t.theOperationHasSucceeded;
  const last = retriedAs.at(-1);
  if (last === undefined) return undefined;
  if (OPEN_STATES.has(last.state)) return t.aRetryIsAlreadyRunning;
  return last.state === 'succeeded' ? t.aRetryHasSucceeded : undefined;
}

function cancelRefusal({ state, attempts }: OpsOperation): Refusal {
  if (state === 'in-doubt') return t.inDoubtDecideItFirst;
  if (!OPEN_STATES.has(state)) return t.theOperationHasEnded;
  const isOnItsWay = attempts.some(({ answer }) => answer === 'pending');
  return isOnItsWay ? t.anAttemptIsRunning : undefined;
}

function decideRefusal({ doubt }: OpsOperation, party: string): Refusal {
  if (doubt === undefined || doubt.decidedBy.includes(party)) return undefined;
  return t.forOperatorsOf(doubt.decidedBy.map(partyName).join(', '));
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
          {t.decide}
        </Button>
      )}
      <Button icon="repeat" refused={retryRefusal(of)} onClick={() => setOpen('retry')}>
        {t.retry}
      </Button>
      <Button look="danger" refused={cancelRefusal(of)} onClick={() => setOpen('cancel')}>
        {t.cancel}
      </Button>
      {open === 'retry' ? <RetryDialog of={of} onClose={close} /> : null}
      {open === 'cancel' ? <CancelDialog of={of} onClose={close} /> : null}
      {open === 'decide' && of.doubt !== undefined ? (
        <DecideDialog id={of.id} doubt={of.doubt} onClose={close} />
      ) : null}
    </>
  );
}
