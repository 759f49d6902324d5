/**
 * Counts the functions, calls and files of the runtime that three journeys pass, and fails if one has grown beyond the
 * numbers in `data/journeys.json`.
 *
 *     npm run walk                    compares the numbers
 *     npm run walk -- --functions     also lists the functions by file
 *     npm run walk -- --update        writes the numbers
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { growth, linesOf, sizeOf, type CallCount, type JourneySize } from './call-count.ts';
import { clientApply, queuedItem, watchEvent } from './journeys.ts';

const dataFile = fileURLToPath(new URL('../../data/journeys.json', import.meta.url));
const journeys: Readonly<Record<string, () => Promise<CallCount>>> = {
  'watch event': watchEvent,
  'queued item': queuedItem,
  'client.apply': clientApply,
};

const { values } = parseArgs({
  options: {
    functions: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
  },
});
const recorded = JSON.parse(readFileSync(dataFile, 'utf8')) as Record<string, JourneySize>;
const sizes: Record<string, JourneySize> = {};

for (const [journey, walk] of Object.entries(journeys)) {
  const count = await walk();
  const size = sizeOf(count);
  sizes[journey] = size;
  console.log(`${journey}: ${size.functions} functions, ${size.calls} calls, ${size.files} files`);
  if (values.functions) for (const line of linesOf(count)) console.log(line);
  if (values.update) continue;
  for (const problem of growth(recorded[journey], size)) {
    console.error(`${journey} has grown. ${problem}. Shorten it, or \`npm run walk -- --update\``);
    process.exitCode = 1;
  }
}
if (values.update) writeFileSync(dataFile, `${JSON.stringify(sizes, undefined, 2)}\n`);
