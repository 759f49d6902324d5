import { planOf } from './run/plan.ts';
import { readCommandLine, usage, type CommandLine } from './run/command-line.ts';
import { SeedRunner } from './run/seed-runner.ts';
import { shrink } from './run/shrink.ts';
import { run } from './run/simulation.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Overwrites the last line on a terminal, and else prints each tenth one. */
function progressPrinter(): (line: string) => void {
  let lines = 0;
  return (line) => {
    lines++;
    if (process.stderr.isTTY) process.stderr.write(`\r${line}   `);
    else if (lines % 10 === 0) process.stderr.write(`${line}\n`);
  };
}

/** Runs one seed. Returns true if every invariant held. */
async function runSeed(seed: number, { trace }: CommandLine): Promise<boolean> {
  const plan = planOf(seed);
  const violation = await run(plan, { seed });
  const failure = violation && { plan, violation };
  const shortest = failure && (await shrink(failure, (shorter) => run(shorter, { seed })));
  if (trace) await run(shortest?.plan ?? plan, { seed, trace: print });
  if (shortest === undefined) {
    print(`seed ${seed}: every invariant holds (${plan.steps.length} actions)`);
    return true;
  }
  const { steps, isSlow } = shortest.plan;
  print(
    `seed ${seed}, ${steps.length} of ${plan.steps.length} actions${isSlow ? ', slow clock' : ''}:`,
  );
  for (const { does, n } of steps) print(`  ${does} (${n})`);
  print(`${shortest.violation.invariant}: ${shortest.violation.message}`);
  return false;
}

/** Runs many seeds. Returns true if every invariant held in all of them. */
async function runSeeds(options: CommandLine): Promise<boolean> {
  const { done, failed, seconds } = await new SeedRunner(options, progressPrinter()).run();
  if (process.stderr.isTTY) process.stderr.write('\n');
  for (const { seed, invariant, message } of failed) {
    print(`seed ${seed} broke "${invariant}": ${message}`);
    print(`  npm run simulate -- --seed ${seed} --trace`);
  }
  print(`${done} seeds in ${Math.round(seconds)} s, ${failed.length} failures`);
  return failed.length === 0;
}

if (process.argv.includes('--help')) {
  print(usage);
} else {
  const options = readCommandLine(process.argv.slice(2));
  const holds = options.seed === undefined ? runSeeds(options) : runSeed(options.seed, options);
  process.exitCode = (await holds) ? 0 : 1;
}
