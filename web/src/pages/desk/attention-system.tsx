import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Time, useNowMs } from '../../parts/time.tsx';
import { sentence, spanWords } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import { CIRCUIT_WORDS, pauseName, ResumeDialog } from '../../acts/pause.tsx';
import type { Pause } from '../../acts/pause.tsx';
import { Frame, Item } from './attention-frame.tsx';
import type { Attention } from './attention-parts.tsx';
import styles from './attention.module.css';

interface PartProps {
  readonly of: Attention;
}

const toStreams = <Link to={PATHS.streams}>streams and leases</Link>;

export function PausesPart({ of: { pauses } }: PartProps) {
  const [asked, setAsked] = useState<Pause | null>(null);
  if (pauses === undefined) return null;
  return (
    <Frame
      dialog={asked === null ? null : <ResumeDialog pause={asked} onClose={() => setAsked(null)} />}
      title="Paused by a person"
      tone="warn"
      icon="pause"
      {...pauses}
      lead="Operations that these pauses cover are accepted and wait. Resume what no longer needs a pause."
      all={toStreams}
    >
      {pauses.items.map((pause) => (
        <Item
          key={`${pause.scope} ${pause.name}`}
          act={
            <Button isSmall icon="play" onClick={() => setAsked(pause)}>
              Resume
            </Button>
          }
        >
          <p className={styles.name}>
            <strong>{pauseName(pause)}</strong>
            <span className={styles.small}>
              since <Time at={pause.since} />
              {pause.held === undefined || pause.held === 0 ? '' : `, ${pause.held} wait for it`}
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
  return <>. Tried again {isDue ? 'now' : <Time at={at} />}</>;
}

export function CircuitsPart({ of: { circuits } }: PartProps) {
  if (circuits === undefined) return null;
  return (
    <Frame
      title="Participants in back-off"
      tone="bad"
      icon="alert"
      {...circuits}
      lead="Tenure tries these participants again automatically. Their cause must be fixed at the participant."
      all={toStreams}
    >
      {circuits.items.map((circuit) => (
        <Item key={circuit.name}>
          <p>
            <strong>{circuit.name}</strong> {CIRCUIT_WORDS[circuit.mode] ?? circuit.mode}, since{' '}
            <Time at={circuit.since} />
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
      title="Streams that lag"
      tone="bad"
      icon="clock"
      {...streams}
      lead="Tenure sees ledger updates late, or the participant does not answer."
      all={toStreams}
    >
      {streams.items.map(({ stream, participant, reason, lagSeconds, lagOffsets }) => (
        <Item key={stream}>
          <p>
            <strong>{stream}</strong> of {participant}
            {reason === undefined ? null : ': its participant does not answer'}
            {lagSeconds === undefined || reason !== undefined
              ? null
              : `, ${spanWords(lagSeconds * 1_000)} behind`}
            {lagOffsets === undefined ? null : ` (${lagOffsets} offsets)`}
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
      title="Leases without a holder"
      tone="bad"
      icon="alert"
      {...leases}
      lead="No process does this work now. Check whether a process with the role is running."
      all={toStreams}
    >
      {leases.items.map(({ name, holder, until }) => (
        <Item key={name}>
          <p>
            <strong>{name}</strong>, last held by {holder}, until <Time at={until} />
          </p>
        </Item>
      ))}
    </Frame>
  );
}

export function WebhooksPart({ of: { webhooks } }: PartProps) {
  if (webhooks === undefined) return null;
  return (
    <Frame
      title="Failing webhooks"
      tone="warn"
      icon="link"
      {...webhooks}
      lead="The receivers of these webhooks do not accept deliveries."
      all={<Link to={PATHS.webhooks}>all webhooks</Link>}
    >
      {webhooks.items.map(({ id, url }) => (
        <Item
          key={id}
          act={
            <Link className={buttonClass('plain', true)} to={PATHS.webhook} params={{ id }}>
              Deliveries
            </Link>
          }
        >
          <p className={styles.name}>{url}</p>
        </Item>
      ))}
    </Frame>
  );
}
