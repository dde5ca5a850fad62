import { useState } from 'react';
import { newCommandId } from '../../../client/command-id.ts';
import { useCaller } from '../api/caller.tsx';
import { useSignal } from '../signal.ts';
import type { Command } from './command-store.ts';
import { commands, findCommand } from './command-store.ts';
import { submit } from './drive.ts';

/** A request without its command ID. */
export interface Ask {
  readonly label: string;
  readonly done: string;
  readonly url: string;
  readonly body?: unknown;
}

interface UseCommand {
  readonly commandId: string;
  /** The command; undefined before it has been sent. */
  readonly command: Command | undefined;
  /** Sends the command. A second call does nothing. */
  readonly send: (ask: Ask) => void;
  /** Gives the next try a new command ID. Called after a refusal. */
  readonly renew: () => void;
}

const DRAFTS = 'tenure.draft.';

/** Returns the command ID of a form. It is created before anything is sent, and is the same after a reload. */
function draftOf(form: string): string {
  const kept = sessionStorage.getItem(DRAFTS + form);
  if (kept !== null) return kept;
  const made = `ui-${newCommandId()}`;
  sessionStorage.setItem(DRAFTS + form, made);
  return made;
}

/**
 * Manages the command of a form.
 *
 * @param form the name of the act and its object: "expire /licenses/00ab"
 */
export function useCommand(form: string): UseCommand {
  const { party } = useCaller();
  const [commandId, setCommandId] = useState(() => draftOf(form));
  const command = useSignal(commands).find((one) => one.commandId === commandId);
  const renew = (): void => {
    sessionStorage.removeItem(DRAFTS + form);
    setCommandId(draftOf(form));
  };
  const send = ({ label, done, url, body }: Ask): void => {
    if (command !== undefined) return;
    submit({
      commandId,
      party,
      label,
      done,
      method: 'POST',
      url,
      body: body ?? {},
      madeAtMs: Date.now(),
      state: 'sending',
      waiting: null,
      result: null,
      problem: null,
      endedAtMs: null,
    });
  };
  return { commandId, command, send, renew };
}

/** Ends the form's use of its command ID. When the form is opened again, it gets a new one. */
export const endDraft = (form: string): void => sessionStorage.removeItem(DRAFTS + form);

/** Removes the command IDs of forms whose commands are no longer stored, so that no form repeats an ended command. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage).filter((name) => name.startsWith(DRAFTS))) {
    if (findCommand(sessionStorage.getItem(key) ?? '') === undefined)
      sessionStorage.removeItem(key);
  }
}

/** Whether a command of this form has been sent and is still stored. The form should then be open. */
export function hasCommand(form: string): boolean {
  const kept = sessionStorage.getItem(DRAFTS + form);
  return kept !== null && commands.get().some(({ commandId }) => commandId === kept);
}
