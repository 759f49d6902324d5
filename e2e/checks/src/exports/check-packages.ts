import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import { complaintsAbout } from './packed-files.ts';
import { root } from '../sources/source-file.ts';

/**
 * The checks that each package must pass before it is published, after a build: the packed files, the types as an
 * ESM application sees them, and `require` from CommonJS. Each check returns its complaints.
 */
const checks: Readonly<Record<string, (name: string) => string>> = {
  files: (name) => {
    const { stdout } = run('npm', ['pack', '--dry-run', '--json', '--workspace', folderOf(name)]);
    const [packed] = Object.values(JSON.parse(stdout) as Record<string, Packed>);
    const paths = packed?.files.map(({ path }) => path) ?? [];
    return complaintsAbout(paths, (map) => sourcesOf(folderOf(name), map)).join('\n');
  },
  publint: (name) => output('publint', ['run', folderOf(name), '--strict', '--pack', 'npm']),
  attw: (name) => output('attw', ['--pack', folderOf(name), '--profile', 'esm-only']),
  require: (name) => output('node', ['--eval', `require('${packageName(name)}')`]),
};

/** One package in the output of `npm pack --json`. */
interface Packed {
  readonly files: readonly { readonly path: string }[];
}

for (const name of readdirSync(join(root, 'packages'))) {
  for (const [check, complaintsOf] of Object.entries(checks)) {
    const complaints = complaintsOf(name);
    process.stdout.write(`${complaints === '' ? 'ok    ' : 'FAILED'} ${name}: ${check}\n`);
    if (complaints !== '') {
      process.stdout.write(`${complaints}\n`);
      process.exitCode = 1;
    }
  }
}

function packageName(folder: string): string {
  const text = readFileSync(join(folderOf(folder), 'package.json'), 'utf8');
  return (JSON.parse(text) as { name: string }).name;
}

function sourcesOf(folder: string, map: string): string[] {
  const { sources } = JSON.parse(readFileSync(join(folder, map), 'utf8')) as { sources: string[] };
  return sources.map((source) => posix.join(posix.dirname(map), source));
}

function run(program: string, args: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(program, args, { encoding: 'utf8', cwd: root });
}

/** Runs a program; returns its output if it failed, otherwise an empty string. */
function output(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = run(join(root, 'node_modules/.bin', program), args);
  return status === 0 ? '' : `${stdout}${stderr}`.trim() || `${program} failed`;
}

function folderOf(name: string): string {
  return join(root, 'packages', name);
}
