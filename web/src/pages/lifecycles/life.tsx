import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useRoles } from '../../api/caller.tsx';
import type { ReactNode } from 'react';
import type { Topic } from '../../api/use-read.ts';
import { useRead } from '../../api/use-read.ts';
import type { HistoryEntry } from '../../chart/history.tsx';
import { History } from '../../chart/history.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Party } from '../../parts/copy.tsx';
import { Note } from '../../parts/note.tsx';
import { Columns, Disclosure, Page, RawJson, Section } from '../../parts/page.tsx';
import { Shown } from '../../parts/states.tsx';
import { Readable, Time, useReadable } from '../../parts/time.tsx';
import { refusalWords } from '../../parts/words.ts';
import { HERE } from '../../paths.ts';
import type { Path } from '../../paths.ts';
import { LifecycleChart } from '../../chart/statechart.tsx';
import { Actions, useOpenAct } from './actions.tsx';
import type { Offers } from './actions.tsx';
import styles from './life.module.css';
import { endingOf, stateBadge } from '../../parts/life-words.ts';
import type { Kind } from '../../parts/life-words.ts';

const READS = {
  'install-request': [
    '/app-install-requests/{contractId}/actions',
    '/app-install-requests/{contractId}/history',
  ],
  install: ['/app-installs/{contractId}/actions', '/app-installs/{contractId}/history'],
  license: ['/licenses/{contractId}/actions', '/licenses/{contractId}/history'],
  renewal: [
    '/license-renewal-requests/{contractId}/actions',
    '/license-renewal-requests/{contractId}/history',
  ],
} as const;

export const TOPICS_OF: Readonly<Record<Kind, readonly Topic[]>> = {
  'install-request': ['install-request'],
  install: ['install', 'license'],
  license: ['license', 'renewal'],
  renewal: ['renewal', 'license'],
};

/** Reads the actions of one lifecycle. */
export function useActions(kind: Kind, contractId: string, enabled = true) {
  // Polls, because a deadline that passes changes the allowed actions without an event.
  return useRead(
    READS[kind][0],
    { path: { contractId } },
    { topics: [...TOPICS_OF[kind], 'operation'], everyMs: 30_000, enabled },
  );
}

/** Reads the history of one lifecycle. */
export const useHistory = (kind: Kind, contractId: string) =>
  useRead(
    READS[kind][1],
    { path: { contractId } },
    { topics: [...TOPICS_OF[kind], 'comment'], isWhole: true },
  );

/** Members that the body of every lifecycle has. */
interface Life {
  readonly contractId: string;
  readonly lifecycleId?: string;
  readonly state?: string;
  readonly machineVersion?: number;
}

/** Returns the ID for the page's address. It stays the same when a step replaces the contract. */
export const stableId = ({ lifecycleId, contractId }: Life): string => lifecycleId ?? contractId;

/** Returns who ended a lifecycle and why. Histories of an earlier version have this data in the last entry but one. */
function endOf(entries: readonly HistoryEntry[]) {
  const [last, before] = [entries.at(-1), entries.at(-2)];
  const said = (name: string): string | null => {
    const value = last?.detail[name] ?? before?.detail[name];
    return typeof value === 'string' ? value : null;
  };
  const named = last?.detail['endedBy'];
  const asked = last?.by ?? before?.by;
  const by = Array.isArray(named) ? named.map(String) : asked === undefined ? [] : [asked];
  return { by, policy: said('policy'), reason: said('reason') };
}

interface EndedProps {
  readonly kind: Kind;
  readonly state: string | undefined;
  readonly entries: readonly HistoryEntry[];
  readonly acts?: ReactNode;
}

/** Says how a lifecycle ended: when, by whom and why. */
export function EndedNote({ kind, state, entries, acts }: EndedProps) {
  const ending = endingOf(kind, state);
  if (ending === null) return null;
  const last = entries.at(-1);
  const { by, policy, reason } = endOf(entries);
  return (
    <Note tone={stateBadge(kind, state)[0]} title={ending.title} acts={acts}>
      <p>{ending.text} No further actions are possible.</p>
      {last === undefined ? null : (
        <p>
          <Time at={last.at} as="exact" />
          {policy === null ? null : `, by the ${policy} policy of`}
          {by.map((party, at) => (
            <Fragment key={party}>
              {at === 0 && policy !== null ? ' ' : at === 0 ? ', by ' : ' and '}
              <Party party={party} />
            </Fragment>
          ))}
          {reason === null ? (
            '.'
          ) : (
            <>
              : <Readable text={reason} />
            </>
          )}
        </p>
      )}
    </Note>
  );
}

/** Returns the index of the history entry that the address selects, and a function that selects another entry. */
export function useMoment(): readonly [number | null, (at: number | null) => void] {
  const { at } = useSearch({ strict: false });
  const navigate = useNavigate();
  const go = (moment: number | null): void =>
    void navigate({
      to: HERE,
      search: (({ at: _before, ...rest }: Readonly<Record<string, unknown>>) =>
        moment === null ? rest : { ...rest, at: String(moment) }) as never,
      replace: true,
      resetScroll: false,
    });
  const index = at === undefined ? Number.NaN : Number(at);
  return [Number.isSafeInteger(index) && index >= 0 ? index : null, go];
}

/** Scrolls to the form of an act that has no dialog, and focuses its field. */
function leadTo(act: string): void {
  const field = document.querySelector<HTMLElement>(`[data-act='${CSS.escape(act)}'] textarea`);
  field?.scrollIntoView({ block: 'center' });
  field?.focus({ preventScroll: true });
}

interface MachineProps {
  readonly kind: Kind;
  readonly life: Life;
  readonly offers: Offers;
}

/** The chart of the lifecycle's machine, with its present state and the allowed actions. */
function Machine({ kind, life, offers }: MachineProps) {
  const actions = useActions(kind, stableId(life));
  const history = useHistory(kind, stableId(life));
  const [moment, goTo] = useMoment();
  const [, open] = useOpenAct();
  const readable = useReadable();
  if (life.machineVersion === undefined || history.data === undefined) return null;
  return (
    <Section title="Lifecycle" isCard>
      <LifecycleChart
        kind={kind}
        version={life.machineVersion}
        state={life.state ?? ''}
        history={history.data.data}
        actions={(actions.data?.data ?? []).map((action) => ({
          ...action,
          reason: action.reason === undefined ? undefined : readable(refusalWords(action.reason)),
        }))}
        selected={moment}
        onSelect={goTo}
        onAct={(act) => (offers[act] === undefined ? leadTo(act) : open(act))}
      />
    </Section>
  );
}

interface LifePageProps {
  readonly kind: Kind;
  readonly life: Life;
  readonly title: string;
  readonly list: { readonly to: Path; readonly name: string };
  readonly badge?: ReactNode;
  readonly offers: Offers;
  readonly more?: ReactNode;
  /** The page's data as a call of the API. Users find this under the details. */
  readonly copyAs: ReactNode;
  /** The next step while the lifecycle is active. */
  readonly next?: ReactNode;
  /** Buttons for what to do after the end. */
  readonly endedActs?: ReactNode;
  readonly children: ReactNode;
  /** Content below the machine. */
  readonly after?: ReactNode;
}

/** The page of one lifecycle: its data, the next step, its machine and its history. */
export function LifePage(props: LifePageProps) {
  const { kind, life, title, list, badge, offers, more, copyAs, next, endedActs } = props;
  const { children, after } = props;
  const actions = useActions(kind, stableId(life));
  const history = useHistory(kind, stableId(life));
  const isProvider = useRoles().has('provider');
  const [moment, goTo] = useMoment();
  const [tone, words] = stateBadge(kind, life.state);
  const hasEnded = endingOf(kind, life.state) !== null;
  const allowed = actions.data?.data ?? [];
  return (
    <Page
      title={title}
      crumb={<Link to={list.to}>{list.name}</Link>}
      badge={hasEnded || badge === undefined ? <Badge tone={tone}>{words}</Badge> : badge}
      acts={
        <>
          <Actions actions={allowed} offers={offers} isOver={hasEnded} />
          {more}
          {isProvider ? copyAs : null}
        </>
      }
    >
      {hasEnded ? (
        <EndedNote
          kind={kind}
          state={life.state}
          entries={history.data?.data ?? []}
          acts={endedActs}
        />
      ) : (
        next
      )}
      <Columns>
        <div className={styles.stack}>
          {children}
          {isProvider ? <Machine kind={kind} life={life} offers={offers} /> : null}
          {after}
        </div>
        <Section title="History" isCard>
          <Shown of={history}>
            {({ data }) => <History entries={data} selected={moment} onSelect={goTo} />}
          </Shown>
        </Section>
      </Columns>
      {isProvider ? (
        <RawJson value={life} />
      ) : (
        <Disclosure title="Details">
          <div className={styles.acts}>{copyAs}</div>
          <Machine kind={kind} life={life} offers={offers} />
          <RawJson value={life} />
        </Disclosure>
      )}
    </Page>
  );
}
