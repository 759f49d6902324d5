import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { compareTexts } from '@keelson/e2e-workloads';
import { planOf } from './plan.ts';
import { playStorm } from './storm-cluster.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
    /** Workloads of each kind. */
    copies: { type: 'string', default: '2' },
    /** Path of a JSON file for all differences. */
    report: { type: 'string' },
  },
});

/** Plays the same storm in both clusters at the same time, and compares what it leaves. */
async function main(): Promise<boolean> {
  const duration = Number(values.minutes) * 60_000;
  const changes = planOf(Number(values.seed), { duration, copies: Number(values.copies) });
  console.log(`${changes.length} changes in ${values.minutes} minutes`);
  const [expected, actual] = await Promise.all([
    playStorm('kube-apiserver', changes),
    playStorm('memory', changes),
  ]);
  const objects = compareTexts(expected.objects, actual.objects);
  const errors = compareTexts(expected.errors, actual.errors);
  console.log(`${objects.equal} of ${objects.total} objects are equal`);
  for (const text of objects.missing) console.log(`  only with kube-apiserver: ${text}`);
  for (const text of objects.excess) console.log(`  only in memory: ${text}`);
  console.log(`${expected.errors.length} kinds of errors with kube-apiserver`);
  for (const text of errors.excess) console.log(`  error only in memory: ${text}`);
  if (values.report)
    await writeFile(values.report, JSON.stringify({ objects, errors }, undefined, 1));
  return objects.equal === objects.total && errors.excess.length === 0;
}

process.exitCode = (await main()) ? 0 : 1;
