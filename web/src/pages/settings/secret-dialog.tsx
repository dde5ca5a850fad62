import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { Time } from '../../parts/time.tsx';
import * as t from '../../texts/webhooks.tsx';
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
    <Dialog title={t.theSecretOfTheWebhook} onClose={onClose}>
      <p>{t.copyTheSecretNowToThe}</p>
      <p className={styles.secret}>
        <code>{secret}</code>
        <CopyButton text={secret} what={t.secret} />
      </p>
      {previousSecretUntil === undefined ? null : (
        <p>{t.thePreviousSecretAlsoSigns(<Time at={previousSecretUntil} as="exact" />)}</p>
      )}
      <DialogFoot>
        <Button look="primary" onClick={onClose}>
          {t.iHaveCopiedIt}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
