import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join, posix } from 'node:path';
import PQueue from 'p-queue';

import { measureBundles, readBundleSizes, sizeComplaint } from './bundle-sizes.ts';
import { complaintsAbout } from './packed-files.ts';
import { root } from '../sources/source-file.ts';

const committedSizes = readBundleSizes();

/** A package in the output of `npm pack --json`. */
interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** A package, and the tarball that users install. */
interface Candidate {
  readonly folder: string;
  readonly packed: Packed;
  readonly tarball: string;
}

type Check = (candidate: Candidate) => string | Promise<string>;

/**
 * The checks that each package must pass before it is published, after a build: the packed files, the size of the
 * bundles, the types as an ESM application sees them, and `require` from CommonJS. Each check returns its complaints.
 */
const checks: Readonly<Record<string, Check>> = {
  files: ({ folder, packed }) => {
    const paths = packed.files.map(({ path }) => path);
    return complaintsAbout(paths, (map) => sourcesOf(folder, map)).join('\n');
  },
  size: ({ folder }) => sizeComplaint(folder, measureBundles(folder), committedSizes),
  publint: ({ tarball }) => complaintOf('publint', ['run', tarball, '--strict']),
  attw: ({ tarball }) => complaintOf('attw', [tarball, '--profile', 'esm-only']),
  require: ({ folder }) => complaintOf('node', ['--eval', `require('${packageName(folder)}')`]),
};

const folders = globSync('packages/*/*/package.json', { cwd: root }).map((file) => dirname(file));

const tarballs = await mkdtemp(join(tmpdir(), 'keelson-packages-'));
try {
  const pool = new PQueue({ concurrency: availableParallelism() });
  const tasks = folders.toSorted().map((folder) => () => check(join(root, folder)));
  await pool.addAll(tasks);
} finally {
  await rm(tarballs, { recursive: true });
}

async function check(folder: string): Promise<void> {
  const words = ['pack', '--json', '--pack-destination', tarballs, '--workspace', folder];
  const { isWell, output } = await run('npm', words);
  if (!isWell) throw new Error(output);
  const [packed] = Object.values(JSON.parse(output) as Record<string, Packed>);
  if (packed === undefined) throw new Error(`npm packed nothing in ${folder}`);
  const candidate = { folder, packed, tarball: join(tarballs, packed.filename) };
  const lines: string[] = [];
  for (const [name, complaintsOf] of Object.entries(checks)) {
    const complaints = await complaintsOf(candidate);
    lines.push(`${complaints === '' ? 'ok    ' : 'FAILED'} ${basename(folder)}: ${name}\n`);
    if (complaints === '') continue;
    lines.push(`${complaints}\n`);
    process.exitCode = 1;
  }
  process.stdout.write(lines.join(''));
}

function packageName(folder: string): string {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  return (JSON.parse(text) as { name: string }).name;
}

function sourcesOf(folder: string, map: string): string[] {
  const { sources } = JSON.parse(readFileSync(join(folder, map), 'utf8')) as { sources: string[] };
  return sources.map((source) => posix.join(posix.dirname(map), source));
}

/** Runs a program in the root of the repository. `output` is its standard output, and the rest if it failed. */
function run(
  program: string,
  args: readonly string[],
): Promise<{ readonly isWell: boolean; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: root, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error === null) resolve({ isWell: true, output: stdout });
      else resolve({ isWell: false, output: `${stdout}${stderr}`.trim() || error.message });
    });
  });
}

/** Runs a program of the repository; returns its output if it failed, otherwise an empty string. */
async function complaintOf(program: string, args: readonly string[]): Promise<string> {
  const { isWell, output } = await run(join(root, 'node_modules/.bin', program), args);
  return isWell ? '' : output;
}
