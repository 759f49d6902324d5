import { figures, valueOf, type Figure } from '../replica/sample.ts';
import { chart } from './chart.ts';
import type { Recording, TimedSample } from './recording.ts';

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
  const atRest = (Object.keys(figures) as Figure[]).filter((figure) => figure !== 'lag');
  return [
    `${(seconds / 60).toFixed(0)} minutes, seed ${seed}, systems: ${systems.join(', ')}. ${recording.faults.length} faults, ${processes} processes.`,
    '',
    complaints.length === 0
      ? 'Nothing was wrong.'
      : `Wrong:\n\n${complaints.map((line) => `- ${line}`).join('\n')}`,
    '',
    'At rest, first → last round of each process. The delay is the median of its samples, each a 99th percentile of 2 s.',
    '',
    `| process | rounds | ${[...atRest, 'lag' as const].map((figure) => figures[figure]).join(' | ')} |`,
    `|---|---|${'---|'.repeat(atRest.length + 1)}`,
    ...byReplica.map(([name, rests]) => {
      const cells = atRest.map(
        (figure) => `${shown(rests[0], figure)} → ${shown(rests.at(-1), figure)}`,
      );
      const lags = recording.samples
        .filter(({ replica }) => replica === name)
        .map(({ lag }) => lag);
      const median = lags.toSorted((one, other) => one - other)[Math.floor(lags.length / 2)] ?? 0;
      return `| ${name} | ${rests.length} | ${cells.join(' | ')} | ${median.toFixed(0)} |`;
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

function shown(sample: TimedSample | undefined, figure: Figure): string {
  if (sample === undefined) return '';
  return valueOf(sample, figure).toFixed(figure === 'heap' ? 1 : 0);
}
