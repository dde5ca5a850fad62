import { describe, expect, test } from 'vitest';
import { CHARTS, chartOf } from '../../../machines/charts.ts';
import { mermaidOf, outlineOf } from '../../../cli/commands/machines.ts';

describe('tenure machines <kind>', () => {
  test('writes states and transitions as an outline', () => {
    expect(outlineOf(chartOf('license', 3)!)).toMatchInlineSnapshot(`
      "Licence, version 3

      active: begins here
        expire → expiring  (the provider or the user, if its time is over)
        renew → renewing  (the provider, if no renewal of it is open, unless allowConcurrent is asked for)

      renewing: waits for the ledger
        refused or done → active  (the answer to the command)

      expiring: waits for the ledger
        refused or done → active  (the answer to the command)

      expired: final

      gone: final

      whatever the state:
        licence renewed  (the ledger)
        licence expired → expired  (the ledger)
        gone → gone  (the ledger)
        comment  (the provider or the user)"
    `);
  });

  test('writes a mermaid diagram, with what happens whatever the state around the states', () => {
    expect(mermaidOf(chartOf('license', 3)!)).toMatchInlineSnapshot(`
      "stateDiagram-v2
        direction LR
        state "whatever the state" as whatever {
          state "active" as active
          [*] --> active
          state "renewing" as renewing
          state "expiring" as expiring
          active --> expiring : expire
          active --> renewing : renew
          renewing --> active : refused or done
          expiring --> active : refused or done
        }
        state "expired" as expired
        state "gone" as gone
        whatever --> whatever : licence renewed
        whatever --> expired : licence expired
        whatever --> gone : gone
        whatever --> whatever : comment
        expired --> [*]
        gone --> [*]"
    `);
  });

  test.each(CHARTS)('$kind $version: no transition is left out of either', (chart) => {
    const all = [...chart.transitions, ...chart.rail.transitions];
    expect(
      outlineOf(chart)
        .split('\n')
        .filter((line) => line.startsWith('  ')),
    ).toHaveLength(all.length);
    expect(
      mermaidOf(chart)
        .split('\n')
        .filter((line) => line.includes(' : ')),
    ).toHaveLength(all.length);
  });

  test('leaves out what a terminal would obey', () => {
    const chart = { ...chartOf('license', 3)!, title: 'Licence\u001B[31m' };
    expect(outlineOf(chart)).not.toContain('\u001B');
  });
});
