import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The page as a server sends it. */
export interface InspectorPage {
  /** The HTML, zipped with gzip. */
  readonly zipped: Buffer;
  /** The header `content-security-policy`: the page runs its own script only, and connects to its own server only. */
  readonly policy: string;
}

let page: Promise<InspectorPage> | undefined;

/**
 * Returns the page. Its files are next to this package's data; the published package has the built page in its code, and
 * this function, which builds it from its sources, is replaced at the build (`page/write-page.mjs`).
 */
export function inspectorPage(): Promise<InspectorPage> {
  return (page ??= buildPage());
}

/** Builds in a process of its own, because esbuild is a tool of the development. */
async function buildPage(): Promise<InspectorPage> {
  const program = fileURLToPath(new URL('../page/print-page.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program], { maxBuffer: 1 << 24 });
  const { zipped, policy } = JSON.parse(stdout) as { zipped: string; policy: string };
  return { zipped: Buffer.from(zipped, 'base64'), policy };
}
