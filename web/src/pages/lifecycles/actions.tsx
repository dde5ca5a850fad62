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

export type Action = components['schemas']['Action'];

/** The properties of a dialog of an act. */
export interface OfferProps {
  /** Names the act and what it is done to; the command ID belongs to it over reloads. */
  readonly form: string;
  /** Where it is sent. */
  readonly href: string;
  readonly onClose: () => void;
}

/** How one action is offered: its words, and the dialog that asks for the rest. */
export interface Offer {
  readonly words: string;
  readonly look?: ButtonLook;
  /** Why it would be of no use now, where the machine alone would allow it. */
  readonly refused?: string | undefined;
  /** Whether the dialog has a way around this refusal. */
  readonly isOpenDespite?: (reason: string) => boolean;
  readonly dialog: (props: OfferProps) => ReactNode;
}

export type Offers = Readonly<Record<string, Offer>>;

/** Why it cannot be done now; undefined when it can. */
function refusal(action: Action, { refused, isOpenDespite }: Offer): string | undefined {
  if (action.allowed) return refused;
  const reason = action.reason ?? 'Not now';
  return isOpenDespite?.(reason) === true ? undefined : refusalWords(reason);
}

/** The action of another role, which the caller can never do. */
const isOthers = ({ allowed, reason }: Action): boolean =>
  !allowed && reason?.startsWith('only the ') === true;

export const formOf = ({ name, href }: Action): string => `${name} ${href}`;

/** The act whose dialog the address has open, and how to open and close one. */
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
  /** As the API tells them: what is allowed, and why not the rest. */
  readonly actions: readonly Action[];
  readonly offers: Offers;
  /** Tells the acts of one thing from those of another on the same page. */
  readonly scope?: string;
  /** It has ended, which the page says once for all: what its last act led to stays open. */
  readonly isOver?: boolean;
}

/** The buttons of a lifecycle. The machine decides what a button says, and why it is grey. */
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
  // A kept address opens no dialog that could only be refused, unless its command is under way.
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
