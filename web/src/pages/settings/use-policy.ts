import { useEffect, useState } from 'react';
import { useWrite } from '../../acts/use-write.ts';
import type { WriteState } from '../../acts/use-write.ts';
import type { Answer } from '../../api/client.ts';
import { write } from '../../api/client.ts';
import type { PolicyConfirmation, PolicyPreview } from './confirm-policy.tsx';

/** A policy as the API shows it. The version is in the body, because a proxy may change or drop the header. */
type Versioned<T> = T & { readonly version: number };

/** A policy as it was read or saved, with the version that it had. */
interface Base<T> {
  readonly policy: T;
  readonly version: number;
  /** The version that was read before this one was saved here: no news, until the saved one is read. */
  readonly replaced?: number;
}

function baseOf<T>({ version, ...policy }: Versioned<T>): Base<T> {
  return { policy: policy as unknown as T, version };
}

interface UsePolicy<T> {
  /** The values in the form. */
  readonly form: T;
  readonly set: (over: Partial<T>) => void;
  readonly isChanged: boolean;
  readonly state: WriteState;
  /** The other values, where another person has saved since the form was filled. */
  readonly others: T | null;
  /** Saves what ends nothing; for the rest it shows what it would end, to be confirmed. */
  readonly save: () => void;
  /** To be confirmed. */
  readonly preview: PolicyPreview | null;
  readonly confirm: (confirmation: PolicyConfirmation) => void;
  readonly cancel: () => void;
  /** Fills the form with what is saved. */
  readonly reload: () => void;
  /** Goes on with the form, over what another person has saved and this one has seen. */
  readonly keepMine: () => void;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * The form of a policy that is replaced as a whole. It remembers the version that it was filled from, so that it never
 * overwrites another person's change unseen.
 */
export function usePolicy<T extends object>(url: string, read: Answer<Versioned<T>>): UsePolicy<T> {
  const newest = baseOf<T>(read.data);
  const [base, setBase] = useState<Base<T>>(newest);
  const [edited, setEdited] = useState<T | null>(null);
  const [preview, setPreview] = useState<PolicyPreview | null>(null);
  const { state, send, reset } = useWrite('policy');
  const isOutdated = newest.version !== base.version && newest.version !== base.replaced;
  const reload = (): void => {
    setBase(newest);
    setEdited(null);
    reset();
  };
  // An untouched form follows what is saved. So does one that says the same: its own change whose answer was lost.
  if (isOutdated && (edited === null || isSame(edited, newest.policy))) reload();
  const form = edited ?? base.policy;
  const put = async (confirmation?: PolicyConfirmation): Promise<void> => {
    const { version } = base;
    const body = { ...form, version, ...(confirmation === undefined ? {} : { confirmation }) };
    const end = await send({ method: 'PUT', url, body });
    if (end.kind !== 'done') return;
    setPreview(null);
    setBase({ ...baseOf(end.answer.body as Versioned<T>), replaced: newest.version });
    setEdited(null);
  };
  const save = async (): Promise<void> => {
    const end = await send({ method: 'POST', url: `${url}/preview`, body: form });
    if (end.kind !== 'done') return;
    const seen = end.answer.body as PolicyPreview;
    reset();
    if (seen.isConfirmationNeeded) setPreview(seen);
    else await put();
  };
  return {
    form,
    set: (over) => {
      setEdited({ ...form, ...over });
      if (state.kind !== 'idle' && state.kind !== 'sending') reset();
    },
    isChanged: edited !== null && !isSame(edited, base.policy),
    state,
    others: edited !== null && isOutdated && !isSame(edited, newest.policy) ? newest.policy : null,
    save: () => void save(),
    preview,
    confirm: (confirmation) => void put(confirmation),
    cancel: () => {
      setPreview(null);
      reset();
    },
    reload,
    keepMine: () => {
      setBase(newest);
      reset();
    },
  };
}

/** How long a form rests before it is previewed. */
const REST_MS = 400;

/** The preview of the form as it is now; `null` while the form is saved, wrong or not previewed yet. */
export function useProposal(url: string, form: object, isProposed: boolean): PolicyPreview | null {
  const [seen, setSeen] = useState<{ text: string; preview: PolicyPreview } | null>(null);
  const text = JSON.stringify(form);
  useEffect(() => {
    if (!isProposed) return undefined;
    let isOver = false;
    const timer = setTimeout(() => {
      const ask = { method: 'POST', url: `${url}/preview`, body: JSON.parse(text) } as const;
      // The form says what is wrong with it, and saving says the rest.
      const written = write(ask).catch(() => null);
      void written.then((answer) => {
        if (!isOver && answer !== null) setSeen({ text, preview: answer.body as PolicyPreview });
        return undefined;
      });
    }, REST_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [url, text, isProposed]);
  return isProposed && seen?.text === text ? seen.preview : null;
}
