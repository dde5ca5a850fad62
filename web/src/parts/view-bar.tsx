import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { HERE } from '../paths.ts';
import { useSignal } from '../signal.ts';
import * as t from '../texts/parts.tsx';
import { Button } from './button.tsx';
import { Dialog, DialogFoot } from './dialog.tsx';
import { TextField } from './field.tsx';
import { Icon } from './icon.tsx';
import styles from './list.module.css';
import type { ListSearch, View } from './views.ts';
import { deleteView, isSameView, saveView, viewsOf } from './views.ts';

interface SaveDialogProps {
  readonly onSave: (name: string) => void;
  readonly onClose: () => void;
}

function SaveDialog({ onSave, onClose }: SaveDialogProps) {
  const [name, setName] = useState('');
  const [fault, setFault] = useState<string>();
  return (
    <Dialog title={t.saveThisView} onClose={onClose}>
      <form
        style={{ display: 'contents' }}
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() === '') setFault(t.aViewNeedsAName);
          else onSave(name.trim());
        }}
      >
        <TextField
          label={t.name}
          hint={t.thisBrowserKeepsTheFiltersThe}
          value={name}
          fault={fault}
          maxLength={40}
          onChange={setName}
        />
        <DialogFoot>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button look="primary" type="submit">
            {t.save}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

interface ViewLinkProps {
  readonly view: View;
  readonly isHere: boolean;
  /** Deletes the view. Absent for the views that everyone has. */
  readonly onDelete?: () => void;
}

function ViewLink({ view: { name, search }, isHere, onDelete }: ViewLinkProps) {
  return (
    <li className={styles.view} data-here={isHere}>
      <Link to={HERE} search={search as never} aria-current={isHere ? 'page' : undefined}>
        {name}
      </Link>
      {onDelete === undefined ? null : (
        <button
          type="button"
          className={styles.viewRemove}
          aria-label={t.deleteView(name)}
          onClick={onDelete}
        >
          <Icon name="cross" size={12} />
        </button>
      )}
    </li>
  );
}

const ALL: View = { name: t.all, search: {} };

interface ViewBarProps {
  /** The name under which views of the list are saved. */
  readonly list: string;
  /** The views that everyone has. They come after the view of all rows. */
  readonly common: readonly View[];
  readonly search: ListSearch;
}

/** Saved views, which are addresses of this page with names. */
export function ViewBar({ list, common, search }: ViewBarProps) {
  const [isSaving, setSaving] = useState(false);
  const own = useSignal(viewsOf(list));
  const isHere = (view: View): boolean => isSameView(view.search, search);
  const all = [ALL, ...common];
  // Shows nothing if there are no views to choose from yet.
  if (common.length + own.length === 0 && isHere(ALL)) return null;
  return (
    <nav className={styles.views} aria-label={t.views}>
      <ul>
        {all.map((view) => (
          <ViewLink key={view.name} view={view} isHere={isHere(view)} />
        ))}
        {own.map((view) => (
          <ViewLink
            key={`own ${view.name}`}
            view={view}
            isHere={isHere(view)}
            onDelete={() => deleteView(list, view.name)}
          />
        ))}
      </ul>
      {[...all, ...own].some(isHere) ? null : (
        <Button look="quiet" isSmall icon="plus" onClick={() => setSaving(true)}>
          {t.saveView}
        </Button>
      )}
      {isSaving ? (
        <SaveDialog
          onSave={(name) => {
            saveView(list, { name, search });
            setSaving(false);
          }}
          onClose={() => setSaving(false)}
        />
      ) : null}
    </nav>
  );
}
