import { Facts, Section } from '../../parts/page.tsx';

interface MetaFactsProps {
  readonly title: string;
  readonly data: Readonly<Record<string, string>>;
}

/** Metadata of a contract, as text: what it says is the parties' own. */
export function MetaFacts({ title, data }: MetaFactsProps) {
  const entries = Object.entries(data);
  return (
    <Section title={title} isCard>
      {entries.length === 0 ? <p>Nothing was said.</p> : <Facts of={entries} />}
    </Section>
  );
}
