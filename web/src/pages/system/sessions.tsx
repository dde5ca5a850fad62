import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { OnceDialog } from '../../acts/once-dialog.tsx';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Button } from '../../parts/button.tsx';
import { CopyAs, Party, shortId } from '../../parts/copy.tsx';
import { cliFlags } from '../../parts/flags.ts';
import { List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { PATHS } from '../../paths.ts';
import { merged } from '../../search.ts';
import * as t from '../../texts/system.tsx';
import { SessionFilters } from './session-filters.tsx';

type Session = components['schemas']['Session'];

const columnsFor = (end: (session: Session) => void): readonly Column<Session>[] => [
  {
    name: t.person,
    as: 'grow',
    cell: ({ name, subject }) => <span title={subject}>{name || shortId(subject)}</span>,
  },
  { name: t.party, cell: ({ party }) => <Party party={party} /> },
  { name: t.signedIn, cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: t.lastUsed, cell: ({ seenAt }) => <Time at={seenAt} /> },
  { name: t.ends, cell: ({ endsAt }) => <Time at={endsAt} /> },
  {
    name: t.action,
    cell: (session) => (
      <Button isSmall icon="out" onClick={() => end(session)}>
        {t.endSession}
      </Button>
    ),
  },
];

interface EndDialogProps {
  readonly session: Session;
  readonly onClose: () => void;
}

/** Asks for a reason and ends a person's session. */
function EndDialog({ session, onClose }: EndDialogProps) {
  const { id, name, isCurrent } = session;
  return (
    <OnceDialog
      title={t.endTheSessionOf(name)}
      verb={t.endSession}
      look="danger"
      url={`/ops/sessions/${id}:end`}
      cli={`tenure ops end-session ${id}`}
      topics={['session', 'desk']}
      onClose={onClose}
    >
      <p>{isCurrent ? t.thisIsYourSessionInThis : t.thePersonSignsInAgainIn}</p>
    </OnceDialog>
  );
}

/** The page of sessions: the browsers in which people are signed in. */
export function OpsSessionsPage() {
  const search = useSearch({ from: PATHS.opsSessions });
  const navigate = useNavigate({ from: PATHS.opsSessions });
  const [ending, setEnding] = useState<Session | null>(null);
  const sessions = useRead(
    '/ops/sessions',
    { query: search },
    { topics: ['session'], everyMs: 10_000 },
  );
  const change = (over: Readonly<Record<string, string | null>>): void =>
    void navigate({ search: (before) => merged(before, over) });
  const { cursor: _page, ...flags } = search;
  return (
    <Page
      title={t.sessions}
      lead={t.theBrowsersInWhichPersonsAre}
      acts={
        <CopyAs
          url={addressOf('/ops/sessions', { query: search })}
          cli={`tenure ops sessions${cliFlags(flags)}`}
        />
      }
    >
      <SessionFilters search={search} onChange={change} />
      <List
        of={sessions}
        label={t.sessionsOfPersons}
        keyOf={({ id }) => id}
        columns={columnsFor(setEnding)}
        empty={
          <Empty title={t.noSessionMatches}>
            <p>{t.thePartyAndTheSubjectMust}</p>
          </Empty>
        }
      />
      {ending === null ? null : <EndDialog session={ending} onClose={() => setEnding(null)} />}
    </Page>
  );
}
