import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join, posix } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import PQueue from 'p-queue';

import { measureBundles, readBundleSizes, sizeComplaint } from './bundle-sizes.ts';
import { complaintsAbout } from './packed-files.ts';
import { root } from '../sources/source-file.ts';

const committedSizes = readBundleSizes();

/** The resolutions that an ESM application does not use: the profile `esm-only` of arethetypeswrong. */
const ignoredResolutions = new Set(['node10', 'node16-cjs']);

/** A package in the output of `npm pack --json`. */
interface Packed {
  readonly name: string;
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
  attw: typeComplaints,
  require: ({ packed }) => complaintOf('node', ['--eval', `require('${packed.name}')`]),
};

const folders = globSync('packages/*/*/package.json', { cwd: root }).map((file) => dirname(file));

const tarballs = await mkdtemp(join(tmpdir(), 'keelson-packages-'));
try {
  const packed = await packAll();
  const pool = new PQueue({ concurrency: availableParallelism() });
  await pool.addAll(folders.toSorted().map((folder) => () => check(join(root, folder), packed)));
} finally {
  await rm(tarballs, { recursive: true });
}

/** Packs all packages in one run of npm, which takes as long to start as to pack one. Returns them by name. */
async function packAll(): Promise<ReadonlyMap<string, Packed>> {
  const workspaces = folders.flatMap((folder) => ['--workspace', folder]);
  const words = ['pack', '--json', '--pack-destination', tarballs, ...workspaces];
  const { isWell, output } = await run('npm', words);
  if (!isWell) throw new Error(output);
  const all = Object.values(JSON.parse(output) as Record<string, Packed>);
  return new Map(all.map((packed) => [packed.name, packed]));
}

async function check(folder: string, all: ReadonlyMap<string, Packed>): Promise<void> {
  const packed = all.get(packageName(folder));
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

/** Runs arethetypeswrong in this process: its program loads a compiler, which takes longer than most packages. */
async function typeComplaints({ tarball }: Candidate): Promise<string> {
  const result = await checkPackage(createPackageFromTarballData(await readFile(tarball)));
  if (result.types === false) return 'no types';
  const problems = result.problems.filter(
    (problem) => !('resolutionKind' in problem && ignoredResolutions.has(problem.resolutionKind)),
  );
  return problems.map((problem) => JSON.stringify(problem)).join('\n');
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
