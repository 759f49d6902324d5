import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs Node.js in a project on the sources of this repository, and resolves with its output. */
export async function runInProject(folder: string, ...args: readonly string[]): Promise<string> {
  const { KUBEBUILDER_ASSETS: _assets, ...env } = process.env;
  const options = { cwd: folder, env: { ...env, NO_COLOR: '1' } };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@keelson/source', ...args],
    options,
  ).catch(({ stdout: out, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(`${args.join(' ')} failed:\n${out}\n${stderr}`);
  });
  return stdout;
}
