import type { WallClock } from '../app/ports/clocks.ts';
import type { Io, Log } from '../app/ports/io.ts';
import { Wakeup, sleep } from '../app/ports/wakeup.ts';
import type { Deliveries } from '../app/ports/webhooks.ts';
import { errorText } from '../domain/error-text.ts';
import { signedHeaders } from '../domain/webhook-signature.ts';
import { OPS_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import { MAIL_TYPES } from '../domain/mail.ts';
import type { ClaimedDelivery } from '../domain/webhook.ts';
import { afterAttempt } from '../domain/webhook.ts';
import { Turns } from './turns.ts';

/**
 * Sends one request to a target. If there is no answer, rejects with a message for the party that chose the target.
 *
 * @returns `null` if the request could not be tried now, for a reason that is not the target's
 */
export type PostToTarget = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly retryAfterMs: number | null } | null>;

/**
 * Sends the mails of a delivery. Any answer completes the delivery; its `error` lists the messages that were
 * permanently refused.
 */
export type SendMails = (
  delivery: ClaimedDelivery,
  signal: AbortSignal,
) => Promise<{
  readonly status: number;
  readonly retryAfterMs: null;
  readonly error: string | null;
}>;

const noMail: SendMails = async () => {
  throw new Error('mail is not configured in this process');
};

export interface DelivererDeps {
  readonly deliveries: Deliveries;
  readonly post: PostToTarget;
  /** `null` if mail is not configured. @default null */
  readonly mail?: SendMails | null;
  readonly wallClock: WallClock;
  readonly random: () => number;
  readonly log: Log;
}

export interface Deliverer {
  /** Ends the wait for work. Called when deliveries may be due. */
  wake(): void;
  /** Aborts the deliveries in progress; a running process will try them again. */
  stop(): Promise<void>;
}

const ioWithin = (signal: AbortSignal): Io => ({ signal, deadlineMs: LIMITS.databaseStatementMs });

const wordsOf = (error: unknown): string =>
  errorText(error).slice(0, OPS_LIMITS.webhookErrorCharsMax);

async function attempt(
  { deliveries, post, mail, wallClock, random, log }: DelivererDeps,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<void> {
  const { webhookId, messageId, body, secrets, url, contentType } = delivery;
  const beganMs = performance.now();
  const headers = {
    ...signedHeaders(messageId, body, secrets, wallClock.nowMs()),
    'content-type': contentType,
    'user-agent': 'tenure',
  };
  const isMail = Object.hasOwn(MAIL_TYPES, url);
  const sent = isMail ? (mail ?? noMail)(delivery, signal) : post(url, headers, body, signal);
  const answer = await sent.then(
    (answered) => (answered === null ? null : { error: null, ...answered }),
    (error: unknown) => ({ status: null, retryAfterMs: null, error: wordsOf(error) }),
  );
  if (signal.aborted) return;
  if (answer === null) return deliveries.putOff(delivery, ioWithin(signal));
  const { status, retryAfterMs, error } = answer;
  const after = afterAttempt(delivery.attempt, status, retryAfterMs, random());
  const attempted = { ms: performance.now() - beganMs, status, error };
  const reason = await deliveries.report(delivery, attempted, after, ioWithin(signal));
  if (reason !== null) log.warn({ webhookId, reason }, 'a webhook was disabled');
}

/**
 * Delivers events to their targets; any number of processes may do so. A process claims a delivery for longer than one
 * try takes. So if the process dies, no delivery is lost, and at most the deliveries in progress are sent twice.
 */
export function startDeliverer(deps: DelivererDeps): Deliverer {
  const stopping = new AbortController();
  const { signal } = stopping;
  const wakeup = new Wakeup();
  const turns = new Turns();
  const running = new Set<Promise<void>>();
  const begin = (delivery: ClaimedDelivery): void => {
    const { webhookId } = delivery;
    const beganMs = performance.now();
    turns.begin(webhookId);
    const done = attempt(deps, delivery, signal)
      .catch((error: unknown) => {
        if (signal.aborted) return;
        deps.log.warn(
          { webhookId, error: String(error) },
          'the result of a delivery could not be recorded',
        );
      })
      .finally(() => {
        turns.end(webhookId, performance.now() - beganMs);
        running.delete(done);
        wakeup.wake();
      });
    running.add(done);
  };
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      const free = LIMITS.webhookTriesOfAllMax - running.size;
      try {
        const { hands } = turns;
        const claimed = free > 0 ? await deps.deliveries.claim(free, hands, ioWithin(signal)) : [];
        for (const delivery of claimed) begin(delivery);
        // Retries become due without a notification, so the wait has a time limit.
        const { webhookPollMs, webhookLookMs } = OPS_LIMITS;
        await wakeup.wait(hands.size > 0 ? webhookPollMs : webhookLookMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        deps.log.warn({ error: String(error) }, 'due deliveries could not be read');
        await sleep(OPS_LIMITS.webhookPollMs, signal);
      }
    }
  };
  const done = work();
  return {
    wake: () => wakeup.wake(),
    async stop() {
      stopping.abort();
      await done;
      await Promise.all(running);
    },
  };
}
