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
import { SessionFilters } from './session-filters.tsx';

type Session = components['schemas']['Session'];

const columnsFor = (end: (session: Session) => void): readonly Column<Session>[] => [
  {
    name: 'Person',
    as: 'grow',
    cell: ({ name, subject }) => <span title={subject}>{name || shortId(subject)}</span>,
  },
  { name: 'Party', cell: ({ party }) => <Party party={party} /> },
  { name: 'Signed in', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Last used', cell: ({ seenAt }) => <Time at={seenAt} /> },
  { name: 'Ends', cell: ({ endsAt }) => <Time at={endsAt} /> },
  {
    name: 'Action',
    cell: (session) => (
      <Button isSmall icon="out" onClick={() => end(session)}>
        End session
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
      title={`End the session of ${name}`}
      verb="End session"
      look="danger"
      url={`/ops/sessions/${id}:end`}
      cli={`tenure ops end-session ${id}`}
      topics={['session', 'desk']}
      onClose={onClose}
    >
      <p>
        {isCurrent
          ? 'This is your session in this browser. You sign in again afterwards.'
          : 'The person signs in again in that browser. Accepted operations continue.'}
      </p>
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
      title="Sessions"
      lead="The browsers in which persons are signed in. A program with a token has no session."
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
        label="Sessions of persons"
        keyOf={({ id }) => id}
        columns={columnsFor(setEnding)}
        empty={
          <Empty title="No session matches.">
            <p>The party and the subject must be complete.</p>
          </Empty>
        }
      />
      {ending === null ? null : <EndDialog session={ending} onClose={() => setEnding(null)} />}
    </Page>
  );
}
