import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seeded } from '@keelson/e2e-simulation/seeded';
import { readCommandLine, usage } from './command-line.ts';
import { plotOf, resultsOf } from './report/page.ts';
import { Recording } from './report/recording.ts';
import { soak } from './soak.ts';
import { systems } from './systems/systems.ts';

const docs = fileURLToPath(new URL('../../../docs/', import.meta.url));

if (process.argv.includes('--help')) {
  console.log(usage);
} else {
  await main(process.argv.slice(2));
}

async function main(words: readonly string[]): Promise<void> {
  const { duration, rounds, faultEvery, endEvery, seed, record } = readCommandLine(words);
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1000;
  const recording = new Recording(seconds);
  const complaints = await soak({
    systems,
    round: duration / rounds,
    rounds,
    faultEvery,
    endEvery,
    random: seeded(seed),
    recording,
    print: (line) => console.log(`${(seconds() / 60).toFixed(1).padStart(6)} min  ${line}`),
  });
  const results = resultsOf(recording, {
    seconds: seconds(),
    seed,
    systems: systems.map(({ name }) => name),
    processes: new Set(recording.samples.map(({ replica }) => replica)).size,
    complaints,
  });
  const folder = record ? docs : await mkdtemp(join(tmpdir(), 'keelson-soak-'));
  await mkdir(join(folder, 'plots'), { recursive: true });
  await writeFile(join(folder, 'plots', 'soak.svg'), plotOf(recording));
  const page = join(folder, 'soak.md');
  await writeFile(page, record ? replaced(await readFile(page, 'utf8'), results) : results);
  console.log(`\n${results}\nresults: ${page}`);
  if (complaints.length > 0) process.exitCode = 1;
}

/** The page with new results between its marks. */
function replaced(page: string, results: string): string {
  const [before, rest = ''] = page.split('<!-- results -->\n');
  const after = rest.split('<!-- end of results -->\n')[1] ?? '';
  return `${before}<!-- results -->\n${results}<!-- end of results -->\n${after}`;
}
