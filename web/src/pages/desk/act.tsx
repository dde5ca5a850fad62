import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { OnceDialog } from '../../acts/once-dialog.tsx';
import { addressOf } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { CopyAs, Party } from '../../parts/copy.tsx';
import { Facts, Page, RawJson, Section } from '../../parts/page.tsx';
import { One } from '../../parts/one.tsx';
import { Time } from '../../parts/time.tsx';
import { sentence } from '../../parts/words.ts';
import { Person } from '../../parts/person.tsx';
import { PATHS } from '../../paths.ts';
import type { BulkAct } from './act-parts.tsx';
import { ActBadge, actTitle, Progress } from './act-parts.tsx';
import styles from './acts.module.css';
import { filterOfAct, filterSentence } from './filter.ts';

const EVERY_MS = 1_000;
const STILL_MS = 10_000;

function Refusals({ of = [] }: { readonly of: BulkAct['refusals'] }) {
  if (of.length === 0) return <p className={styles.small}>None was refused.</p>;
  return (
    <ul className={styles.refusals}>
      {of.map(({ code, reason, count }) => (
        <li key={code}>
          <strong>{count}</strong>
          <div>
            <Link to={PATHS.errors} hash={code}>
              <code>{code}</code>
            </Link>
            <p>One of them got this answer: {sentence(reason)}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** Links to the list of results. A retry is a new operation, which the bulk act has requested. */
function Outcomes({ act }: { readonly act: BulkAct }) {
  const filter = filterOfAct(act.filter);
  const { state: _state, class: _class, code: _code, failure: _failure, ...lasting } = filter;
  return (
    <div>
      <p>
        <Link className={buttonClass()} to={PATHS.operations} search={filter}>
          Operations that match the filter now
        </Link>{' '}
        {act.action === 'retry' ? (
          <Link
            className={buttonClass()}
            to={PATHS.operations}
            search={{ commandId: 'tenure:retry:*', since: act.appliedAt }}
          >
            Retries since then
          </Link>
        ) : (
          <Link className={buttonClass()} to={PATHS.operations} search={lasting}>
            The same filter in any state
          </Link>
        )}
      </p>
      <p className={styles.small}>
        Each operation lists this act and its reason under “Operator actions”.
      </p>
    </div>
  );
}

function Loaded({ act }: { readonly act: BulkAct }) {
  const [isStopping, setStopping] = useState(false);
  const isRunning = act.state === 'running';
  return (
    <Page
      title={actTitle(act)}
      crumb={<Link to={PATHS.acts}>Bulk acts</Link>}
      badge={<ActBadge state={act.state} />}
      acts={
        <>
          <Button
            icon="stop"
            look="danger"
            refused={isRunning ? undefined : 'The act has ended'}
            onClick={() => setStopping(true)}
          >
            Stop
          </Button>
          <CopyAs
            url={addressOf('/ops/acts/{id}', { path: { id: act.id } })}
            cli={`tenure ops acts ${act.id}`}
          />
        </>
      }
    >
      <Section title="Progress" isCard>
        <Progress of={act} />
        <Facts
          of={[
            ['On', filterSentence(filterOfAct(act.filter))],
            ['Reason', act.reason],
            ['By', <Person key="by" subject={act.bySubject} />],
            ['For', <Party key="for" party={act.byParty} />],
            ['Applied', <Time key="applied" at={act.appliedAt} as="short" />],
            [
              'Over',
              act.finishedAt === undefined ? null : (
                <Time key="over" at={act.finishedAt} as="short" />
              ),
            ],
          ]}
        />
      </Section>
      <Section title="Refused operations" isCard>
        <Refusals of={act.refusals} />
      </Section>
      <Section title="Results" isCard>
        <Outcomes act={act} />
      </Section>
      <RawJson value={act} />
      {isStopping ? (
        <OnceDialog
          title="Stop this act"
          verb="Stop"
          look="danger"
          url={`/ops/acts/${act.id}:stop`}
          cli={`tenure ops stop ${act.id}`}
          isRepeatable
          onClose={() => setStopping(false)}
        >
          <p>No further operations are processed. Finished ones stay as they are.</p>
        </OnceDialog>
      ) : null}
    </Page>
  );
}

/** The page of one act on many operations, which shows its progress until it ends. */
export function ActPage() {
  const { id } = useParams({ from: PATHS.act });
  const asked = { path: { id } };
  const act = useRead('/ops/acts/{id}', asked, {
    topics: ['desk'],
    everyMs: (last) => (last?.state === 'running' ? EVERY_MS : STILL_MS),
  });
  return (
    <One of={act} name="Bulk act" list={{ to: PATHS.acts, name: 'Bulk acts' }}>
      {({ data }) => <Loaded act={data} />}
    </One>
  );
}
