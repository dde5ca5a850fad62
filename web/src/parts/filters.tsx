import type { ReactNode } from 'react';
import styles from './filters.module.css';

/** What a list is narrowed by. Its values are the address's. */
export function Filters({ children }: { readonly children: ReactNode }) {
  return (
    <search className={styles.filters} aria-label="Filters">
      {children}
    </search>
  );
}
