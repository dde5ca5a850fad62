import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { components } from '../../../client/schema.ts';
import { Id, partyName } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { Time } from '../parts/time.tsx';
import { inWords, operationName } from '../parts/words.ts';
import { PATHS } from '../paths.ts';
import type { Path } from '../paths.ts';
import * as t from '../texts/chart.tsx';
import type { ShownView } from './history-view.ts';
import styles from './history.module.css';
import { eventWords } from './words.ts';

export type HistoryEntry = components['schemas']['HistoryEntry'];

interface LinkProps {
  readonly commandId: string;
  readonly operation: unknown;
}

const OperationLink = ({ commandId, operation }: LinkProps) => (
  <Link to={PATHS.operation} params={{ commandId }}>
    {typeof operation === 'string' ? operationName(operation) : commandId}
  </Link>
);

/** Returns a value of an answer as text. */
const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const PAGES: readonly (readonly [prefix: string, page: Path, words: string])[] = [
  ['install-request-', PATHS.request, t.installRequest],
  ['install-', PATHS.install, t.installationWord],
  ['license-', PATHS.license, t.licenceWord],
  ['renewal-', PATHS.renewal, t.renewalWord],
];

/** A link to the lifecycle whose step caused the entry. */
function Through({ id }: { readonly id: string }) {
  const [, page, words] = PAGES.find(([prefix]) => id.startsWith(prefix)) ?? [];
  if (page === undefined) return id;
  return (
    <Link to={page} params={{ contractId: id } as never}>
      {words}
    </Link>
  );
}

function factsOf(entry: HistoryEntry): readonly (readonly [name: string, value: ReactNode])[] {
  const { kind, by, commandId, updateId, contractId, offset, detail } = entry;
  const { operation, through, ...rest } = detail;
  return [
    [t.event, <code key="event">{kind}</code>],
    ...(by === undefined ? [] : [[t.by, <Id key="by" id={by} what={t.partyId} />] as const]),
    ...(commandId === undefined
      ? []
      : [
          [
            t.operation,
            <OperationLink key="operation" commandId={commandId} operation={operation} />,
          ] as const,
          [t.command, <Id key="command" id={commandId} what={t.commandId} />] as const,
        ]),
    ...(commandId !== undefined || typeof operation !== 'string'
      ? []
      : [[t.operation, operationName(operation)] as const]),
    ...(updateId === undefined
      ? []
      : [[t.update, <Id key="update" id={updateId} what={t.updateId} />] as const]),
    ...(contractId === undefined
      ? []
      : [[t.contract, <Id key="contract" id={contractId} what={t.contractId} />] as const]),
    ...(typeof through === 'string'
      ? [[t.through, <Through key="through" id={through} />] as const]
      : []),
    ...(offset === undefined ? [] : [[t.offset, String(offset)] as const]),
    ...Object.entries(rest).map(([name, value]) => [inWords(name), valueText(value)] as const),
  ];
}

function Full({ entry }: { readonly entry: HistoryEntry }) {
  return (
    <dl className={styles.facts}>
      {factsOf(entry).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Compact({ entry: { commandId, updateId, detail } }: { readonly entry: HistoryEntry }) {
  const { through } = detail;
  if (commandId === undefined && updateId === undefined) return null;
  return (
    <p className={styles.small}>
      {commandId === undefined ? null : (
        <Link to={PATHS.operation} params={{ commandId }}>
          {t.operationWord}
        </Link>
      )}{' '}
      {updateId === undefined ? null : t.updateOf(<Id id={updateId} what={t.updateId} />)}{' '}
      {typeof through === 'string' ? t.throughOf(<Through id={through} />) : null}
    </p>
  );
}

interface EntryProps {
  readonly entry: HistoryEntry;
  /** The index of the entry in the history, which is the number of its step. */
  readonly at: number;
  /** The state before the step; undefined for the first step. */
  readonly before: string | undefined;
  readonly view: ShownView;
  readonly isSelected: boolean;
  readonly onSelect: ((at: number) => void) | undefined;
}

function Headline({ entry, before, at, view, isSelected, onSelect }: EntryProps) {
  const { kind, state, by } = entry;
  const words = (
    <>
      {inWords(eventWords(kind))}
      {state === before || view === 'plain' ? null : (
        <>
          {' '}
          → <strong>{inWords(state)}</strong>
        </>
      )}
      {by === undefined ? null : t.byOf(partyName(by))}
    </>
  );
  if (onSelect === undefined || view === 'plain') return <p>{words}</p>;
  return (
    <button
      type="button"
      className={styles.pick}
      aria-pressed={isSelected}
      title={t.showThisMomentInTheChart}
      onClick={() => onSelect(at)}
    >
      {words}
    </button>
  );
}

export function Entry(props: EntryProps) {
  const { entry, at, view, isSelected } = props;
  return (
    <li className={styles.entry} data-selected={isSelected}>
      <span className={styles.mark}>
        <Icon name={isSelected ? 'dot' : 'ring'} />
        <span className={styles.number}>{at}</span>
      </span>
      <div className={styles.what}>
        <Headline {...props} />
        {view === 'compact' ? <Compact entry={entry} /> : null}
        {view === 'full' ? <Full entry={entry} /> : null}
        {view === 'json' ? (
          <pre className={styles.json}>{JSON.stringify(entry, null, 2)}</pre>
        ) : null}
      </div>
      <span className={styles.when}>
        <Time at={entry.at} as={view === 'compact' || view === 'plain' ? 'relative' : 'exact'} />
      </span>
    </li>
  );
}
