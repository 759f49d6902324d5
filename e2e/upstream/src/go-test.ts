import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { TestFolder } from './test-folder.ts';

const moduleFolder = fileURLToPath(new URL('..', import.meta.url));

/** What `go test` found in one package. */
export interface SuiteResult {
  /** Specs of Ginkgo that ran and passed. */
  readonly passed: number;
  /** Specs that ran and failed. */
  readonly failed: number;
  /** The end of the output if the package failed. */
  readonly problem: string | undefined;
}

/** Lines of output that show what failed. */
const PROBLEM_LINES = 120;

/**
 * Runs the tests of a package with the programs in a folder as kube-apiserver and etcd. `focus` chooses specs of Ginkgo by
 * an expression for their names.
 */
export async function goTest(
  packageName: string,
  assets: string,
  focus?: string,
): Promise<SuiteResult> {
  await using folder = await TestFolder.create();
  const env = { ...process.env, KUBEBUILDER_ASSETS: assets, TMPDIR: folder.path };
  const args = ['test', '-count=1', '-v', packageName];
  if (focus !== undefined) args.push(`-ginkgo.focus=${focus}`);
  const run = promisify(execFile)('go', args, { cwd: moduleFolder, env, maxBuffer: 2 ** 26 });
  try {
    const { stdout } = await run;
    return { ...countSpecs(stdout), problem: undefined };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const lines = stripVTControlCharacters(stdout + stderr).split('\n');
    return { ...countSpecs(stdout), problem: lines.slice(-PROBLEM_LINES).join('\n') };
  }
}

/** Reads the last lines of Ginkgo's suites: `SUCCESS! -- 9 Passed | 0 Failed | 0 Pending | 0 Skipped`. */
export function countSpecs(output: string): { readonly passed: number; readonly failed: number } {
  const ends = stripVTControlCharacters(output).matchAll(/(\d+) Passed \| (\d+) Failed \|/g);
  let [passed, failed] = [0, 0];
  for (const [, good, bad] of ends) {
    passed += Number(good);
    failed += Number(bad);
  }
  return { passed, failed };
}
