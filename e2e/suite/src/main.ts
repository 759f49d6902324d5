import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createTestEnvironment } from '@keelson/envtest';
import { runBounded } from './bounded-command.ts';
import { controllers } from './chosen-environment.ts';
import { assetsOf } from './control-plane-assets.ts';
import { summaryOf } from './suite-report.ts';

const { values } = parseArgs({
  options: {
    /** Folder of Jest's JSON reports; default a temporary folder. */
    reports: { type: 'string' },
    /** Skips the fidelity comparison and the random sessions. */
    'no-fidelity': { type: 'boolean', default: false },
    /** The part of the suite that runs on the real control plane, as Jest's `--shard`: `2/3`. In memory the next one runs. */
    shard: { type: 'string' },
    /** The number of random sessions. They are the same ones in every run. */
    sessions: { type: 'string', default: '200' },
  },
});

/** Milliseconds: longer than any test or its preparation takes on a busy machine. */
const SILENCE_TIMEOUT_MS = 300_000;
/** Milliseconds: one `go build` prints nothing for minutes. */
const BUILD_SILENCE_TIMEOUT_MS = 900_000;

const print = (line: string): void => console.log(line);

/** A part of the run. */
interface Part {
  readonly title: string;
  /** Begins each of its lines, because the lines of two parts mix. */
  readonly tag: string;
  /** The arguments of `npm run`. */
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly silence?: number;
}

/** Runs a part and prints its duration. */
async function runPart({ title, tag, words, ...rest }: Part): Promise<boolean> {
  print(`\n=== ${title}`);
  const began = performance.now();
  const args = ['run', '--silent', ...words];
  const isWell = await runBounded({
    command: 'npm',
    args,
    silence: SILENCE_TIMEOUT_MS,
    print: (line) => print(`${tag}: ${line}`),
    ...rest,
  });
  const seconds = Math.round((performance.now() - began) / 1000);
  print(`--- ${title}: ${isWell ? 'ok' : 'FAILED'}, ${seconds} s`);
  return isWell;
}

/** The folders of the reports and of the real control plane. */
interface Place {
  readonly folder: string;
  readonly assets: string;
}

/** A part whose tests are counted from Jest's report. */
interface TestRun {
  readonly part: Part;
  readonly report: string;
}

/** Returns the part after one such as `2/3`; the first after the last. */
function nextShard(shard: string): string {
  const [part, parts] = shard.split('/').map(Number) as [number, number];
  return `${(part % parts) + 1}/${parts}`;
}

function testRun(script: string, use: string, { folder, assets }: Place): TestRun {
  const report = join(folder, `${script.replace(':', '-')}-${use}.json`);
  const env = {
    KEELSON_E2E: use,
    KEELSON_E2E_PROGRESS: '1',
    KUBEBUILDER_ASSETS: assets,
    KUBECTL: process.env.KUBECTL ?? join(assets, 'kubectl'),
  };
  const words = [script, '--', '--json', `--outputFile=${report}`];
  if (values.shard !== undefined && script === 'e2e:suite') {
    words.push(`--shard=${use === 'binaries' ? values.shard : nextShard(values.shard)}`);
  }
  return { part: { title: `${script} against: ${use}`, tag: use, words, env }, report };
}

/** Runs the suite on kube-apiserver, with one control plane for all files that need none of their own. */
async function runSuiteOnBinaries(part: Part, assets: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-e2e-shared-'));
  try {
    await using plane = await createTestEnvironment({ use: 'binaries', assets, controllers });
    const shared = join(folder, 'kubeconfig');
    await writeFile(shared, plane.admin.kubeconfig, { mode: 0o600 });
    // Awaited here, because the control plane stops at the end of this block.
    return await runPart({ ...part, env: { ...part.env, KEELSON_E2E_SHARED: shared } });
  } finally {
    await rm(folder, { recursive: true });
  }
}

function fidelity(assets: string): Part {
  const words = ['e2e:fidelity', '--', '--assets', assets];
  return { title: 'fidelity: one conversation with both', tag: 'fidelity', words };
}

function sessions(assets: string): Part {
  const words = ['e2e:fuzz', '--', '--assets', assets, '--seeds', values.sessions];
  return { title: 'fidelity: random sessions on both', tag: 'sessions', words };
}

/** Sessions with webhooks and policies, a tenth of the number: each change of them waits for kube-apiserver. */
function admissionSessions(assets: string): Part {
  const seeds = String(Math.ceil(Number(values.sessions) / 10));
  const words = ['e2e:fuzz', '--', '--assets', assets, '--admission', '--seeds', seeds];
  const title = 'fidelity: random sessions with webhooks and policies on both';
  return { title, tag: 'sessions', words };
}

/**
 * Runs two sequences of parts beside each other, because each of them waits often: for Leases that expire, and for servers
 * that start. Each part has servers of its own.
 */
async function runAll(place: Place): Promise<boolean> {
  const { assets } = place;
  const memory = testRun('e2e:suite', 'memory', place);
  const binaries = testRun('e2e:suite', 'binaries', place);
  const testRunners = testRun('e2e:test-runners', 'binaries', place);
  const comparisons = values['no-fidelity']
    ? []
    : [fidelity(assets), sessions(assets), admissionSessions(assets)];
  const broken: string[] = [];
  const run = async (part: Part): Promise<void> => {
    const runs = part === binaries.part ? runSuiteOnBinaries(part, assets) : runPart(part);
    const isWell = await runs.catch((error: unknown) => {
      print(`${part.title}: ${String(error)}`);
      return false;
    });
    if (!isWell) broken.push(part.title);
  };
  const runInTurn = async (parts: readonly Part[]): Promise<void> => {
    for (const part of parts) await run(part);
  };
  // The two suites use both cores, so that one of them begins late.
  await Promise.all([
    runInTurn([binaries.part, testRunners.part]),
    runInTurn([...comparisons, memory.part]),
  ]);
  const reports = [memory, binaries, testRunners].map(({ report }) => report);
  const { lines, passed, failed } = await summaryOf(reports);
  print(`\n${lines.join('\n')}`);
  for (const title of broken) print(`FAILED: ${title}`);
  // A part may fail although all its tests passed, for example because it hangs at its end.
  print(`${passed} passed, ${Math.max(failed, broken.length)} failed`);
  return passed > 0 && failed === 0 && broken.length === 0;
}

function build(): Promise<boolean> {
  const title = 'the binaries of a real control plane';
  const words = ['e2e:binaries'];
  return runPart({ title, tag: 'build', words, silence: BUILD_SILENCE_TIMEOUT_MS });
}

async function main(): Promise<boolean> {
  const assets = await assetsOf(process.env, build);
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

// The process group of a part ends with this process: see `runBounded`.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.exitCode = (await main()) ? 0 : 1;
