import { useEffect, useState } from 'react';
import { useWrite } from '../../acts/use-write.ts';
import type { WriteState } from '../../acts/use-write.ts';
import type { Answer } from '../../api/client.ts';
import { write } from '../../api/client.ts';
import type { PolicyConfirmation, PolicyPreview } from './confirm-policy.tsx';

/** A policy as the API sends it. The version is in the body, because a proxy may change or drop the header. */
type Versioned<T> = T & { readonly version: number };

/** A policy as it was read or saved, with its version at that time. */
interface Base<T> {
  readonly policy: T;
  readonly version: number;
  /**
   * Set if this version was saved here: the version before it, which does not count as another person's change if it is
   * read once more.
   */
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
  /** The values of another person who has saved since the form was filled; null if there are none. */
  readonly others: T | null;
  /**
   * Saves a policy that ends no licence. For other policies, shows what they would end, so that the person can confirm.
   */
  readonly save: () => void;
  /** The preview that the person must confirm. */
  readonly preview: PolicyPreview | null;
  readonly confirm: (confirmation: PolicyConfirmation) => void;
  readonly cancel: () => void;
  /** Fills the form with the saved values. */
  readonly reload: () => void;
  /** Keeps the values in the form, which will overwrite the other person's values. This person has seen those. */
  readonly keepMine: () => void;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * The form of a policy, which is saved as a whole. The form remembers the version from which it was filled, so that it
 * never overwrites another person's change unseen.
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
  // A form without edits takes over saved values. So does a form whose values equal the saved ones, for example because
  // the answer to its own change was lost.
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

/** The time without edits after which the form's values are previewed. */
const REST_MS = 400;

/** Returns the preview of the form's present values; `null` if they are saved or wrong, or are not previewed yet. */
export function useProposal(url: string, form: object, isProposed: boolean): PolicyPreview | null {
  const [seen, setSeen] = useState<{ text: string; preview: PolicyPreview } | null>(null);
  const text = JSON.stringify(form);
  useEffect(() => {
    if (!isProposed) return undefined;
    let isOver = false;
    const timer = setTimeout(() => {
      const ask = { method: 'POST', url: `${url}/preview`, body: JSON.parse(text) } as const;
      // Errors are ignored: the form itself shows its mistakes, and saving shows all other errors.
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
