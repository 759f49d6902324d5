import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

/** One package in the output of `npm pack --json`. */
interface Packed {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly integrity: string;
  readonly files: readonly { readonly path: string }[];
}

/**
 * A local registry of the Keelson packages, packed as they would be published. It redirects requests for other packages to
 * the registry of npm.
 */
export class PackedRegistry implements AsyncDisposable {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Packs every package of the repository into a folder. Requires a build. */
  static async create(root: string, folder: string): Promise<PackedRegistry> {
    const args = [
      'pack',
      '--json',
      '--pack-destination',
      folder,
      '--workspace',
      'packages/runtime',
      '--workspace',
      'packages/toolkit',
    ];
    const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 2 ** 26 });
    const packed = Object.values(JSON.parse(stdout) as Record<string, Packed>);
    const unbuilt = packed.filter(({ files }) =>
      files.every(({ path }) => path !== 'dist/index.js'),
    );
    if (unbuilt.length > 0)
      throw new Error(`not built: ${unbuilt.map(({ name }) => name).join(', ')}`);
    const { stdout: others } = await promisify(execFile)('npm', ['config', 'get', 'registry']);
    const server = createServer();
    const registry = new PackedRegistry(server);
    const pages = new Map<string, string>();
    const tarballs = new Set(packed.map(({ filename }) => filename));
    server.on('request', ({ url = '/' }, response) => {
      const page = pages.get(decodeURIComponent(url.slice(1)));
      if (page !== undefined) response.end(page);
      else if (tarballs.has(basename(url))) {
        createReadStream(join(folder, basename(url))).pipe(response);
      } else response.writeHead(302, { location: new URL(`.${url}`, others.trim()).href }).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    for (const item of packed) pages.set(item.name, await registry.#page(root, item));
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async #page(root: string, { name, version, filename, integrity }: Packed): Promise<string> {
    const file = join(root, 'node_modules', name, 'package.json');
    const manifest = JSON.parse(await readFile(file, 'utf8')) as object;
    const dist = { tarball: `${this.url}${filename}`, integrity };
    const versions = { [version]: { ...manifest, dist } };
    return JSON.stringify({ name, 'dist-tags': { latest: version }, versions });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
