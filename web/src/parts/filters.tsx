import type { ReactNode } from 'react';
import * as t from '../texts/parts.tsx';
import styles from './filters.module.css';

/** The filters of a list. Their values are in the page's address. */
export function Filters({ children }: { readonly children: ReactNode }) {
  return (
    <search className={styles.filters} aria-label={t.filters}>
      {children}
    </search>
  );
}
