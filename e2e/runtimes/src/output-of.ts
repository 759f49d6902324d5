import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The folder and the environment of a command. */
export interface CommandPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a command and resolves with its output. Rejects with the whole output of a command that fails. */
export async function outputOf(
  place: CommandPlace,
  command: string,
  args: readonly string[],
): Promise<string> {
  const options = { ...place, maxBuffer: 2 ** 26 };
  const { stdout } = await promisify(execFile)(command, args, options).catch(
    ({ stdout: out, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${command} ${args.join(' ')} failed:\n${out}\n${stderr}`);
    },
  );
  return stdout;
}
