import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { components } from '../../../../client/schema.ts';
import { shortId } from '../../parts/copy.tsx';
import { inWords, operationName } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import * as t from '../../texts/system.tsx';
import styles from './system.module.css';

type Entry = components['schemas']['AuditEntry'];

/** Returns a link to the page of an object, or its words as text if it has no page. */
function placeOf(kind: string, name: string, words: string): ReactNode {
  switch (kind) {
    case 'failure':
      return (
        <Link to={PATHS.operations} search={{ failure: name }}>
          {words}
        </Link>
      );
    case 'act':
      return (
        <Link to={PATHS.act} params={{ id: name }}>
          {words}
        </Link>
      );
    case 'webhook':
      return (
        <Link to={PATHS.webhook} params={{ id: name }}>
          {words}
        </Link>
      );
    case 'pause':
    case 'synchronizer':
      return <Link to={PATHS.streams}>{words}</Link>;
    case 'policy':
      return <Link to={PATHS.policies}>{words}</Link>;
    case 'tenant':
      return <Link to={PATHS.tenants}>{words}</Link>;
    case 'timer':
      return <Link to={PATHS.timers}>{words}</Link>;
    default:
      return words;
  }
}

/** The object of an act, with a link to it. */
export function AuditObject({ of: { object, operation } }: { readonly of: Entry }) {
  if (operation !== undefined) {
    return (
      <div className={styles.entry}>
        <Link to={PATHS.opsOperation} params={{ id: operation.id }}>
          {operationName(operation.operation)}
        </Link>
        <span className={styles.small} title={operation.commandId}>
          {shortId(operation.commandId)}
        </span>
      </div>
    );
  }
  const [kind = '', ...rest] = object.split(':');
  const name = rest.join(':');
  return (
    <div className={styles.object} title={object}>
      {placeOf(
        kind,
        name,
        `${kind === 'act' ? t.bulkAct : inWords(kind)} ${shortId(name.split('::')[0] ?? name)}`,
      )}
    </div>
  );
}
