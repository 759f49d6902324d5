import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A program of a Go module. */
export interface GoProgram {
  /** The name of the binary. */
  readonly name: string;
  /** The path of its package. */
  readonly path: string;
  readonly version: string;
}

/**
 * Returns the path of a program: that of the environment variable with its name in capitals, or one that Go builds once for this
 * machine.
 */
export async function goProgram({ name, path, version }: GoProgram): Promise<string> {
  const given = process.env[name.toUpperCase()];
  if (given !== undefined) return given;
  const folder = join(homedir(), '.cache', 'keelson', `${name}-${version}`);
  const program = join(folder, name);
  if (existsSync(program)) return program;
  await mkdir(folder, { recursive: true });
  // In a module of its own, because `go install` refuses programs whose module replaces another one.
  await writeFile(join(folder, 'go.mod'), 'module keelson.dev/program\n');
  const run = promisify(execFile);
  await run('go', ['get', `${path}@${version}`], { cwd: folder });
  await run('go', ['build', '-o', program, path], { cwd: folder });
  return program;
}
