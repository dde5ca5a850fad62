import type { ReactNode } from 'react';
import { buttonClass } from './button.tsx';
import type { ButtonLook } from './button.tsx';
import { Icon } from './icon.tsx';
import { webAddress } from './web-address.ts';

interface WebLinkProps {
  readonly href: string;
  readonly look?: ButtonLook;
  readonly children: ReactNode;
}

/** A link out of the application, in a new tab. A text that is not a web address is shown as plain text. */
export function WebLink({ href, look, children }: WebLinkProps) {
  const address = webAddress(href);
  if (address === null) return <span>{children}</span>;
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      className={look === undefined ? undefined : buttonClass(look)}
    >
      {children}
      {look === undefined ? null : <Icon name="link" />}
    </a>
  );
}
