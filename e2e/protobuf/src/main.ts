import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { hasGo } from '@keelson/e2e-control-plane';
import { builtProgram } from './built-program.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Builds the Go program, then runs the tests; arguments are passed to Jest. */
async function main(words: readonly string[]): Promise<number> {
  if (!(await hasGo())) {
    console.error('!!! SKIPPED: no Go on this machine, so no types of Kubernetes to compare with');
    return 0;
  }
  const args = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    '--testMatch=**/e2e/protobuf/**/*.e2e.ts',
    '--testTimeout=120000',
    ...words,
  ];
  const env = { ...process.env, KEELSON_PROTOBUF: await builtProgram() };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

process.exitCode = await main(process.argv.slice(2));
