import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { AskDialog } from '../../acts/ask-dialog.tsx';
import { metadataOf } from '../../parts/metadata.ts';
import { MetadataFields } from '../../parts/metadata-fields.tsx';
import type { MetadataRows } from '../../parts/metadata.ts';
import { PATHS } from '../../paths.ts';

/** Returns the contract ID in an answer; null if it has none. */
export function contractIn(result: unknown, name = 'contractId'): string | null {
  const value = (result as Readonly<Record<string, unknown>> | null)?.[name];
  return typeof value === 'string' ? value : null;
}

/** The dialog in which a user requests an installation from the provider. */
export function AskForInstall({ onClose }: { readonly onClose: () => void }) {
  const [rows, setRows] = useState<MetadataRows>([['reason', '']]);
  return (
    <AskDialog
      form="request /app-install-requests"
      title="Request an installation"
      label="Request an installation"
      verb="Ask"
      done="Request sent."
      url="/app-install-requests"
      body={() => {
        const meta = metadataOf(rows);
        return typeof meta === 'string' ? meta : { meta };
      }}
      cli="tenure create-app-install-request"
      onClose={onClose}
      renderDone={(result) => {
        const contractId = contractIn(result);
        return contractId === null ? null : (
          <p>
            <Link to={PATHS.request} params={{ contractId }}>
              See the request
            </Link>
            . The provider decides about it.
          </p>
        );
      }}
    >
      <p>The provider reads this request, and accepts or rejects it.</p>
      <MetadataFields
        legend="Details"
        hint="For example your reason. You and the provider can read it on the ledger."
        rows={rows}
        onChange={setRows}
      />
    </AskDialog>
  );
}
