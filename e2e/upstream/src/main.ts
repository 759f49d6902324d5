import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { buildBinaries, cacheFolder, hasGo } from '@keelson/e2e-control-plane';
import { kubeRsWorkspace, NoCargo } from './clients/kube-rs.ts';
import { NoPython, pythonEnvironment } from './clients/python-environment.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Runs the suites; other arguments are passed to Jest.
 *
 *     npm run e2e:upstream              a sample, on the in-memory server
 *     npm run e2e:upstream -- --whole   every suite, also Kubernetes' end-to-end specs, kubectl's functions, helm and clients
 *     npm run e2e:upstream -- --real    the same on kube-apiserver and etcd, to compare
 *     npm run e2e:upstream -- --storm 5 a storm of workloads for five minutes on both
 */
async function main(words: readonly string[]): Promise<number> {
  if (!(await hasGo())) {
    console.error("!!! SKIPPED: no Go on this machine, so controller-runtime's tests cannot run");
    return 0;
  }
  const storm = words.indexOf('--storm');
  if (storm >= 0) return playStorm(words[storm + 1] ?? '', words.slice(storm + 2));
  const isWhole = words.includes('--whole');
  const args = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    '--testMatch=**/e2e/upstream/**/*.e2e.ts',
    // Ends a test that hangs. kubectl's functions take a quarter of an hour, and longer beside the other steps of .ci/run.
    '--testTimeout=3600000',
    // They take minutes each, and the compilation of Kubernetes' specs ten.
    ...(isWhole
      ? []
      : ['--testPathIgnorePatterns=/upstream/src/(clients|helm|kubectl|kubernetes)/']),
    ...words.filter((word) => word !== '--whole' && word !== '--real'),
  ];
  const env = {
    ...process.env,
    KEELSON_UPSTREAM: isWhole ? 'whole' : 'sample',
    KEELSON_UPSTREAM_ASSETS: words.includes('--real') ? await realAssets() : '',
    ...(isWhole ? await preparedClients() : {}),
  };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

async function playStorm(minutes: string, words: readonly string[]): Promise<number> {
  const program = fileURLToPath(new URL('storm/main.ts', import.meta.url));
  const args = ['--conditions=@keelson/source', program, '--minutes', minutes, ...words];
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

async function realAssets(): Promise<string> {
  const folder = await cacheFolder(process.env);
  await buildBinaries({ binaries: ['etcd', 'kube-apiserver'], folder, onProgress: say });
  return folder;
}

/** The environment variables with the folders of clients in other languages, which are empty for a language that is missing. */
async function preparedClients(): Promise<Record<string, string>> {
  const [python, kubeRs] = [
    await pythonEnvironment(say).catch((error: unknown) => skipOf('Python', error)),
    await kubeRsWorkspace().catch((error: unknown) => skipOf('Rust', error)),
  ];
  return { KEELSON_UPSTREAM_PYTHON: python, KEELSON_UPSTREAM_KUBE_RS: kubeRs };
}

/** Prints why the clients of a language are skipped. Another error ends the run. */
function skipOf(language: string, error: unknown): string {
  if (!(error instanceof NoPython) && !(error instanceof NoCargo)) throw error;
  say(`!!! SKIPPED: clients in ${language}: ${error.message}`);
  return '';
}

function say(line: string): void {
  console.error(line);
}

process.exitCode = await main(process.argv.slice(2));
