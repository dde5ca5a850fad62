import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Time, useNowMs } from '../../parts/time.tsx';
import { sentence, spanWords } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import { CIRCUIT_WORDS, pauseName, ResumeDialog } from '../../acts/pause.tsx';
import type { Pause } from '../../acts/pause.tsx';
import * as t from '../../texts/attention.tsx';
import { Frame, Item } from './attention-frame.tsx';
import type { Attention } from './attention-parts.tsx';
import styles from './attention.module.css';

interface PartProps {
  readonly of: Attention;
}

const toStreams = <Link to={PATHS.streams}>{t.streamsAndLeases}</Link>;

export function PausesPart({ of: { pauses } }: PartProps) {
  const [asked, setAsked] = useState<Pause | null>(null);
  if (pauses === undefined) return null;
  return (
    <Frame
      dialog={asked === null ? null : <ResumeDialog pause={asked} onClose={() => setAsked(null)} />}
      title={t.pausedByAPerson}
      tone="warn"
      icon="pause"
      {...pauses}
      lead={t.operationsThatThesePausesCover}
      all={toStreams}
    >
      {pauses.items.map((pause) => (
        <Item
          key={`${pause.scope} ${pause.name}`}
          act={
            <Button isSmall icon="play" onClick={() => setAsked(pause)}>
              {t.resume}
            </Button>
          }
        >
          <p className={styles.name}>
            <strong>{pauseName(pause)}</strong>
            <span className={styles.small}>
              {t.since(<Time at={pause.since} />)}
              {pause.held === undefined || pause.held === 0 ? '' : t.waitForIt(pause.held)}
            </span>
          </p>
          <p className={styles.small}>“{pause.reason}”</p>
        </Item>
      ))}
    </Frame>
  );
}

/**
 * Says when a participant with an open circuit is probed again. Once that time has passed, one operation probes the
 * participant.
 */
function TriedAgain({ at }: { readonly at: string }) {
  const isDue = Date.parse(at) <= useNowMs();
  return t.triedAgain(isDue ? t.now : <Time at={at} />);
}

export function CircuitsPart({ of: { circuits } }: PartProps) {
  if (circuits === undefined) return null;
  return (
    <Frame
      title={t.participantsInBackOffTitle}
      tone="bad"
      icon="alert"
      {...circuits}
      lead={t.tenureTriesTheseParticipants}
      all={toStreams}
    >
      {circuits.items.map((circuit) => (
        <Item key={circuit.name}>
          <p>
            {t.problemSince(
              <strong>{circuit.name}</strong>,
              CIRCUIT_WORDS[circuit.mode] ?? circuit.mode,
              <Time at={circuit.since} />,
            )}
          </p>
          <p className={styles.small}>
            {sentence(circuit.reason)}
            {circuit.until === undefined ? null : <TriedAgain at={circuit.until} />}
          </p>
        </Item>
      ))}
    </Frame>
  );
}

export function StreamsPart({ of: { streams } }: PartProps) {
  if (streams === undefined) return null;
  return (
    <Frame
      title={t.streamsThatLagTitle}
      tone="bad"
      icon="clock"
      {...streams}
      lead={t.tenureSeesLedgerUpdatesLateOr}
      all={toStreams}
    >
      {streams.items.map(({ stream, participant, reason, lagSeconds, lagOffsets }) => (
        <Item key={stream}>
          <p>
            {t.streamOf(<strong>{stream}</strong>, participant)}
            {reason === undefined ? null : t.itsParticipantDoesNotAnswer}
            {lagSeconds === undefined || reason !== undefined
              ? null
              : t.behind(spanWords(lagSeconds * 1_000))}
            {lagOffsets === undefined ? null : t.offsetsInBrackets(lagOffsets)}
          </p>
          {reason === undefined ? null : <p className={styles.small}>{sentence(reason)}</p>}
        </Item>
      ))}
    </Frame>
  );
}

export function LeasesPart({ of: { leases } }: PartProps) {
  if (leases === undefined) return null;
  return (
    <Frame
      title={t.leasesWithoutAHolderTitle}
      tone="bad"
      icon="alert"
      {...leases}
      lead={t.noProcessDoesThisWorkNow}
      all={toStreams}
    >
      {leases.items.map(({ name, holder, until }) => (
        <Item key={name}>
          <p>{t.lastHeldByUntil(<strong>{name}</strong>, holder, <Time at={until} />)}</p>
        </Item>
      ))}
    </Frame>
  );
}

export function WebhooksPart({ of: { webhooks } }: PartProps) {
  if (webhooks === undefined) return null;
  return (
    <Frame
      title={t.failingWebhooksTitle}
      tone="warn"
      icon="link"
      {...webhooks}
      lead={t.theReceiversOfTheseWebhooksDo}
      all={<Link to={PATHS.webhooks}>{t.allWebhooks}</Link>}
    >
      {webhooks.items.map(({ id, url }) => (
        <Item
          key={id}
          act={
            <Link className={buttonClass('plain', true)} to={PATHS.webhook} params={{ id }}>
              {t.deliveries}
            </Link>
          }
        >
          <p className={styles.name}>{url}</p>
        </Item>
      ))}
    </Frame>
  );
}
