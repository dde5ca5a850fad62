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
      lead="The ledger does not say whether they took effect. Find out and decide: until then their lanes stand still."
      all={
        <Link to={PATHS.operations} search={{ state: 'in-doubt', sort: 'acceptedAt' }}>
          all in doubt
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
      lead="They have waited too long for one thing. See whether it is there."
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
              See why
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
      title="Waits the longest"
      tone="info"
      icon="clock"
      {...waiting}
      lead="Open for more than a minute. Each says what it waits for."
      all={
        <Link
          to={PATHS.operations}
          search={{ state: 'queued,submitting,retrying', until: 'PT1M', sort: 'acceptedAt' }}
        >
          all that wait
        </Link>
      }
    >
      {waiting.items.map((one) => (
        <Operation key={one.id} of={one} verb="See why" />
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
      lead="What failed for good, by its cause. Mend the cause, then retry all that are alike, or resolve it."
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
      title="Timers given up"
      tone="warn"
      icon="clock"
      {...timers}
      lead="Their policy has failed too often, and asks for nothing more. Mend the cause, then rearm."
      all={
        <Link to={PATHS.timers} search={{ state: 'given-up' }}>
          all given up
        </Link>
      }
    >
      {timers.items.map((timer) => (
        <Item
          key={timer.lifecycleId}
          act={
            <Button isSmall refused={refusal} onClick={() => setAsked(timer)}>
              Rearm
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
