import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Write, Written } from '../api/client.ts';
import { write } from '../api/client.ts';
import { ProblemError } from '../api/problem.ts';
import type { Topic } from '../api/use-read.ts';

/*
 * Changes without a command ID: webhooks, policies, tenants. A repeated request would be a second change, so each
 * request is sent once. If there is no answer, it is not known whether the change was made, and the page is read again.
 */

export type WriteState =
  | { readonly kind: 'idle' | 'sending' }
  | { readonly kind: 'done'; readonly answer: Written }
  | { readonly kind: 'refused'; readonly error: ProblemError }
  /** The change may have been made. `why`: the error message of a server that failed; null without an answer. */
  | { readonly kind: 'unknown'; readonly why: string | null };

const IDLE: WriteState = { kind: 'idle' };

/**
 * Whether a change was refused. A server error is not a refusal, because the server may have made the change before it
 * failed.
 */
const isRefusal = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && error.status < 500;

export interface UseWrite {
  readonly state: WriteState;
  /** Sends the change, unless a request is in progress. @returns the result */
  readonly send: (what: Write) => Promise<WriteState>;
  readonly reset: () => void;
}

/**
 * Returns `send`, which sends a change of data with these topics. After a success, or if the result is unknown, all
 * data with these topics is read again.
 */
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
    // 412 means that another person has changed the data.
    if (end.kind !== 'refused' || end.error.status === 412) readAgain();
    return end;
  };
  return { state, send, reset: () => setState(IDLE) };
}
