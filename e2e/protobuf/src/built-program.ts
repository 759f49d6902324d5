import { buildBinaries, cacheFolder } from '@keelson/e2e-control-plane';

/** Builds the Go program if it is missing, and returns its path. */
export async function builtProgram(): Promise<string> {
  const folder = await cacheFolder(process.env);
  return (await buildBinaries({ binaries: ['protobuf'], folder, onProgress: say })).protobuf;
}

function say(line: string): void {
  console.error(line);
}
