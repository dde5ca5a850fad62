import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { hasCommand } from '../../acts/use-command.ts';
import type { components } from '../../../../client/schema.ts';
import { Button } from '../../parts/button.tsx';
import type { ButtonLook } from '../../parts/button.tsx';
import { useReadable } from '../../parts/time.tsx';
import { refusalWords, sentence } from '../../parts/words.ts';
import { HERE } from '../../paths.ts';
import * as t from '../../texts/lifecycles.tsx';

export type Action = components['schemas']['Action'];

/** The properties of an act's dialog. */
export interface OfferProps {
  /** The name of the act and its object. A command ID belongs to this name, even after a reload. */
  readonly form: string;
  /** The address to which the act is sent. */
  readonly href: string;
  readonly onClose: () => void;
}

/** How an action is offered: the words on its button, and the dialog that asks for the details. */
export interface Offer {
  readonly words: string;
  readonly look?: ButtonLook;
  /** Why the action would be useless now, although the machine allows it. */
  readonly refused?: string | undefined;
  /** Whether the dialog offers a way around this refusal. */
  readonly isOpenDespite?: (reason: string) => boolean;
  readonly dialog: (props: OfferProps) => ReactNode;
}

export type Offers = Readonly<Record<string, Offer>>;

/** Returns why the action is not possible now; undefined if it is. */
function refusal(action: Action, { refused, isOpenDespite }: Offer): string | undefined {
  if (action.allowed) return refused;
  const reason = action.reason ?? t.notNow;
  return isOpenDespite?.(reason) === true ? undefined : refusalWords(reason);
}

/** Whether only another role may request the action, so that this caller never can. */
const isOthers = ({ allowed, reason }: Action): boolean =>
  !allowed && reason?.startsWith('only the ') === true;

export const formOf = ({ name, href }: Action): string => `${name} ${href}`;

/** Returns the act whose dialog the address opens, and a function that opens or closes one. */
export function useOpenAct(): readonly [string | null, (name: string | null) => void] {
  const { act } = useSearch({ strict: false });
  const navigate = useNavigate();
  const open = (name: string | null): void =>
    void navigate({
      to: HERE,
      search: (({ act: _open, ...rest }: Readonly<Record<string, unknown>>) =>
        name === null ? rest : { ...rest, act: name }) as never,
      replace: name === null,
      resetScroll: false,
    });
  return [act ?? null, open];
}

interface ActionsProps {
  /** The actions as the API lists them: whether each is allowed and, if not, why. */
  readonly actions: readonly Action[];
  readonly offers: Offers;
  /** A prefix that distinguishes the acts of one object from those of others on the same page. */
  readonly scope?: string;
  /**
   * Whether the lifecycle has ended. The buttons then disappear, because the page says so, but a dialog with the result
   * of the last act stays open.
   */
  readonly isOver?: boolean;
}

/** The buttons for a lifecycle's actions. The machine decides which actions are possible, and why a button is grey. */
export function Actions({ actions, offers, scope = '', isOver = false }: ActionsProps) {
  const [act, open] = useOpenAct();
  const [chosen, setChosen] = useState<string | null>(null);
  const readable = useReadable();
  const readableRefusal = (action: Action, offer: Offer): string | undefined => {
    const reason = refusal(action, offer);
    return reason === undefined ? undefined : sentence(readable(reason));
  };
  const shown = actions.find(({ name }) => `${scope}${name}` === act);
  const offer = shown === undefined ? undefined : offers[shown.name];
  // An address that was saved earlier opens no dialog whose act would be refused, unless a command of the dialog is in
  // progress.
  const mayOpen =
    shown !== undefined &&
    offer !== undefined &&
    (chosen === act || refusal(shown, offer) === undefined || hasCommand(formOf(shown)));
  return (
    <>
      {Object.entries(offers).map(([name, one]) => {
        const action = actions.find((known) => known.name === name);
        if (action === undefined || isOver || isOthers(action)) return null;
        return (
          <Button
            key={action.name}
            look={one.look ?? 'plain'}
            refused={readableRefusal(action, one)}
            onClick={() => {
              setChosen(`${scope}${action.name}`);
              open(`${scope}${action.name}`);
            }}
          >
            {one.words}
          </Button>
        );
      })}
      {mayOpen
        ? offer.dialog({
            form: formOf(shown),
            href: shown.href,
            onClose: () => {
              setChosen(null);
              open(null);
            },
          })
        : null}
    </>
  );
}
