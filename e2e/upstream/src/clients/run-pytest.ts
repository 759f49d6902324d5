import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { PythonSuite, TestResult } from './client-suites.ts';
import { pythonOf } from './python-environment.ts';

/** The folder of the plugin `stand_ins`. */
const plugins: string = fileURLToPath(new URL('.', import.meta.url));

/** The longest time of one suite. */
const LIMIT_MS = 1_080_000;

/** Characters of the message of a failed test that are shown. */
const MESSAGE_LENGTH = 1500;

/** The outcome of a test in the report of the plugin. */
interface Outcome {
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly message: string;
}

/** The environment of Python, and the cluster of the tests. */
export interface PytestRun {
  /** The folder of `pythonEnvironment`. */
  readonly environment: string;
  readonly kubeconfig: string;
  /** The path of kubectl. */
  readonly kubectl: string;
}

/** Runs the tests of a suite. */
export async function runPytest(
  suite: PythonSuite,
  { environment, kubeconfig, kubectl }: PytestRun,
): Promise<TestResult> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-pytest-'));
  const report = join(folder, 'report.json');
  const leftOut = Object.keys(suite.leftOut).map((name) => `--deselect=${name}`);
  const args = [
    '-m',
    'pytest',
    '-p',
    'no:cacheprovider',
    '-p',
    'stand_ins',
    ...suite.args,
    ...leftOut,
  ];
  const env = {
    ...process.env,
    HOME: folder,
    KUBECONFIG: kubeconfig,
    KEELSON_REPORT: report,
    PATH: [dirname(kubectl), process.env['PATH']].join(delimiter),
    PYTHONPATH: plugins,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const { source } = suite;
  const cwd =
    source === undefined ? await packagesOf(environment) : join(environment, 'sources', source);
  try {
    const options = { cwd, env, timeout: LIMIT_MS, maxBuffer: 2 ** 28 };
    // It exits with 1 if a test failed; the report names it.
    const output = await promisify(execFile)(pythonOf(environment), args, options).catch(
      (error: { stdout?: string; stderr?: string }) => error,
    );
    const text = await readFile(report, 'utf8').catch(() => {
      throw new Error(`pytest wrote no report: ${output.stdout ?? ''}${output.stderr ?? ''}`);
    });
    return resultOf(JSON.parse(text));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The folder of the installed packages. */
async function packagesOf(environment: string): Promise<string> {
  const args = ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'];
  return (await promisify(execFile)(pythonOf(environment), args)).stdout.trim();
}

function resultOf(outcomes: Readonly<Record<string, Outcome>>): TestResult {
  const all = Object.entries(outcomes);
  return {
    passed: all.filter(([, { outcome }]) => outcome === 'passed').length,
    failed: all
      .filter(([, { outcome }]) => outcome === 'failed')
      .map(([name, { message }]) => `${name}: ${message.slice(-MESSAGE_LENGTH)}`),
  };
}
