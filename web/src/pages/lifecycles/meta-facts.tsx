import { Facts } from '../../parts/page.tsx';
import styles from './life.module.css';

interface MetaFactsProps {
  readonly title: string;
  readonly data: Readonly<Record<string, string>>;
}

/** Metadata of a contract below its facts, as text: what it says is the parties' own. */
export function MetaFacts({ title, data }: MetaFactsProps) {
  const entries = Object.entries(data);
  return (
    <div className={styles.meta}>
      <h3>{title}</h3>
      {entries.length === 0 ? <p className={styles.muted}>Nothing.</p> : <Facts of={entries} />}
    </div>
  );
}
