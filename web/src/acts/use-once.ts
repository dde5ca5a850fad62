import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Write } from '../api/client.ts';
import { write } from '../api/client.ts';
import { ProblemError } from '../api/problem.ts';
import type { Problem } from '../api/problem.ts';
import type { Topic } from '../api/use-read.ts';

/*
 * Acts of operators have no command ID: each is sent once. Where no answer comes, it is not known whether it was done,
 * and the page reads again what there is.
 */

export type Sending =
  | { readonly state: 'ready' | 'sending' | 'unknown' }
  | { readonly state: 'refused'; readonly problem: Problem };

interface UseOnce {
  readonly sending: Sending;
  /** @returns the answer's body inside an object; null where there is none, or a refusal */
  readonly send: (asked: Write) => Promise<{ readonly body: unknown } | null>;
}

/** After these the server may still have done it. */
const isOpenEnd = (error: unknown): boolean =>
  !(error instanceof ProblemError) || error.status >= 500;

const problemIn = (error: ProblemError): Problem =>
  error.problem ?? ({ code: error.code, title: error.message, detail: error.message } as Problem);

export function useOnce(): UseOnce {
  const client = useQueryClient();
  const [sending, setSending] = useState<Sending>({ state: 'ready' });
  const readAgain = (): void =>
    void client.invalidateQueries({
      predicate: ({ meta }) => ((meta?.['topics'] ?? []) as readonly Topic[]).includes('desk'),
    });
  const send: UseOnce['send'] = async (asked) => {
    if (sending.state === 'sending') return null;
    setSending({ state: 'sending' });
    try {
      const { body } = await write(asked);
      setSending({ state: 'ready' });
      return { body };
    } catch (error) {
      const isOpen = isOpenEnd(error);
      setSending(
        isOpen
          ? { state: 'unknown' }
          : { state: 'refused', problem: problemIn(error as ProblemError) },
      );
      return null;
    } finally {
      readAgain();
    }
  };
  return { sending, send };
}
