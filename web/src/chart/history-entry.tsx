import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { components } from '../../../client/schema.ts';
import { Id, partyName } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { Time } from '../parts/time.tsx';
import { inWords, operationName } from '../parts/words.ts';
import { PATHS } from '../paths.ts';
import type { Path } from '../paths.ts';
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
  ['install-request-', PATHS.request, 'install request'],
  ['install-', PATHS.install, 'installation'],
  ['license-', PATHS.license, 'licence'],
  ['renewal-', PATHS.renewal, 'renewal'],
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
    ['Event', <code key="event">{kind}</code>],
    ...(by === undefined ? [] : [['By', <Id key="by" id={by} what="party ID" />] as const]),
    ...(commandId === undefined
      ? []
      : [
          [
            'Operation',
            <OperationLink key="operation" commandId={commandId} operation={operation} />,
          ] as const,
          ['Command', <Id key="command" id={commandId} what="command ID" />] as const,
        ]),
    ...(commandId !== undefined || typeof operation !== 'string'
      ? []
      : [['Operation', operationName(operation)] as const]),
    ...(updateId === undefined
      ? []
      : [['Update', <Id key="update" id={updateId} what="update ID" />] as const]),
    ...(contractId === undefined
      ? []
      : [['Contract', <Id key="contract" id={contractId} what="contract ID" />] as const]),
    ...(typeof through === 'string'
      ? [['Through', <Through key="through" id={through} />] as const]
      : []),
    ...(offset === undefined ? [] : [['Offset', String(offset)] as const]),
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
          operation
        </Link>
      )}{' '}
      {updateId === undefined ? null : (
        <>
          update <Id id={updateId} what="update ID" />
        </>
      )}{' '}
      {typeof through === 'string' ? (
        <>
          through <Through id={through} />
        </>
      ) : null}
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
      {by === undefined ? null : ` by ${partyName(by)}`}
    </>
  );
  if (onSelect === undefined || view === 'plain') return <p>{words}</p>;
  return (
    <button
      type="button"
      className={styles.pick}
      aria-pressed={isSelected}
      title="Show this moment in the chart"
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
