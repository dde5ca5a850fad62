import { useEffect, useState } from 'react';
import { useCommand } from '../../acts/use-command.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyAs, Party } from '../../parts/copy.tsx';
import { TextArea } from '../../parts/field.tsx';
import { Section } from '../../parts/page.tsx';
import { ProblemText, Shown } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { countWords, refusalWords, sentence } from '../../parts/words.ts';
import type { Action } from './actions.tsx';
import styles from './life.module.css';
import type { Comment } from './use-comments.ts';
import { useComments } from './use-comments.ts';

/** Number of comments that are shown at first, and that each "older" button adds. */
const STEP = 20;
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
          <span>written by another program: belongs to any licence № {licenseNum}</span>
        ) : null}
      </header>
      <p className={styles.text}>{body}</p>
    </li>
  );
}

/** A form for a comment on a licence. The comment takes effect once, even if the connection breaks. */
function CommentForm({ action, label }: { readonly action: Action; readonly label: string }) {
  const [text, setText] = useState('');
  const { commandId, command, send, renew } = useCommand(`comment ${action.href}`);
  const state = command?.state;
  useEffect(() => {
    if (state !== 'succeeded') return;
    setText('');
    renew();
    // The next comment is a new command. `renew` is left out of the dependencies, because it is new in every render.
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
        send({ label, done: 'Comment added.', url: action.href, body: { body: text } });
      }}
    >
      <TextArea
        label="Add a comment"
        value={text}
        maxLength={CHARS_MAX}
        rows={2}
        hint="The other side can read it. You cannot delete it."
        onChange={setText}
      />
      {isOpen ? (
        <p role="status">
          <Badge tone="info">Sent to the ledger</Badge> {command?.waiting}
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
  /** The name of the licence. */
  readonly license: string;
  readonly hasEnded: boolean;
  readonly action: Action | undefined;
}

/** The newest comments, in order of time, with a button that shows older ones. */
function CommentList({ all }: { readonly all: readonly Comment[] }) {
  const [count, setCount] = useState(STEP);
  const older = Math.max(0, all.length - count);
  return (
    <>
      {older === 0 ? null : (
        <Button isSmall onClick={() => setCount(count + STEP)}>
          {`Show older comments (${countWords(older)})`}
        </Button>
      )}
      <ol className={styles.comments}>
        {all.slice(older).map((comment) => (
          <CommentItem key={comment.contractId} comment={comment} />
        ))}
      </ol>
    </>
  );
}

/** The comments of both parties on a licence, and a form for a new one. */
export function Comments({ contractId, license, hasEnded, action }: CommentsProps) {
  const comments = useComments(contractId);
  return (
    <Section title="Comments" isCard>
      <Shown of={comments} lines={2}>
        {(all) =>
          all.length === 0 ? (
            <p className={styles.muted}>{hasEnded ? 'No comments.' : 'No comments yet.'}</p>
          ) : (
            <CommentList all={all} />
          )
        }
      </Shown>
      {hasEnded || action === undefined ? null : (
        <CommentForm action={action} label={`Comment on licence ${license}`} />
      )}
    </Section>
  );
}
