import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { Time } from '../../parts/time.tsx';
import styles from './settings.module.css';

/** The members of an answer that contains a secret. */
export interface Secret {
  readonly secret: string;
  readonly previousSecretUntil?: string;
}

export function secretIn(body: unknown): Secret | null {
  const found = body as Partial<Secret> | null;
  return typeof found?.secret === 'string' ? (found as Secret) : null;
}

/** Shows a secret, which the API sends only once. */
export function SecretDialog({
  of,
  onClose,
}: {
  readonly of: Secret;
  readonly onClose: () => void;
}) {
  const { secret, previousSecretUntil } = of;
  return (
    <Dialog title="The secret of the webhook" onClose={onClose}>
      <p>
        Copy the secret now to the receiver, which verifies signatures with it. The secret is shown
        only once. Later, you can only create a new one.
      </p>
      <p className={styles.secret}>
        <code>{secret}</code>
        <CopyButton text={secret} what="secret" />
      </p>
      {previousSecretUntil === undefined ? null : (
        <p>
          The previous secret also signs until <Time at={previousSecretUntil} as="exact" />.
        </p>
      )}
      <DialogFoot>
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
