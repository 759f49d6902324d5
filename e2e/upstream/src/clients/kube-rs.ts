import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, cp, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { cacheFolder } from '@keelson/e2e-control-plane';
import type { ClientSuite, TestResult } from './client-suites.ts';

const workspace: string = fileURLToPath(new URL('../../kube-rs/', import.meta.url));

/** The program of e2e/peers, which pins the version of kube-rs. */
const peer: string = fileURLToPath(new URL('../../../peers/kube-rs/Cargo.toml', import.meta.url));

/** The dependency that the manifests of two crates lack: `cargo publish` leaves out what is in the same repository. */
const dependency =
  '\n[dev-dependencies.kube]\npath = "../kube"\nfeatures = ["derive", "client", "runtime", "ws"]\n';

const features = [
  'kube/derive',
  'kube/runtime',
  'kube/unstable-client',
  'kube/unstable-runtime',
  'kube/ws',
  'kube-client/jsonpatch',
  'kube-client/unstable-client',
  'kube-client/ws',
];

/** The tested crates, with the lines that their manifests lack. */
const crates: Readonly<Record<string, string>> = {
  kube: '',
  'kube-client': dependency,
  'kube-runtime': dependency,
};

/** The longest time of one suite, with the first compilation. */
const LIMIT_MS = 1_140_000;

/** Characters of the output of a failed test that are shown. */
const MESSAGE_LENGTH = 1000;

/** Cargo is missing, or the registry of its crates cannot be reached. */
export class NoCargo extends Error {
  override readonly name = 'NoCargo';
}

/**
 * Returns a folder of the cache with the crates of kube-rs from crates.io as a workspace, whose tests can run. Rejects with
 * `NoCargo` if that is not possible here.
 */
export async function kubeRsWorkspace(): Promise<string> {
  const lock = await readFile(join(workspace, 'Cargo.lock'));
  const digest = createHash('sha256').update(lock).digest('hex').slice(0, 12);
  const folder = join(dirname(await cacheFolder(process.env)), `kube-rs-tests-${digest}`);
  if ((await stat(folder).catch(() => undefined)) !== undefined) return folder;
  const partial = `${folder}.${process.pid}.part`;
  try {
    await cp(workspace, partial, { recursive: true });
    for (const [name, source] of await sourcesOfCrates()) {
      await cp(source, join(partial, name), { recursive: true });
      await appendFile(join(partial, name, 'Cargo.toml'), crates[name] ?? '');
    }
    await mkdir(dirname(folder), { recursive: true });
    await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return folder;
}

/** The folders into which cargo has unpacked the crates. */
async function sourcesOfCrates(): Promise<[name: string, folder: string][]> {
  await cargo(['--version']).catch(() => {
    throw new NoCargo('no cargo on PATH');
  });
  const manifest = ['--manifest-path', peer, '--locked'];
  await cargo(['fetch', ...manifest]).catch(({ stderr = '' }: { stderr?: string }) => {
    throw new NoCargo(`cargo cannot fetch kube-rs: ${stderr.trim().split('\n').at(-1) ?? ''}`);
  });
  const { stdout } = await cargo(['metadata', '--format-version', '1', '--offline', ...manifest]);
  const { packages } = JSON.parse(stdout) as {
    packages: { name: string; manifest_path: string }[];
  };
  return packages
    .filter(({ name }) => Object.hasOwn(crates, name))
    .map(({ name, manifest_path: path }) => [name, dirname(path)]);
}

/** Runs the tests that need a cluster, and compiles them before that: minutes, the first time. */
export async function runIgnoredTests(
  { leftOut }: ClientSuite,
  { folder, kubeconfig }: { readonly folder: string; readonly kubeconfig: string },
): Promise<TestResult> {
  const packages = Object.keys(crates).flatMap((name) => ['--package', name]);
  const build = ['--locked', '--lib', '--no-fail-fast', ...packages, '--features', features.join()];
  const skipped = Object.keys(leftOut).flatMap((name) => ['--skip', name]);
  const args = ['test', ...build, '--', '--ignored', '--test-threads=1', '--exact', ...skipped];
  // It exits with 101 if a test failed; the output names it.
  const { stdout = '', stderr = '' } = await cargo(args, { folder, kubeconfig }).catch(
    (error: { stdout?: string; stderr?: string }) => error,
  );
  return resultOf(stripVTControlCharacters(stdout), stderr);
}

/** Reads the ends of Rust's test harness, one for each crate, and the names of failed tests before it. */
export function resultOf(stdout: string, stderr: string): TestResult {
  const ends = [...stdout.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed;/gm)];
  if (ends.length < Object.keys(crates).length)
    throw new Error(`cargo ran no tests: ${stdout.slice(-2000)}${stderr.slice(-4000)}`);
  const failures = stdout.matchAll(/^---- (\S+) stdout ----\n([\s\S]*?)(?=^----|^failures:)/gm);
  return {
    passed: ends.reduce((sum, [, passed]) => sum + Number(passed), 0),
    failed: Array.from(
      failures,
      ([, name, text = '']) => `${name}: ${text.slice(0, MESSAGE_LENGTH)}`,
    ),
  };
}

async function cargo(
  args: readonly string[],
  { folder, kubeconfig }: { readonly folder?: string; readonly kubeconfig?: string } = {},
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const installed = join(process.env['CARGO_HOME'] ?? join(homedir(), '.cargo'), 'bin');
  const env = {
    ...process.env,
    PATH: [process.env['PATH'] ?? '', installed].join(delimiter),
    CARGO_INCREMENTAL: '0',
    ...(folder !== undefined && { CARGO_TARGET_DIR: join(folder, 'target') }),
    ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }),
  };
  const options = { env, cwd: folder, timeout: LIMIT_MS, maxBuffer: 2 ** 28 };
  return promisify(execFile)('cargo', [...args], options);
}
