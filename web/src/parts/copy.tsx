import { useEffect, useId, useState } from 'react';
import { useRoles } from '../api/caller.tsx';
import * as t from '../texts/parts.tsx';
import { Button } from './button.tsx';
import styles from './copy.module.css';
import { Icon } from './icon.tsx';

const SHOWN_MS = 1_500;

/** Copies a text to the clipboard. @returns whether that succeeded */
async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A page without a secure context has no clipboard, and a browser may forbid writing to it.
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

/** Returns a function that copies a text, and whether it has done so within the last moments. */
function useCopied(): readonly [isCopied: boolean, copy: (text: string) => void] {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return [isCopied, (text) => void toClipboard(text).then(setCopied)];
}

/** A button that copies a text. `what` completes "Copy …". */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [isCopied, copy] = useCopied();
  return (
    <button
      type="button"
      className={styles.copy}
      aria-label={isCopied ? t.copied : t.copy(what)}
      title={isCopied ? t.copied : t.copy(what)}
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
  /** Text that completes "Copy …". */
  readonly what: string;
}

/** A button with words that copies a text which is not visible. */
export function CopyWords({ text, what }: CopyWordsProps) {
  const [isCopied, copy] = useCopied();
  return (
    <Button look="quiet" isSmall icon={isCopied ? 'check' : 'copy'} onClick={() => copy(text())}>
      {isCopied ? t.copied : t.copy(what)}
    </Button>
  );
}

const HEAD = 10;
const TAIL = 6;

/**
 * Returns the first and last characters of a long identifier, which are enough to distinguish it from others in a list.
 */
export const shortId = (id: string): string =>
  id.length <= HEAD + TAIL + 3 ? id : `${id.slice(0, HEAD)}…${id.slice(-TAIL)}`;

/** Returns the hint of a party, which people can read. The whole identifier is in the title and on the clipboard. */
export const partyName = (party: string): string => party.split('::')[0] ?? party;

interface IdProps {
  readonly id: string;
  /** The kind of the identifier: "contract ID". */
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
  /** The address of the API call that is copied, with its query. */
  readonly url: string;
  readonly method?: string;
  readonly body?: unknown;
  /** A command line with the same effect. Absent: `tenure call`. */
  readonly cli?: string | undefined;
}

interface CopyAsProps extends Copied {
  /** Acts of this page that open no dialog, with their names. */
  readonly acts?: readonly (Copied & { readonly name: string })[];
}

/** Returns a text as one word of a shell command. */
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

/** Returns the command line of a call that has no command of its own. */
export function callOf({ url, method = 'GET', body }: Copied): string {
  const data = body === undefined ? '' : ` --data ${quoted(JSON.stringify(body))}`;
  return `tenure call ${method} ${quoted(url)}${data}`;
}

/** A menu that copies this page or act as a call of the API and as a command. */
export function CopyAs(props: CopyAsProps) {
  const id = useId();
  const roles = useRoles();
  const isTechnical = roles.has('provider') || roles.has('operator');
  const lines = [{ ...props, name: '' }, ...(props.acts ?? [])].flatMap((one) => {
    const prefix = one.name === '' ? '' : t.actPrefix(one.name);
    return [
      [t.curlOf(prefix), curlOf(one)],
      [t.commandLine(prefix), one.cli ?? callOf(one)],
    ] as const;
  });
  return (
    <>
      <Button look="quiet" icon="copy" popoverTarget={id} title={t.copyAsCurlOrCommandLine}>
        {isTechnical ? t.copyAs : t.details}
      </Button>
      <div id={id} popover="auto" className={styles.menu} role="dialog" aria-label={t.copyAs}>
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
