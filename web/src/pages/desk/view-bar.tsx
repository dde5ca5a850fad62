import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useSignal } from '../../signal.ts';
import { PATHS } from '../../paths.ts';
import { useCaller } from '../../api/caller.tsx';
import styles from './desk.module.css';
import type { OpsSearch } from './filter.ts';
import type { View } from './views.ts';
import { builtIn, deleteView, isSameView, ownViews, saveView } from './views.ts';

interface SaveDialogProps {
  readonly search: OpsSearch;
  readonly onClose: () => void;
}

function SaveDialog({ search, onClose }: SaveDialogProps) {
  const [name, setName] = useState('');
  const [fault, setFault] = useState<string>();
  const save = (): void => {
    if (name.trim() === '') {
      setFault('Give it a name.');
      return;
    }
    const { cursor: _here, ...kept } = search;
    saveView({ name: name.trim(), search: kept });
    onClose();
  };
  return (
    <Dialog title="Save this view" onClose={onClose}>
      <form
        style={{ display: 'contents' }}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <TextField
          label="Name"
          hint="Kept in this browser. To share a view, share its address."
          value={name}
          fault={fault}
          maxLength={40}
          onChange={setName}
        />
        <DialogFoot>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit">
            Save
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

interface ViewLinkProps {
  readonly view: View;
  readonly isHere: boolean;
  readonly isOwn: boolean;
}

function ViewLink({ view: { name, search }, isHere, isOwn }: ViewLinkProps) {
  return (
    <li className={styles.view} data-here={isHere}>
      <Link to={PATHS.operations} search={search} aria-current={isHere ? 'page' : undefined}>
        {name}
      </Link>
      {isOwn ? (
        <button
          type="button"
          className={styles.viewRemove}
          aria-label={`Delete view ${name}`}
          onClick={() => deleteView(name)}
        >
          <Icon name="cross" size={12} />
        </button>
      ) : null}
    </li>
  );
}

/** Saved views: the address of this page, with names. */
export function ViewBar({ search }: { readonly search: OpsSearch }) {
  const [isSaving, setSaving] = useState(false);
  const own = useSignal(ownViews);
  const { subject } = useCaller();
  const common = builtIn(subject);
  const isKnown = [...common, ...own].some((view) => isSameView(view.search, search));
  return (
    <nav className={styles.views} aria-label="Views">
      <ul>
        {common.map((view) => (
          <ViewLink
            key={view.name}
            view={view}
            isOwn={false}
            isHere={isSameView(view.search, search)}
          />
        ))}
        {own.map((view) => (
          <ViewLink
            key={`own ${view.name}`}
            view={view}
            isOwn
            isHere={isSameView(view.search, search)}
          />
        ))}
      </ul>
      {isKnown ? null : (
        <Button look="quiet" isSmall icon="plus" onClick={() => setSaving(true)}>
          Save view
        </Button>
      )}
      {isSaving ? <SaveDialog search={search} onClose={() => setSaving(false)} /> : null}
    </nav>
  );
}
