import { execFile } from 'node:child_process';

/** Runs programs in the root folder of the repository. */
export interface Shell {
  /** Resolves with stdout. Rejects with a `CommandError` if the program fails. */
  run(program: string, ...args: readonly string[]): Promise<string>;
}

/** A program that failed, with its output. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly stdout: string;

  constructor(command: string, { stdout, stderr }: { stdout: string; stderr: string }) {
    super(`command failed (command=${command})\n${stdout}${stderr}`.trimEnd());
    this.stdout = stdout;
  }
}

/** Returns a shell whose programs run in a folder. */
export function shellIn(folder: string): Shell {
  return {
    run: (program, ...args) =>
      new Promise((resolve, reject) => {
        // With the level of `npm run --silent`, npm would not say why it failed.
        const env = { ...process.env, npm_config_loglevel: 'notice' };
        const options = { cwd: folder, maxBuffer: 2 ** 27, env };
        execFile(program, args, options, (error, stdout, stderr) => {
          if (error === null) resolve(stdout);
          else reject(new CommandError([program, ...args].join(' '), { stdout, stderr }));
        });
      }),
  };
}
