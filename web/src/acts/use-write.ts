import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Write, Written } from '../api/client.ts';
import { write } from '../api/client.ts';
import { ProblemError } from '../api/problem.ts';
import type { Topic } from '../api/use-read.ts';

/*
 * Changes that have no command ID: webhooks, policies, tenants. Nothing would keep a second one from being another
 * change, so each is sent once. Where no answer comes, it is not known whether it was made, and the page reads again.
 */

export type WriteState =
  | { readonly kind: 'idle' | 'sending' }
  | { readonly kind: 'done'; readonly answer: Written }
  | { readonly kind: 'refused'; readonly error: ProblemError }
  /** `why`: what a server that failed has said. */
  | { readonly kind: 'unknown'; readonly why: string | null };

const IDLE: WriteState = { kind: 'idle' };

/** A server that failed may have made the change before. */
const isRefusal = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && error.status < 500;

export interface UseWrite {
  readonly state: WriteState;
  /** Sends it unless it is being sent. @returns what it ended as */
  readonly send: (what: Write) => Promise<WriteState>;
  readonly reset: () => void;
}

/** One change of what has these topics; afterwards, and where its end is not known, all of that is read again. */
export function useWrite(...topics: readonly Topic[]): UseWrite {
  const client = useQueryClient();
  const [state, setState] = useState<WriteState>(IDLE);
  const isSending = useRef(false);
  const readAgain = (): void =>
    void client.invalidateQueries({
      predicate: ({ meta }) =>
        ((meta?.['topics'] as readonly Topic[] | undefined) ?? []).some((one) =>
          topics.includes(one),
        ),
    });
  const send = async (what: Write): Promise<WriteState> => {
    if (isSending.current) return state;
    isSending.current = true;
    setState({ kind: 'sending' });
    let end: WriteState;
    try {
      end = { kind: 'done', answer: await write(what) };
    } catch (error) {
      end = isRefusal(error)
        ? { kind: 'refused', error }
        : { kind: 'unknown', why: error instanceof ProblemError ? error.message : null };
    }
    isSending.current = false;
    setState(end);
    // 412: another person has changed it.
    if (end.kind !== 'refused' || end.error.status === 412) readAgain();
    return end;
  };
  return { state, send, reset: () => setState(IDLE) };
}
