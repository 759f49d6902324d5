import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { buildBinaries, cacheFolder, hasGo, type Binary } from '@keelson/e2e-control-plane';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** More than ten times the usual duration, in milliseconds. Single waits have shorter timeouts. */
const TIMEOUT_MS = 15 * 60_000;

/** Builds missing programs, then runs the tests; other arguments are passed to Jest. */
async function main(words: readonly string[]): Promise<number> {
  if (!(await hasGo())) {
    console.error('!!! SKIPPED: no Go on this machine, so no client-go to run');
    return 0;
  }
  const { KUBEBUILDER_ASSETS: given } = process.env;
  const folder = await cacheFolder(process.env);
  const wanted: readonly Binary[] = given ? ['peers'] : ['etcd', 'kube-apiserver', 'peers'];
  const paths = await buildBinaries({ binaries: wanted, folder, onProgress: say });
  return runTests(words, { KEELSON_PEERS: paths.peers, KUBEBUILDER_ASSETS: given || folder });
}

function say(line: string): void {
  console.error(line);
}

async function runTests(
  words: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<number> {
  const args = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    '--testMatch=**/e2e/peers/**/*.e2e.ts',
    '--runInBand',
    '--testTimeout=120000',
    ...words,
  ];
  const env = { ...process.env, ...variables };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  const late = setTimeout(() => {
    console.error(`the tests did not end within ${TIMEOUT_MS / 60_000} minutes`);
    child.kill('SIGKILL');
  }, TIMEOUT_MS);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(late);
  return code ?? 1;
}

process.exitCode = await main(process.argv.slice(2));
