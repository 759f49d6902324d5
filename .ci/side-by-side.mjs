// Runs steps beside each other: one for each core, and at least two. Prints a line when a step begins, and its output whole
// when it ends, so that no lines of two steps mix.
//   node .ci/side-by-side.mjs FOLDER :: TITLE COMMAND… :: TITLE COMMAND…
// Appends the titles of the steps that failed to FOLDER/failed, and their lines that begin with `!!! FRESH SEED`, which do
// not decide, to FOLDER/notes. Fails if a step failed.
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const [folder, ...words] = process.argv.slice(2);
const steps = [];
for (const word of words) {
  if (word === '::') steps.push([]);
  else steps.at(-1).push(word);
}

const running = new Set();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal);
    process.exit(1);
  });
}

async function run([title, command, ...args], index) {
  const began = performance.now();
  const file = join(folder, `output-${process.pid}-${index}`);
  const output = openSync(file, 'w');
  // Both streams are one file, so that their lines keep their order.
  process.stdout.write(`\n... ${title} begins\n`);
  const child = spawn(command, args, { stdio: ['ignore', output, output] });
  running.add(child);
  const isWell = await new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
  running.delete(child);
  closeSync(output);
  const text = readFileSync(file, 'utf8');
  const end = `${isWell ? 'ok' : 'FAILED'}, ${Math.round((performance.now() - began) / 1000)} s`;
  const newline = text === '' || text.endsWith('\n') ? '' : '\n';
  process.stdout.write(
    `\n=== ${title}: ${[command, ...args].join(' ')}\n${text}${newline}--- ${title}: ${end}\n`,
  );
  for (const line of text.split('\n')) {
    if (line.startsWith('!!! FRESH SEED')) appendFileSync(join(folder, 'notes'), `${line}\n`);
  }
  if (isWell) return;
  appendFileSync(join(folder, 'failed'), `${title}\n`);
  process.exitCode = 1;
}

const waiting = [...steps.entries()];
async function worker() {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    await run(next[1], next[0]);
  }
}
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker));
