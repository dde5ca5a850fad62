import { ownMetadata } from '../../parts/metadata.ts';
import { Facts } from '../../parts/page.tsx';
import styles from './life.module.css';

interface MetaFactsProps {
  readonly title: string;
  readonly data: Readonly<Record<string, string>>;
}

/** Shows a contract's metadata below its facts, as plain text, because the parties wrote it. */
export function MetaFacts({ title, data }: MetaFactsProps) {
  const entries = ownMetadata(data);
  if (entries.length === 0) return null;
  return (
    <div className={styles.meta}>
      <h3>{title}</h3>
      <Facts of={entries} />
    </div>
  );
}
