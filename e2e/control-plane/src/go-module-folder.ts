import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { moduleFolder } from './cache-folder.ts';

/** Returns the folder in Go's cache that has the sources of a module, such as `k8s.io/api`, in the pinned version. */
export async function goModuleFolder(path: string): Promise<string> {
  const args = ['mod', 'download', '-json', path];
  const { stdout } = await promisify(execFile)('go', args, { cwd: moduleFolder });
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}
