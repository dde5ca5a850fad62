import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useCommand } from '../../acts/use-command.ts';
import type { components } from '../../api/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyAs, Party } from '../../parts/copy.tsx';
import { TextArea } from '../../parts/field.tsx';
import { Section } from '../../parts/page.tsx';
import { ProblemText, Shown } from '../../parts/states.tsx';
import { Paged } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { refusalWords, sentence } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import type { Action } from './actions.tsx';
import styles from './life.module.css';
import { useNarrow } from './list.tsx';

type Comment = components['schemas']['LicenseComment'];

const LIMIT = 50;
const CHARS_MAX = 10_000;

function CommentItem({ comment }: { readonly comment: Comment }) {
  const { commenter, provider, createdAt, body, licenseNum, licenseLifecycleId } = comment;
  return (
    <li className={styles.comment}>
      <header>
        <strong>
          <Party party={commenter} />
        </strong>
        <span>{commenter === provider ? 'provider' : 'user'}</span>
        <Time at={createdAt} />
        {licenseLifecycleId === null ? (
          <span>by another program: of any licence № {licenseNum}</span>
        ) : null}
      </header>
      <p className={styles.text}>{body}</p>
    </li>
  );
}

/** Says something about a licence. Sent once, whatever becomes of the connection. */
function CommentForm({ action, label }: { readonly action: Action; readonly label: string }) {
  const [text, setText] = useState('');
  const { commandId, command, send, renew } = useCommand(`comment ${action.href}`);
  const state = command?.state;
  useEffect(() => {
    if (state !== 'succeeded') return;
    setText('');
    renew();
    // The next one is another command; `renew` is new with every drawing.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [state]);
  const isOpen = state === 'sending' || state === 'accepted';
  const refused = action.allowed ? undefined : sentence(refusalWords(action.reason ?? 'not now'));
  return (
    <form
      className={styles.form}
      data-act="comment"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === '') return;
        send({ label, url: action.href, body: { body: text } });
      }}
    >
      <TextArea
        label="Say something"
        value={text}
        maxLength={CHARS_MAX}
        rows={2}
        hint="The other side reads it too. It stays on the ledger."
        onChange={setText}
      />
      {isOpen ? (
        <p role="status">
          <Badge tone="info">On its way to the ledger</Badge> {command?.waiting}
        </p>
      ) : null}
      {command?.problem == null ? null : <ProblemText problem={command.problem} />}
      {state === 'failed' ? (
        <Button onClick={renew}>Change and try again</Button>
      ) : (
        <div className={styles.acts}>
          <Button type="submit" refused={refused} isBusy={isOpen}>
            Comment
          </Button>
          <CopyAs
            url={`${action.href}?commandId=${commandId}`}
            method="POST"
            body={{ body: text }}
          />
        </div>
      )}
    </form>
  );
}

interface CommentsProps {
  readonly contractId: string;
  readonly licenseNum: number;
  readonly hasEnded: boolean;
  readonly action: Action | undefined;
}

/** What both sides say about a licence. */
export function Comments({ contractId, licenseNum, hasEnded, action }: CommentsProps) {
  const { cursor } = useSearch({ from: PATHS.license });
  const narrow = useNarrow();
  const query = { limit: LIMIT, ...(cursor === undefined ? {} : { cursor }) };
  const comments = useRead(
    '/licenses/{contractId}/comments',
    { path: { contractId }, query },
    { topics: ['comment', 'license'] },
  );
  return (
    <Section title="Comments" isCard>
      <Shown of={comments} lines={2}>
        {({ data, next }) =>
          data.length === 0 ? (
            <p className={styles.muted}>
              {hasEnded ? 'Nothing was said about it.' : 'Nothing has been said yet.'}
            </p>
          ) : (
            <Paged
              count={data.length}
              isFirst={cursor === undefined}
              next={next}
              onPage={(to) => narrow({ cursor: to })}
            >
              <ol className={styles.comments}>
                {data.map((comment) => (
                  <CommentItem key={comment.contractId} comment={comment} />
                ))}
              </ol>
            </Paged>
          )
        }
      </Shown>
      {hasEnded || action === undefined ? null : (
        <CommentForm action={action} label={`Comment on licence № ${licenseNum}`} />
      )}
    </Section>
  );
}
