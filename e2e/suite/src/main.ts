import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runBounded } from './bounded-command.ts';
import { assetsOf } from './control-plane-assets.ts';
import { summaryOf } from './suite-report.ts';

const { values } = parseArgs({
  options: {
    /** Where Jest's JSON reports go; default a folder that is removed. */
    reports: { type: 'string' },
    /** Leave out the scripted conversation. */
    'no-fidelity': { type: 'boolean', default: false },
  },
});

/** Longer than any test or its preparations may take. */
const silence = 180_000;

const print = (line: string): void => console.log(line);

/** Runs one part under a title, and tells how long it took. */
async function runPart(
  title: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<boolean> {
  print(`\n=== ${title}`);
  const began = performance.now();
  const args = ['run', '--silent', ...words];
  const isWell = await runBounded({ command: 'npm', args, env, silence, print });
  const seconds = Math.round((performance.now() - began) / 1000);
  print(`--- ${title}: ${isWell ? 'ok' : 'FAILED'}, ${seconds} s`);
  return isWell;
}

/** Where the reports of the parts go, and the real control plane. */
interface Place {
  readonly folder: string;
  readonly assets: string;
}

/** Tests against one server; returns the file of their report. */
async function runTests(script: string, use: string, { folder, assets }: Place): Promise<string> {
  const file = join(folder, `${script.replace(':', '-')}-${use}.json`);
  await runPart(`${script} against: ${use}`, [script, '--', '--json', `--outputFile=${file}`], {
    KEELSON_E2E: use,
    KEELSON_E2E_PROGRESS: '1',
    KUBEBUILDER_ASSETS: assets,
    KUBECTL: process.env.KUBECTL ?? join(assets, 'kubectl'),
  });
  return file;
}

async function runFidelity({ assets }: Place): Promise<boolean> {
  if (values['no-fidelity']) return true;
  const words = ['e2e:fidelity', '--', '--assets', assets];
  return runPart('fidelity: one conversation with both', words, {});
}

async function runAll(place: Place): Promise<boolean> {
  const reports = [
    await runTests('e2e:suite', 'memory', place),
    await runTests('e2e:suite', 'binaries', place),
    await runTests('e2e:test-runners', 'binaries', place),
  ];
  const isFaithful = await runFidelity(place);
  const { lines, passed, failed } = await summaryOf(reports);
  print(`\n${lines.join('\n')}`);
  if (!isFaithful) print('fidelity: FAILED');
  const allFailed = failed + (isFaithful ? 0 : 1);
  print(`${passed} passed, ${allFailed} failed`);
  return passed > 0 && allFailed === 0;
}

async function main(): Promise<boolean> {
  const assets = await assetsOf(process.env, print);
  if (assets === undefined) {
    print('!!! SKIPPED: no Go on this machine and no KUBEBUILDER_ASSETS: no real control plane');
    return true;
  }
  if (values.reports !== undefined) return runAll({ folder: values.reports, assets });
  const folder = await mkdtemp(join(tmpdir(), 'keelson-e2e-reports-'));
  try {
    return await runAll({ folder, assets });
  } finally {
    await rm(folder, { recursive: true });
  }
}

// What runs in a group of its own ends with this process, see `runBounded`.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.exitCode = (await main()) ? 0 : 1;
