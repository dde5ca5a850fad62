import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Time } from '../../parts/time.tsx';
import { countWords, operationName, sentence } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import { useCaller } from '../../api/caller.tsx';
import { Frame, Item } from './attention-frame.tsx';
import type { Attention } from './attention-parts.tsx';
import styles from './attention.module.css';
import { waitWords } from './desk-words.ts';
import { FailureActDialog } from './failure-act.tsx';
import type { FailureAsked } from './failure-act.tsx';
import type { OperationSummary } from './operation-table.tsx';
import { StateBadge, Why } from './operation-table.tsx';
import { RearmDialog } from './rearm-dialog.tsx';
import type { Timer } from './rearm-dialog.tsx';

interface PartProps {
  readonly of: Attention;
}

function Operation({ of, verb }: { readonly of: OperationSummary; readonly verb: string }) {
  const { id, operation, commandId, acceptedAt, state } = of;
  return (
    <Item
      act={
        <Link className={buttonClass('plain', true)} to={PATHS.opsOperation} params={{ id }}>
          {verb}
        </Link>
      }
    >
      <p className={styles.name}>
        <StateBadge state={state} />
        <Link to={PATHS.opsOperation} params={{ id }}>
          {operationName(operation)}
        </Link>
        <span className={styles.small}>
          {commandId}, accepted <Time at={acceptedAt} />
        </span>
      </p>
      <Why of={of} />
    </Item>
  );
}

export function DoubtPart({ of: { inDoubt } }: PartProps) {
  if (inDoubt === undefined) return null;
  return (
    <Frame
      title="In doubt"
      tone="bad"
      icon="doubt"
      {...inDoubt}
      lead="The ledger does not show whether these operations took effect. Find out and decide. Until then, later operations on the same contracts wait."
      all={
        <Link to={PATHS.operations} search={{ state: 'in-doubt', sort: 'acceptedAt' }}>
          all operations in doubt
        </Link>
      }
    >
      {inDoubt.items.map((one) => (
        <Operation key={one.id} of={one} verb="Decide…" />
      ))}
    </Frame>
  );
}

export function AlarmsPart({ of: { alarms } }: PartProps) {
  if (alarms === undefined) return null;
  return (
    <Frame
      title="Alarms"
      tone="bad"
      icon="alert"
      {...alarms}
      lead="These operations have waited too long for one thing. Check that thing."
    >
      {alarms.items.map(({ operationId, kind, severity, since, detail }) => (
        <Item
          key={`${operationId} ${kind}`}
          act={
            <Link
              className={buttonClass('plain', true)}
              to={PATHS.opsOperation}
              params={{ id: operationId }}
            >
              See the reason
            </Link>
          }
        >
          <p>
            {severity === 'critical' ? 'Critical: waits' : 'Waits'} for{' '}
            <strong>{waitWords(kind)}</strong>, since <Time at={since} />
          </p>
          <p className={styles.small}>{sentence(detail)}</p>
        </Item>
      ))}
    </Frame>
  );
}

export function WaitingPart({ of: { waiting } }: PartProps) {
  if (waiting === undefined) return null;
  return (
    <Frame
      title="Long waits"
      tone="info"
      icon="clock"
      {...waiting}
      lead="Operations that have been open for more than a minute, with what they wait for."
      all={
        <Link
          to={PATHS.operations}
          search={{ state: 'queued,submitting,retrying', until: 'PT1M', sort: 'acceptedAt' }}
        >
          all waiting operations
        </Link>
      }
    >
      {waiting.items.map((one) => (
        <Operation key={one.id} of={one} verb="See the reason" />
      ))}
    </Frame>
  );
}

export function FailuresPart({ of: { failures } }: PartProps) {
  const [asked, setAsked] = useState<FailureAsked | null>(null);
  if (failures === undefined) return null;
  return (
    <Frame
      dialog={
        asked === null ? null : <FailureActDialog {...asked} onClose={() => setAsked(null)} />
      }
      title="Open failures"
      tone="warn"
      icon="alert"
      {...failures}
      lead="Operations that failed finally, grouped by cause. Fix the cause, then retry the group or mark it as resolved."
      all={<Link to={PATHS.failures}>all failures</Link>}
    >
      {failures.items.map((failure) => (
        <Item
          key={failure.fingerprint}
          act={
            <>
              <Button isSmall icon="repeat" onClick={() => setAsked({ act: 'retry', failure })}>
                Retry all
              </Button>
              <Button isSmall onClick={() => setAsked({ act: 'resolve', failure })}>
                Resolve
              </Button>
            </>
          }
        >
          <p className={styles.name}>
            <strong>{countWords(failure.count, failure.more)} ×</strong>
            <Link to={PATHS.operations} search={{ failure: failure.fingerprint }}>
              {operationName(failure.operation)}
            </Link>
            <code>{failure.ledgerCode ?? failure.code}</code>
            <span className={styles.small}>
              last <Time at={failure.lastAt} />
            </span>
          </p>
          <p className={styles.small}>{sentence(failure.explanation)}</p>
        </Item>
      ))}
    </Frame>
  );
}

export function TimersPart({ of: { timers } }: PartProps) {
  const { operatorOf } = useCaller();
  const [asked, setAsked] = useState<Timer | null>(null);
  if (timers === undefined) return null;
  const refusal = operatorOf === 'tenant' ? 'For the provider’s operators' : undefined;
  return (
    <Frame
      dialog={asked === null ? null : <RearmDialog timer={asked} onClose={() => setAsked(null)} />}
      title="Stopped timers"
      tone="warn"
      icon="clock"
      {...timers}
      lead="The policy failed too often for these timers, so it makes no further attempts. Fix the cause, then restart the timers."
      all={
        <Link to={PATHS.timers} search={{ state: 'given-up' }}>
          all stopped timers
        </Link>
      }
    >
      {timers.items.map((timer) => (
        <Item
          key={timer.lifecycleId}
          act={
            <Button isSmall refused={refusal} onClick={() => setAsked(timer)}>
              Restart
            </Button>
          }
        >
          <p>
            <Link
              to={timer.kind === 'withdraw' ? PATHS.renewal : PATHS.license}
              params={{ contractId: timer.lifecycleId }}
            >
              {timer.kind === 'withdraw' ? 'Renewal of' : 'Licence'} № {timer.licenseNum}
            </Link>
            {timer.kind === 'withdraw' ? ', closed ' : ', expired '}
            <Time at={timer.lapsesAt} />
          </p>
        </Item>
      ))}
    </Frame>
  );
}
