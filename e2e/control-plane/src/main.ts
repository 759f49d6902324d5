import { binaries, isBinary } from './binary.ts';
import { buildBinaries } from './build-binaries.ts';
import { cacheFolder } from './cache-folder.ts';
import { NoGo } from './go-toolchain.ts';

const failed = 1;
const misuse = 2;
const noGo = 3;

/** Ends a build in an orderly way. */
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stop.abort(new Error(`interrupted by ${signal}`)));
}

function say(line: string): void {
  console.error(line);
}

async function main(words: readonly string[]): Promise<number> {
  const unknown = words.find((word) => !isBinary(word));
  if (unknown !== undefined) {
    console.error(`unknown binary ${unknown}; there are: ${binaries.join(', ')}`);
    return misuse;
  }
  const wanted = words.length === 0 ? binaries : words.filter(isBinary);
  const folder = await cacheFolder(process.env);
  try {
    await buildBinaries({ binaries: wanted, folder, onProgress: say, signal: stop.signal });
  } catch (error) {
    if (error instanceof NoGo) {
      say('!!! SKIPPED: no Go on this machine, so no real control plane can be built');
      return noGo;
    }
    say(`!!! ${(error as Error).message}`);
    return failed;
  }
  console.log(folder);
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
