import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The result of the specs of one file. */
export interface SpecResult {
  readonly passed: number;
  /** The failed specs with the start of their messages. */
  readonly failed: readonly string[];
}

/** A spec in the report of Ginkgo. */
interface ReportedSpec {
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: { readonly Message: string };
}

/** The most characters of a message that are shown. */
const MESSAGE_LENGTH = 300;

/** The specs to run, and the programs and the cluster that they need. */
export interface SpecRun {
  /** The path of the compiled tests. */
  readonly program: string;
  readonly kubectl: string;
  readonly kubeconfig: string;
  /** The source file below `test/e2e`, without its ending. */
  readonly file: string;
  /** Matches the names of specs that run. */
  readonly only: string;
  /** Matches the names of specs that do not run. */
  readonly skip: string;
}

/** Runs the specs of one source file. */
export async function runSpecs(run: SpecRun): Promise<SpecResult> {
  const { program, kubectl, kubeconfig, file, only, skip } = run;
  const folder = await mkdtemp(join(tmpdir(), 'keelson-spec-report-'));
  const report = join(folder, 'report.json');
  const args = [
    `-kubeconfig=${kubeconfig}`,
    `-kubectl-path=${kubectl}`,
    '-provider=skeleton',
    '-allowed-not-ready-nodes=-1',
    '-minStartupPods=0',
    '-dump-logs-on-failure=false',
    `-ginkgo.focus-file=/${file}[.]go`,
    `-ginkgo.focus=${only}`,
    `-ginkgo.skip=${skip}`,
    `-ginkgo.json-report=${report}`,
    '-ginkgo.timeout=20m',
  ];
  try {
    // It exits with 1 if a spec failed; the report names it.
    await promisify(execFile)(program, args, { maxBuffer: 2 ** 28 }).catch(() => undefined);
    return resultOf(JSON.parse(await readFile(report, 'utf8')));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function resultOf([suite]: readonly {
  readonly SpecReports: readonly ReportedSpec[];
}[]): SpecResult {
  const ran = (suite?.SpecReports ?? []).filter(
    ({ State }) => !['skipped', 'pending'].includes(State),
  );
  const bad = ran.filter(({ State }) => State !== 'passed');
  return {
    // A failure before the first spec is one of another type.
    passed: ran.filter(({ LeafNodeType, State }) => LeafNodeType === 'It' && State === 'passed')
      .length,
    failed: bad.map(
      ({ LeafNodeText, Failure }) =>
        `${LeafNodeText}: ${Failure?.Message.slice(0, MESSAGE_LENGTH) ?? ''}`,
    ),
  };
}
