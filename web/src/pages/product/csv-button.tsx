import { useState } from 'react';
import { downloadCsv } from '../../api/download.ts';
import { Button } from '../../parts/button.tsx';
import { Fault } from '../../parts/states.tsx';

interface CsvButtonProps {
  /** The list, without `limit` and `cursor`. */
  readonly url: string;
  /** The name of the file. */
  readonly name: string;
}

/** Saves all rows of a list as a file. */
export function CsvButton({ url, name }: CsvButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Error | null>(null);
  const download = async (): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      await downloadCsv(url, name);
    } catch (error) {
      setFault(error as Error);
    }
    setBusy(false);
  };
  return (
    <>
      <Button isBusy={isBusy} onClick={() => void download()}>
        Download as CSV
      </Button>
      {fault === null ? null : <Fault error={fault} />}
    </>
  );
}
