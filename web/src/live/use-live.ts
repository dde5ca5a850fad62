import { useEffect } from 'react';
import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { nudge } from '../acts/drive.ts';
import type { Topic } from '../api/use-read.ts';
import type { LiveEvent, Told } from './shared-events.ts';
import { followEvents } from './shared-events.ts';
import { topicsOf } from './topics.ts';

/** Events that arrive within this time after the first one cause a single further read. */
const GATHER_MS = 150;

const topicsIn = (meta: Readonly<Record<string, unknown>> | undefined): readonly Topic[] =>
  (meta?.['topics'] as readonly Topic[] | undefined) ?? [];

/**
 * Makes pages read again after events: immediately after the first event, and once for all events that follow it within
 * `GATHER_MS`.
 */
class Refreshing {
  readonly #client: QueryClient;
  #isAll = false;
  #topics = new Set<Topic>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: QueryClient) {
    this.#client = client;
  }

  hear(told: Told): void {
    if (told.kind === 'gap') this.#isAll = true;
    else this.#take(told.event);
    if (this.#timer !== undefined) return;
    this.#flush();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, GATHER_MS);
  }

  #take(event: LiveEvent): void {
    for (const topic of topicsOf(event)) this.#topics.add(topic);
    const { commandId } = event.data;
    if (typeof commandId === 'string') nudge(commandId);
  }

  #flush(): void {
    const [isAll, topics] = [this.#isAll, this.#topics];
    if (!isAll && topics.size === 0) return;
    [this.#isAll, this.#topics] = [false, new Set()];
    void this.#client.invalidateQueries({
      predicate: ({ meta }) => {
        const shown = topicsIn(meta);
        return shown.length > 0 && (isAll || shown.some((topic) => topics.has(topic)));
      },
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Keeps everything on the page up to date while there is a session. */
export function useLive(isSignedIn: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isSignedIn) return undefined;
    const refreshing = new Refreshing(client);
    const stop = followEvents((told) => refreshing.hear(told));
    return () => {
      stop();
      refreshing.stop();
    };
  }, [client, isSignedIn]);
}
