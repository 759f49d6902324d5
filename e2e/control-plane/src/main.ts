import { parseArgs } from 'node:util';
import { binaries, isBinary, type Binary } from './binary.ts';
import { buildBinaries } from './build-binaries.ts';
import { cacheFolder } from './cache-folder.ts';
import { buildFormerControlPlane, formerVersions } from './former-control-plane.ts';
import { NoGo } from './go-toolchain.ts';

const failed = 1;
const misuse = 2;
const noGo = 3;

/** The words of the command are wrong. */
class Misuse extends Error {}

/** Ends a build in an orderly way. */
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stop.abort(new Error(`interrupted by ${signal}`)));
}

function say(line: string): void {
  console.error(line);
}

/** The binaries that the words name; all of them without a word. */
function wantedOf(words: readonly string[]): readonly Binary[] {
  const unknown = words.find((word) => !isBinary(word));
  if (unknown !== undefined) {
    throw new Misuse(`unknown binary ${unknown}; there are: ${binaries.join(', ')}`);
  }
  return words.length === 0 ? binaries : words.filter(isBinary);
}

function formerVersionOf(minor: string): string {
  if (Object.hasOwn(formerVersions, minor)) return formerVersions[minor] ?? '';
  const known = Object.keys(formerVersions).join(', ');
  throw new Misuse(
    `--kubernetes ${minor}: there are ${known}; without the option the pinned version is built`,
  );
}

/** Builds, and returns the folder of the binaries. */
async function build(words: readonly string[]): Promise<string> {
  const { values, positionals } = parsed(words);
  const pinned = await cacheFolder(process.env);
  const { signal } = stop;
  if (values.kubernetes === undefined) {
    await buildBinaries({
      binaries: wantedOf(positionals),
      folder: pinned,
      onProgress: say,
      signal,
    });
    return pinned;
  }
  if (positionals.length > 0)
    throw new Misuse('--kubernetes builds kube-apiserver only: leave the names out');
  const version = formerVersionOf(values.kubernetes);
  return buildFormerControlPlane({ version, pinned, onProgress: say, signal });
}

function parsed(words: readonly string[]): {
  values: { kubernetes?: string | undefined };
  positionals: string[];
} {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      // A former minor version: kube-apiserver of it, with etcd and kubectl of the pinned version.
      options: { kubernetes: { type: 'string' } },
    });
  } catch (cause) {
    throw new Misuse((cause as Error).message, { cause });
  }
}

async function main(words: readonly string[]): Promise<number> {
  try {
    console.log(await build(words));
    return 0;
  } catch (error) {
    if (error instanceof NoGo) {
      say('!!! SKIPPED: no Go on this machine, so no real control plane can be built');
      return noGo;
    }
    if (error instanceof Misuse) {
      say(error.message);
      return misuse;
    }
    say(`!!! ${(error as Error).message}`);
    return failed;
  }
}

process.exitCode = await main(process.argv.slice(2));
