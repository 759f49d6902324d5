import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';

import { measureBundles, readBundleSizes, sizeComplaint } from './bundle-sizes.ts';
import { complaintsAbout } from './packed-files.ts';
import { root } from '../sources/source-file.ts';

const committedSizes = readBundleSizes();

/**
 * The checks that each package must pass before it is published, after a build: the packed files, the size of the
 * bundles, the types as an ESM application sees them, and `require` from CommonJS. Each check returns its complaints.
 */
const checks: Readonly<Record<string, (folder: string) => string>> = {
  files: (folder) => {
    const { stdout } = run('npm', ['pack', '--dry-run', '--json', '--workspace', folder]);
    const [packed] = Object.values(JSON.parse(stdout) as Record<string, Packed>);
    const paths = packed?.files.map(({ path }) => path) ?? [];
    return complaintsAbout(paths, (map) => sourcesOf(folder, map)).join('\n');
  },
  size: (folder) => sizeComplaint(folder, measureBundles(folder), committedSizes),
  publint: (folder) => output('publint', ['run', folder, '--strict', '--pack', 'npm']),
  attw: (folder) => output('attw', ['--pack', folder, '--profile', 'esm-only']),
  require: (folder) => output('node', ['--eval', `require('${packageName(folder)}')`]),
};

/** One package in the output of `npm pack --json`. */
interface Packed {
  readonly files: readonly { readonly path: string }[];
}

const folders = globSync('packages/*/*/package.json', { cwd: root }).map((file) => dirname(file));

for (const folder of folders.toSorted()) {
  for (const [check, complaintsOf] of Object.entries(checks)) {
    const complaints = complaintsOf(join(root, folder));
    process.stdout.write(
      `${complaints === '' ? 'ok    ' : 'FAILED'} ${basename(folder)}: ${check}\n`,
    );
    if (complaints !== '') {
      process.stdout.write(`${complaints}\n`);
      process.exitCode = 1;
    }
  }
}

function packageName(folder: string): string {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
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
