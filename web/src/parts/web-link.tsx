import type { ReactNode } from 'react';
import { buttonClass } from './button.tsx';
import type { ButtonLook } from './button.tsx';
import { Icon } from './icon.tsx';

/** An address that data names, where a browser may go there; null for anything else. */
export function webAddress(text: string | null | undefined): string | null {
  const url = text == null ? null : URL.parse(text);
  return url !== null && /^https?:$/u.test(url.protocol) ? url.href : null;
}

interface WebLinkProps {
  readonly href: string;
  readonly look?: ButtonLook;
  readonly children: ReactNode;
}

/** A link out of the application, in a tab of its own. What is no web address is shown as text. */
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
