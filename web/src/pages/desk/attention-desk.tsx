import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Time } from '../../parts/time.tsx';
import { countWords, operationName, sentence } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import { useCaller } from '../../api/caller.tsx';
import * as t from '../../texts/attention.tsx';
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
        <span className={styles.small}>{t.accepted(commandId, <Time at={acceptedAt} />)}</span>
      </p>
      <Why of={of} />
    </Item>
  );
}

export function DoubtPart({ of: { inDoubt } }: PartProps) {
  if (inDoubt === undefined) return null;
  return (
    <Frame
      title={t.inDoubt}
      tone="bad"
      icon="doubt"
      {...inDoubt}
      lead={t.theLedgerDoesNotShowWhether}
      all={
        <Link to={PATHS.operations} search={{ state: 'in-doubt', sort: 'acceptedAt' }}>
          {t.allOperationsInDoubt}
        </Link>
      }
    >
      {inDoubt.items.map((one) => (
        <Operation key={one.id} of={one} verb={t.decide} />
      ))}
    </Frame>
  );
}

export function AlarmsPart({ of: { alarms } }: PartProps) {
  if (alarms === undefined) return null;
  return (
    <Frame
      title={t.alarms}
      tone="bad"
      icon="alert"
      {...alarms}
      lead={t.theseOperationsHaveWaitedToo}
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
              {t.seeTheReason}
            </Link>
          }
        >
          <p>
            {(severity === 'critical' ? t.criticalWaitsForSince : t.waitsForSince)(
              <strong>{waitWords(kind)}</strong>,
              <Time at={since} />,
            )}
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
      title={t.longWaits}
      tone="info"
      icon="clock"
      {...waiting}
      lead={t.operationsThatHaveBeenOpenFor}
      all={
        <Link
          to={PATHS.operations}
          search={{ state: 'queued,submitting,retrying', until: 'PT1M', sort: 'acceptedAt' }}
        >
          {t.allWaitingOperations}
        </Link>
      }
    >
      {waiting.items.map((one) => (
        <Operation key={one.id} of={one} verb={t.seeTheReason} />
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
      title={t.openFailures}
      tone="warn"
      icon="alert"
      {...failures}
      lead={t.operationsThatFailedFinally}
      all={<Link to={PATHS.failures}>{t.allFailures}</Link>}
    >
      {failures.items.map((failure) => (
        <Item
          key={failure.fingerprint}
          act={
            <>
              <Button isSmall icon="repeat" onClick={() => setAsked({ act: 'retry', failure })}>
                {t.retryAll}
              </Button>
              <Button isSmall onClick={() => setAsked({ act: 'resolve', failure })}>
                {t.resolve}
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
            <span className={styles.small}>{t.last(<Time at={failure.lastAt} />)}</span>
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
  const refusal = operatorOf === 'tenant' ? t.forTheProvidersOperators : undefined;
  return (
    <Frame
      dialog={asked === null ? null : <RearmDialog timer={asked} onClose={() => setAsked(null)} />}
      title={t.stoppedTimers}
      tone="warn"
      icon="clock"
      {...timers}
      lead={t.thePolicyFailedTooOftenFor}
      all={
        <Link to={PATHS.timers} search={{ state: 'given-up' }}>
          {t.allStoppedTimers}
        </Link>
      }
    >
      {timers.items.map((timer) => (
        <Item
          key={timer.lifecycleId}
          act={
            <Button isSmall refused={refusal} onClick={() => setAsked(timer)}>
              {t.restart}
            </Button>
          }
        >
          <p>
            <Link
              to={timer.kind === 'withdraw' ? PATHS.renewal : PATHS.license}
              params={{ contractId: timer.lifecycleId }}
            >
              {timer.kind === 'withdraw'
                ? t.renewalOf(timer.licenseNum)
                : t.licence(timer.licenseNum)}
            </Link>
            {(timer.kind === 'withdraw' ? t.closed : t.expired)(<Time at={timer.lapsesAt} />)}
          </p>
        </Item>
      ))}
    </Frame>
  );
}
