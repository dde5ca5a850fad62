import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { AskDialog } from '../../acts/ask-dialog.tsx';
import { metadataOf } from '../../parts/metadata.ts';
import { MetadataFields } from '../../parts/metadata-fields.tsx';
import type { MetadataRows } from '../../parts/metadata.ts';
import { PATHS } from '../../paths.ts';
import * as t from '../../texts/installs.tsx';

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
      form={'request /app-install-requests'}
      title={t.requestAnInstallation}
      label={t.requestAnInstallation}
      verb={t.ask}
      done={t.requestSent}
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
            {t.theProviderDecidesAboutIt(
              <Link to={PATHS.request} params={{ contractId }}>
                {t.seeTheRequest}
              </Link>,
            )}
          </p>
        );
      }}
    >
      <p>{t.theProviderReadsThisRequestAnd}</p>
      <MetadataFields
        legend={t.details}
        hint={t.forExampleYourReasonYouAnd}
        rows={rows}
        onChange={setRows}
      />
    </AskDialog>
  );
}
