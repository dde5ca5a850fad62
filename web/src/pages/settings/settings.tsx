import { useState } from 'react';
import { WriteDialog } from '../../acts/write-state.tsx';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyAs } from '../../parts/copy.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time, exactTime } from '../../parts/time.tsx';
import { preferences } from '../../preferences.ts';
import { useSignal } from '../../signal.ts';
import * as t from '../../texts/settings.ts';

type Session = components['schemas']['Session'];

const columnsFor = (end: (session: Session) => void): readonly Column<Session>[] => [
  { name: t.signedIn, as: 'grow', cell: ({ createdAt }) => <Time at={createdAt} as="exact" /> },
  { name: t.lastUsed, cell: ({ seenAt }) => <Time at={seenAt} /> },
  { name: t.ends, cell: ({ endsAt }) => <Time at={endsAt} /> },
  {
    name: t.browser,
    cell: (session) =>
      session.isCurrent ? (
        <Badge tone="good">{t.thisBrowser}</Badge>
      ) : (
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

/** The dialog that asks whether the person wants to end a session in another browser. */
function EndDialog({ session: { id, createdAt }, onClose }: EndDialogProps) {
  const { zone } = useSignal(preferences);
  return (
    <WriteDialog
      title={t.endThisSession}
      verb={t.endSession}
      write={{ method: 'DELETE', url: `/user/sessions/${id}` }}
      topics={['session']}
      onClose={onClose}
    >
      <p>{t.theBrowserThatSignedInOn(exactTime(createdAt, zone))}</p>
    </WriteDialog>
  );
}

/** The page of the person's sessions. Theme, time zone and row height are set in the menu of every page. */
export function SettingsPage() {
  const [ending, setEnding] = useState<Session | null>(null);
  const sessions = useRead('/user/sessions', {}, { topics: ['session'], everyMs: 30_000 });
  return (
    <Page
      title={t.settings}
      lead={t.ifYouDoNotRecogniseA}
      acts={<CopyAs url={addressOf('/user/sessions', {})} />}
    >
      <Section title={t.whereYouAreSignedIn}>
        <Shown of={sessions} lines={2}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title={t.youHaveNoSession}>
                <p>{t.aSessionBeginsWhenYouSign}</p>
              </Empty>
            ) : (
              <Table
                label={t.yourSessions}
                rows={data}
                keyOf={({ id }) => id}
                columns={columnsFor(setEnding)}
              />
            )
          }
        </Shown>
      </Section>
      {ending === null ? null : <EndDialog session={ending} onClose={() => setEnding(null)} />}
    </Page>
  );
}
