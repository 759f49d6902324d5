import { figures, valueOf, type Figure } from '../replica/sample.ts';
import { chart } from './chart.ts';
import type { Recording } from './recording.ts';

/** The facts about a soak that its page shows. */
export interface SoakFacts {
  readonly seconds: number;
  readonly seed: number;
  readonly systems: readonly string[];
  /** The number of processes that ran as replicas. */
  readonly processes: number;
  readonly complaints: readonly string[];
}

/** The figures of a soak over time, a panel each and a line for each process. */
export function plotOf({ samples }: Recording): string {
  const names = Object.keys(figures) as Figure[];
  const byReplica = Map.groupBy(samples, ({ replica }) => replica);
  const panels = names.map((figure) => ({
    title: figures[figure],
    lines: [...byReplica].map(([name, of]) => ({
      name,
      points: of.map((sample) => [sample.at / 60, valueOf(sample, figure)] as const),
    })),
  }));
  return chart(panels, 'minutes');
}

/** The part of the page that a run writes. */
export function resultsOf(recording: Recording, facts: SoakFacts): string {
  const { seconds, seed, systems, processes, complaints } = facts;
  const faults = [...Map.groupBy(recording.faults, ({ name }) => name)];
  const byReplica = [...Map.groupBy(recording.rests, ({ replica }) => replica)];
  const names = Object.keys(figures) as Figure[];
  return [
    `${(seconds / 60).toFixed(0)} minutes, seed ${seed}, systems: ${systems.join(', ')}. ${recording.faults.length} faults, ${processes} processes.`,
    '',
    complaints.length === 0
      ? 'Nothing was wrong.'
      : `Wrong:\n\n${complaints.map((line) => `- ${line}`).join('\n')}`,
    '',
    'At rest, first → last round of each process:',
    '',
    `| process | rounds | ${names.map((figure) => figures[figure]).join(' | ')} |`,
    `|---|---|${names.map(() => '---|').join('')}`,
    ...byReplica.map(([name, rests]) => {
      const cells = names.map((figure) => {
        const values = [rests[0], rests.at(-1)].map((rest) =>
          rest === undefined ? '' : valueOf(rest, figure).toFixed(figure === 'heap' ? 1 : 0),
        );
        return values.join(' → ');
      });
      return `| ${name} | ${rests.length} | ${cells.join(' | ')} |`;
    }),
    '',
    '| fault | times |',
    '|---|---|',
    ...faults
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([name, times]) => `| ${name} | ${times.length} |`),
    '',
  ].join('\n');
}
