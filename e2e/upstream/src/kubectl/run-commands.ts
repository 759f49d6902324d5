import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { moduleFolderOf } from '../kubernetes/module-folder.ts';

const driver = fileURLToPath(new URL('test-cmd.sh', import.meta.url));

/** The files of Kubernetes that the functions read and write. */
const copied = [
  'hack/lib',
  'hack/testdata',
  'test/cmd',
  'test/e2e/testing-manifests',
  'test/fixtures',
  'third_party/forked/shell2junit',
];

/** The functions of `test/cmd` that ran, and those of them that failed. */
export interface CommandResults {
  readonly ran: readonly string[];
  readonly failed: readonly string[];
  /** The path of their output. */
  readonly log: string;
}

/** The API server that the functions call. Its administrator has the token `admin-token`. */
export interface CommandOptions {
  readonly port: number;
  /** The certificate of the server in PEM. */
  readonly ca: string;
  /** The one function to run, without `run_` and `_tests`. Default: all. */
  readonly only?: string | undefined;
}

/** Copies the files of Kubernetes into a folder in which the functions can write, beside kubectl. */
export async function prepareCommands(kubectl: string): Promise<string> {
  const source = await moduleFolderOf('k8s.io/kubernetes');
  const folder = await mkdtemp(join(tmpdir(), 'keelson-test-cmd-'));
  for (const part of copied) await cp(join(source, part), join(folder, part), { recursive: true });
  await makeExecutable(join(folder, 'test/fixtures/pkg/kubectl/plugins'));
  const programs = join(folder, '_output/bin');
  await mkdir(programs, { recursive: true });
  await symlink(kubectl, join(programs, 'kubectl'));
  return folder;
}

/** The archive of a Go module does not keep the modes of files. */
async function makeExecutable(plugins: string): Promise<void> {
  for (const name of await readdir(plugins, { recursive: true })) {
    if (basename(name).startsWith('kubectl-')) await chmod(join(plugins, name), 0o755);
  }
}

/** Runs the functions against the API server on a port, one after the other. */
export async function runCommands(
  folder: string,
  { port, ca, only }: CommandOptions,
): Promise<CommandResults> {
  const home = join(folder, 'home');
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'apiserver.crt'), ca);
  const log = join(folder, 'output.log');
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    KUBE_TEMP: home,
    TMPDIR: home,
    KUBE_JUNIT_REPORT_DIR: join(folder, 'junit'),
    SECURE_API_PORT: String(port),
    TERM: 'xterm',
    // kubectl is built from a module, which has no commit to compare.
    ALLOW_SKEW: 'true',
    ...(only !== undefined && { WHAT: only }),
  };
  const child = spawn('bash', [driver], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = createWriteStream(log);
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  await once(child, 'close');
  output.end();
  await once(output, 'finish');
  return resultsOf(await readFile(log, 'utf8'), log);
}

/** Reads the lines that `record_command` prints. */
export function resultsOf(output: string, log: string): CommandResults {
  const named = (pattern: RegExp): string[] =>
    Array.from(output.matchAll(pattern), ([, name = '']) => name).filter(
      (name) => name !== 'record_command_canary',
    );
  return {
    ran: named(/^Recording: (\S+)$/gm),
    failed: named(/^Error when running (\S+)$/gm),
    log,
  };
}
