import { binaries, isBinary } from './binary.ts';
import { buildBinaries, hasGo } from './build-binaries.ts';
import { cacheFolder } from './cache-folder.ts';

const noGo = 3;
const misuse = 2;

async function main(words: readonly string[]): Promise<number> {
  const unknown = words.find((word) => !isBinary(word));
  if (unknown !== undefined) {
    console.error(`unknown binary ${unknown}; there are: ${binaries.join(', ')}`);
    return misuse;
  }
  if (!(await hasGo())) {
    console.error('!!! SKIPPED: no Go on this machine, so no real control plane can be built');
    return noGo;
  }
  const folder = await cacheFolder(process.env);
  const wanted = words.filter(isBinary);
  await buildBinaries({
    binaries: wanted.length === 0 ? binaries : wanted,
    folder,
    onProgress: (line) => console.error(line),
  });
  console.log(folder);
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
