import { Link } from '@tanstack/react-router';
import { forgetCommand, commands, isOpenCommand } from '../acts/command-store.ts';
import type { Command } from '../acts/command-store.ts';
import { Badge } from '../parts/badge.tsx';
import type { Tone } from '../parts/badge.tsx';
import { Button } from '../parts/button.tsx';
import { useSignal } from '../signal.ts';
import { useTickMs } from '../parts/time.tsx';
import { PATHS } from '../paths.ts';
import { useCaller } from '../api/caller.tsx';
import styles from './shell.module.css';

const WORDS: Readonly<Record<Command['state'], readonly [Tone, string]>> = {
  sending: ['info', 'Sending'],
  accepted: ['info', 'Sent'],
  succeeded: ['good', 'Done'],
  failed: ['bad', 'Failed'],
};

function CommandCard({ command }: { readonly command: Command }) {
  const [tone, word] = WORDS[command.state];
  const { commandId, label, done, waiting, problem } = command;
  return (
    <li className={styles.command} data-state={command.state}>
      <Link to={PATHS.operation} params={{ commandId }}>
        {command.state === 'succeeded' ? (done ?? label) : label}
      </Link>
      <span>
        <Badge tone={tone}>{word}</Badge>
        {isOpenCommand(command) ? null : (
          <Button
            look="quiet"
            isSmall
            icon="cross"
            aria-label={`Dismiss ${label}`}
            onClick={() => forgetCommand(commandId)}
          />
        )}
      </span>
      {waiting === null ? null : <p>{waiting}</p>}
      {problem === null ? null : <p>{problem.detail}</p>}
    </li>
  );
}

/** How long a success is shown. A failure is shown until it is dismissed. */
const SUCCESS_MS = 12_000;

const isShown = ({ state, endedAtMs }: Command, nowMs: number): boolean =>
  state !== 'succeeded' || nowMs - (endedAtMs ?? 0) < SUCCESS_MS;

/** Shows this person's commands, across pages, reloads and tabs, until the person has seen each result. */
export function Dock() {
  const { party } = useCaller();
  const nowMs = useTickMs();
  const mine = useSignal(commands).filter(
    (command) => command.party === party && isShown(command, nowMs),
  );
  return (
    <ul className={styles.dock} aria-label="Your operations" aria-live="polite">
      {mine.map((command) => (
        <CommandCard key={command.commandId} command={command} />
      ))}
    </ul>
  );
}
