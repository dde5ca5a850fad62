import { useEffect, useId, useState } from 'react';
import { useRoles } from '../api/caller.tsx';
import { Button } from './button.tsx';
import styles from './copy.module.css';
import { Icon } from './icon.tsx';

const SHOWN_MS = 1_500;

/** Returns whether the text was copied. */
async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A page without a secure context has no clipboard, and a browser may deny writing to it.
    return copyFromField(text);
  }
}

function copyFromField(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  return isCopied;
}

/** Copies a text, and shows for a moment that it was copied. */
function useCopied(): readonly [isCopied: boolean, copy: (text: string) => void] {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return [isCopied, (text) => void toClipboard(text).then(setCopied)];
}

/** Copies a text. `what` completes "Copy …". */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [isCopied, copy] = useCopied();
  return (
    <button
      type="button"
      className={styles.copy}
      aria-label={isCopied ? 'Copied' : `Copy ${what}`}
      title={isCopied ? 'Copied' : `Copy ${what}`}
      onClick={(event) => {
        event.preventDefault();
        event.stopPropagation();
        copy(text);
      }}
    >
      <Icon name={isCopied ? 'check' : 'copy'} size={14} />
    </button>
  );
}

interface CopyWordsProps {
  /** Returns the text to copy. */
  readonly text: () => string;
  /** Completes "Copy …". */
  readonly what: string;
}

/** Copies a text that is not seen, by a button with words. */
export function CopyWords({ text, what }: CopyWordsProps) {
  const [isCopied, copy] = useCopied();
  return (
    <Button look="quiet" isSmall icon={isCopied ? 'check' : 'copy'} onClick={() => copy(text())}>
      {isCopied ? 'Copied' : `Copy ${what}`}
    </Button>
  );
}

const HEAD = 10;
const TAIL = 6;

/** The two ends of a long identifier, which is enough to tell it from its neighbours. */
export const shortId = (id: string): string =>
  id.length <= HEAD + TAIL + 3 ? id : `${id.slice(0, HEAD)}…${id.slice(-TAIL)}`;

/** A party as people read it: its hint. The whole of it is in the title and on the clipboard. */
export const partyName = (party: string): string => party.split('::')[0] ?? party;

interface IdProps {
  readonly id: string;
  /** The kind of identifier: "contract ID". */
  readonly what: string;
  readonly isWhole?: boolean;
}

export function Id({ id, what, isWhole = false }: IdProps) {
  return (
    <span className={styles.id}>
      <span className={styles.text} title={id}>
        {isWhole ? id : shortId(id)}
      </span>
      <CopyButton text={id} what={what} />
    </span>
  );
}

export function Party({ party }: { readonly party: string }) {
  return <span title={party}>{partyName(party)}</span>;
}

interface Copied {
  /** Address of the API, with its query. */
  readonly url: string;
  readonly method?: string;
  readonly body?: unknown;
  /** The same request as a command; `tenure call` if no other command exists. */
  readonly cli?: string | undefined;
}

interface CopyAsProps extends Copied {
  /** Acts of this view that ask for nothing first, each by its name. */
  readonly acts?: readonly (Copied & { readonly name: string })[];
}

/** A text as one word of a shell. */
export const quoted = (text: string): string => `'${text.replaceAll(`'`, `'\\''`)}'`;

export function curlOf({ url, method = 'GET', body }: Copied): string {
  const parts = [
    'curl -sS',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    quoted(new URL(url, location.origin).href),
    `-H "Authorization: Bearer $TOKEN"`,
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ];
  return parts.join(' ');
}

/** The command line of a call that has no command of its own. */
export function callOf({ url, method = 'GET', body }: Copied): string {
  const data = body === undefined ? '' : ` --data ${quoted(JSON.stringify(body))}`;
  return `tenure call ${method} ${quoted(url)}${data}`;
}

/** Offers this page or act as a call of the API and as a command. */
export function CopyAs(props: CopyAsProps) {
  const id = useId();
  const roles = useRoles();
  const isTechnical = roles.has('provider') || roles.has('operator');
  const lines = [{ ...props, name: '' }, ...(props.acts ?? [])].flatMap((one) => {
    const prefix = one.name === '' ? '' : `${one.name}: `;
    return [
      [`${prefix}curl`, curlOf(one)],
      [`${prefix}Command line`, one.cli ?? callOf(one)],
    ] as const;
  });
  return (
    <>
      <Button look="quiet" icon="copy" popoverTarget={id} title="Copy as curl or command line">
        {isTechnical ? 'Copy as' : 'Details'}
      </Button>
      <div id={id} popover="auto" className={styles.menu} role="dialog" aria-label="Copy as">
        <dl>
          {lines.map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd className={styles.line}>
                <code>{text}</code>
                <CopyButton text={text} what={name} />
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </>
  );
}
