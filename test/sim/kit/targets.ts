import type { PostToTarget } from '../../../src/ops/deliverer.ts';
import { isToldWebhook } from '../memory/deliveries.ts';
import type { SimProcess } from './process.ts';
import type { World } from './world.ts';

/* The targets of webhooks, and the check that each of them received every event. */

type Answer = Awaited<ReturnType<PostToTarget>>;

/** Makes one delivery: the target accepts it, refuses it, or accepts it but its answer gets lost. */
async function exchange(world: World, url: string, messageId: string): Promise<Answer> {
  const { clock, weather, taken } = world;
  await clock.pass(weather.hopMs());
  if (weather.strikes('target-away')) throw new Error('connection refused');
  if (weather.strikes('target-refuses')) {
    const status = weather.random.pick([500, 503, 302, 410]);
    return { status, retryAfterMs: status === 503 ? 2_000 : null };
  }
  const before = taken.get(url) ?? new Set();
  taken.set(url, before.add(messageId));
  if (weather.strikes('target-hangs')) await clock.pass(60_000);
  await clock.pass(weather.hopMs());
  return { status: 204, retryAfterMs: null };
}

/**
 * Returns a function that posts to targets as a process of Tenure does, but without host names, addresses or sockets.
 */
export const postTo =
  (world: World, process: SimProcess, timeoutMs: number): PostToTarget =>
  (url, headers, _body, signal) =>
    new Promise((resolve, reject) => {
      const giveUp = setTimeout(() => reject(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
      const end = (settle: () => void) => {
        clearTimeout(giveUp);
        settle();
      };
      signal.addEventListener('abort', () => end(() => reject(new Error('given up'))), {
        once: true,
      });
      process
        .call(() => exchange(world, url, headers['webhook-id'] ?? ''))
        .then(
          (answer) => end(() => resolve(answer)),
          (error: unknown) => end(() => reject(error)),
        );
    });

/**
 * Yields each pair of an active webhook and an event for which none of these is true: the webhook received the event,
 * the delivery is still being tried, or it was given up.
 */
export function* untold({ database: { contents }, watcher, taken }: World): Generator<string> {
  for (const { id, url, party, types, afterSeq, isEnabled } of contents.webhooks()) {
    if (!isEnabled) continue;
    const deliveries = new Map(
      contents.deliveries().flatMap((row) => (row.webhookId === id ? [[row.messageId, row]] : [])),
    );
    const newest = watcher.newestAtBirth.get(id) ?? 0n;
    const since = newest > afterSeq ? newest : afterSeq;
    for (const event of watcher.events.values()) {
      const isWanted = event.parties.includes(party) && isToldWebhook(event.type, types);
      if (event.seq <= since || !isWanted) continue;
      const messageId = `evt_${event.seq}`;
      const delivery = deliveries.get(messageId);
      const isTaken = taken.get(url)?.has(messageId) === true;
      if (delivery === undefined && !isTaken) yield `${id} was never told of event ${event.seq}`;
      if (delivery?.state === 'delivered' && !isTaken) {
        yield `${messageId} is said to be delivered to ${id}, which has not taken it`;
      }
    }
  }
}

/** Returns whether every event has a number, and a delivery for each webhook that wants it. */
export const isFannedOut = ({ database: { contents } }: World): boolean =>
  contents.unnumbered() === 0 && contents.isFannedOut();
