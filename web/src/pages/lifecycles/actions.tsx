import { useState } from 'react';
import type { ReactNode } from 'react';
import type { components } from '../../api/schema.ts';
import { Button } from '../../parts/button.tsx';
import type { ButtonLook } from '../../parts/button.tsx';

export type Action = components['schemas']['Action'];

/** How one action is offered: its words, and the dialog that asks for the rest. */
export interface Offer {
  readonly words: string;
  readonly look?: ButtonLook;
  readonly dialog: (href: string, onClose: () => void) => ReactNode;
}

interface ActionsProps {
  /** As the API tells them: what is allowed, and why not the rest. */
  readonly actions: readonly Action[];
  readonly offers: Readonly<Record<string, Offer>>;
}

/** The buttons of a lifecycle. The machine decides what a button says, and why it is grey. */
export function Actions({ actions, offers }: ActionsProps) {
  const [open, setOpen] = useState<Action | null>(null);
  return (
    <>
      {actions.map((action) => {
        const offer = offers[action.name];
        if (offer === undefined) return null;
        return (
          <Button
            key={action.name}
            look={offer.look ?? 'plain'}
            refused={action.allowed ? undefined : (action.reason ?? 'Not now')}
            onClick={() => setOpen(action)}
          >
            {offer.words}
          </Button>
        );
      })}
      {open === null ? null : offers[open.name]?.dialog(open.href, () => setOpen(null))}
    </>
  );
}
