import { useState } from 'react';
import { readCsv } from '../api/client.ts';
import * as t from '../texts/parts.tsx';
import { Button } from './button.tsx';
import { Fault } from './states.tsx';

/** Saves a file as a download of the browser. */
function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

interface CsvButtonProps {
  /** The address of the list, without `limit` and `cursor`. */
  readonly url: string;
  /** The name of the file. */
  readonly name: string;
}

/** A button that saves all rows of a list as a file. */
export function CsvButton({ url, name }: CsvButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Error | null>(null);
  const download = async (): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      save(await readCsv(url), `${name}.csv`);
    } catch (error) {
      setFault(error as Error);
    }
    setBusy(false);
  };
  return (
    <>
      <Button isBusy={isBusy} onClick={() => void download()}>
        {t.downloadAsCsv}
      </Button>
      {fault === null ? null : <Fault error={fault} />}
    </>
  );
}
