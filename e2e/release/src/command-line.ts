import { parseArgs } from 'node:util';
import type { ReleaseOptions } from './release.ts';

/** The help of the command. */
export const usage = `usage: npm run release -- VERSION [--dry-run | --prepare]

Releases all packages: checks the work tree and the changelog, sets the version, builds, checks, packs, commits, tags
and publishes with provenance. Run it again after a failure: it continues, and skips what the registry has.

  --dry-run  everything up to "npm publish --dry-run", then all files as they were
  --prepare  everything up to the tag; publish by the same command in CI, which npm needs for the provenance
  --help     this text

  npm run release -- 0.2.0 --dry-run
  npm run release -- 0.3.0-beta.1`;

/** Reads the words of the command line. Throws for invalid ones; `undefined` for `--help`. */
export function readCommandLine(
  words: readonly string[],
): Pick<ReleaseOptions, 'version' | 'until'> | undefined {
  const flags = { 'dry-run': { type: 'boolean' }, prepare: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({
    args: [...words],
    options: { ...flags, help: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (values.help === true) return undefined;
  const [version, ...more] = positionals;
  if (version === undefined || more.length > 0) throw new Error('one version is needed');
  if (values['dry-run'] === true && values.prepare === true) {
    throw new Error('--dry-run and --prepare exclude each other');
  }
  if (values['dry-run'] === true) return { version, until: 'dry-run' };
  return { version, until: values.prepare === true ? 'prepare' : 'publish' };
}
