import type { ReactNode } from 'react';
import styles from './filters.module.css';

/** The filters of a list. The address of the page contains their values. */
export function Filters({ children }: { readonly children: ReactNode }) {
  return (
    <search className={styles.filters} aria-label="Filters">
      {children}
    </search>
  );
}
