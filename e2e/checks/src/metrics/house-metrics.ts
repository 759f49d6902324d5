import { parseArgs } from 'node:util';

import { readSources } from '../sources/source-file.ts';
import { measure, type ClassMetrics } from './class-metrics.ts';

// Reports the classes and interfaces that should be read with care. It never fails: a limit would be met by cutting.
const { values, positionals } = parseArgs({
  options: {
    /** Number of rows of each table. */
    top: { type: 'string', default: '20' },
  },
  allowPositionals: true,
});

const folders = positionals.length > 0 ? positionals : ['packages'];
const sources = readSources(folders).filter(({ path }) => path.includes('/src/'));
const { classes, interfaces } = measure(sources);
const top = Number(values.top);

function place({ path, name }: { readonly path: string; readonly name: string }): string {
  return `${name} (${path.replace(/^packages\/[^/]+\//, '').replace('/src/', '/')})`;
}

function print(title: string, rows: readonly (readonly [count: number, text: string])[]): void {
  process.stdout.write(`\n${title}\n`);
  for (const [count, text] of rows.slice(0, top)) {
    process.stdout.write(`${String(count).padStart(5)}  ${text}\n`);
  }
}

function printClasses(title: string, countOf: (one: ClassMetrics) => number): void {
  const sorted = classes.toSorted((a, b) => countOf(b) - countOf(a));
  print(
    title,
    sorted.map((one) => [countOf(one), place(one)]),
  );
}

process.stdout.write(`${classes.length} classes in ${sources.length} files\n`);
printClasses(
  'Public members: more than a dozen are often two concepts',
  (one) => one.publicMembers,
);
printClasses('Fields', (one) => one.fields);
printClasses('Collaborators: other classes in its fields and constructor', (one) => {
  return one.collaborators.length;
});
printClasses('Known by: files that import the class', (one) => one.knownBy);
print(
  'Callbacks: more than four in an interface are calls that no import shows',
  interfaces.map((one) => [one.callbacks.length, `${place(one)}: ${one.callbacks.join(', ')}`]),
);
