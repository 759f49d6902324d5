import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The Go module that pins the version of Kubernetes. */
export const kubernetesModule: string = fileURLToPath(new URL('../../kubernetes', import.meta.url));

/** Returns the folder of a Go module that the Kubernetes module requires; downloads it if it is missing. */
export async function moduleFolderOf(name: string): Promise<string> {
  const args = ['mod', 'download', '-json', name];
  const { stdout } = await promisify(execFile)('go', args, { cwd: kubernetesModule });
  return (JSON.parse(stdout) as { readonly Dir: string }).Dir;
}
